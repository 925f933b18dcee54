/** \file table/versus.h  Tables across kernels: two sides compared matrix by matrix (Mehrabi et
 *  al., figure 3), which kernel and order is the fastest how often, and the rates that kernels
 *  reach.
 *
 *  Rows are compared on the same matrix within a *setting*: K (K = n is one), precision, operation,
 *  row order of C, cache mode, device.  What enters is said in table/speedup.h.  Rows of the
 *  original order are in the setting of either row order of C.  A kernel and order that were
 * measured with several geometries count with the fastest.  Local. */
#ifndef RC_TABLE_VERSUS_H
#define RC_TABLE_VERSUS_H

#include "base/expr.h"
#include "base/str.h"
#include "table/view.h"

/** What rows of a table have in common. */
typedef struct rc_setting {
    int64_t row;      /**< a row of the view that is in it: K, precision, ... */
    int is_n;         /**< 1: K = n_col */
    int64_t matrices; /**< with any row */
} rc_setting_t;

/** One side of a comparison: kernels and orders. */
typedef struct rc_side {
    rc_words_t kernel; /**< patterns over "name:params"; "!pattern" takes out what it matches */
    rc_words_t policy; /**< likewise over policies */
} rc_side_t;

/** Parse "KERNELS[@ORDERS]", both comma-separated patterns, e.g. "gstat*,gsub*@csr,lpt"; the order
 *  `any` stands for all.
 *  \param[in] orders  of a side that names none, e.g. "csr"
 *  \return RC_OK; RC_EINVAL (an empty word, a flawed pattern); RC_ENOMEM.  Free with rc_side_free.
 */
rc_status_t rc_side_parse(const char *text, const char *orders, rc_side_t *out, rc_err_t *err);
void rc_side_free(rc_side_t *s);

/** Side A against side B in one setting.  A ratio is the best time of B over the best time of A on
 * a matrix: above 1, A is faster. */
typedef struct rc_versus {
    rc_setting_t setting;
    int64_t matrices; /**< that both sides have: the ratios are over these */
    int64_t only_a;   /**< matrices that B lacks */
    int64_t only_b;
    int64_t wins; /**< matrices on which A is faster */
    double max;   /**< NaN, like the others, when no matrix has both */
    double mean;
    double geomean;
    double median;
    double min;
} rc_versus_t;

/** \param[out] out  [*count] in order of precision and K; free with free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_versus_make(const rc_view_t *v, const rc_expr_t *where, const rc_side_t *a,
    const rc_side_t *b, rc_versus_t **out, int *count, rc_err_t *err);

/** A kernel with its parameters and an order.  A loss is its time over the best time of any
 *  variant on that matrix, less 1. */
typedef struct rc_best_row {
    const char *kernel; /**< borrowed from the view */
    const char *policy;
    int64_t matrices; /**< that it has: the losses are over these */
    int64_t wins;     /**< matrices on which it is the fastest (ties: to the earlier row) */
    double loss_geomean;
    double loss_mean;
    double loss_max;
} rc_best_row_t;

typedef struct rc_best {
    rc_setting_t setting;
    rc_best_row_t *variant; /**< [variants], most wins first, then the smallest loss */
    int variants;
} rc_best_t;

/** \param[out] out  [*count] in order of precision and K; free with rc_best_free
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_best_make(
    const rc_view_t *v, const rc_expr_t *where, rc_best_t **out, int *count, rc_err_t *err);
void rc_best_free(rc_best_t *c, int count);

/** Rates of a kernel and order over the matrices of a setting. */
typedef struct rc_rate {
    rc_setting_t setting;
    const char *kernel; /**< borrowed from the view */
    const char *policy;
    int64_t matrices;
    double gflops_geomean; /**< 2 nnz K / median */
    double gflops_mean;
    double gflops_max;
    double gbs_geomean; /**< compulsory traffic / median, in 1e9 bytes a second */
    double gbs_mean;
    double gbs_max;
} rc_rate_t;

/** \param[out] out  [*count] in order of precision, K, kernel, policy; free with free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_rate_make(
    const rc_view_t *v, const rc_expr_t *where, rc_rate_t **out, int *count, rc_err_t *err);

#endif
