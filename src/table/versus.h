/** \file table/versus.h  Two sides compared matrix by matrix (Mehrabi et al., figure 3).  Results
 *  are compared on the same matrix within a setting (table/counted.h).  A kernel and order that
 *  were measured with several geometries count with the fastest.  Local. */
#ifndef RC_TABLE_VERSUS_H
#define RC_TABLE_VERSUS_H

#include "base/str.h"
#include "table/segmented.h"

/** One side of a comparison: kernels and orders. */
typedef struct rc_side {
    rc_words_t kernel; /**< patterns over "name:params"; "!pattern" takes out what it matches */
    rc_words_t policy; /**< likewise over policies */
} rc_side_t;

/** Where a kernel ends and its order begins: the last @ of a text, or where it has none the first
 *  /, which no name of a kernel has; NULL: no order is named. */
const char *rc_side_cut(const char *text);

/** Parse "KERNELS[@ORDERS]", both comma-separated patterns, e.g. "gstat*,gsub*@csr,lpt"; the order
 *  `any` stands for all.  Cut by rc_side_cut.
 *  \param[in] orders  of a side that names none, e.g. "csr"
 *  \return RC_OK; RC_EINVAL (an empty word, a flawed pattern, brackets); RC_ENOMEM.  Free with
 *      rc_side_free.
 */
rc_status_t rc_side_parse(const char *text, const char *orders, rc_side_t *out, rc_err_t *err);
void rc_side_free(rc_side_t *s);

/** 1: a kernel ("name:params") and an order are of the side; the same of a result. */
int rc_side_has_names(const rc_side_t *s, const char *kernel, const char *policy);
int rc_side_has(const rc_side_t *s, const rc_view_t *v, const rc_row_result_t *r);

/** The fastest result of a side on a matrix in a setting, rows [i, end) of c: a row of the view, -1
 *  none. */
int64_t rc_side_fastest(const rc_counted_t *c, int64_t i, int64_t end, const rc_side_t *side);

/** The same as a log of ns, held out: chosen in one half, scored in the other (table/split_half.h).
 *  \param[out] out  NaN where the side has none  \return RC_OK, RC_ENOMEM */
rc_status_t rc_side_held_out(const rc_counted_t *c, int64_t i, int64_t end, const rc_side_t *side,
    double *out, rc_err_t *err);

/** Side A against side B in one setting.  A ratio is the best time of B over the best time of A on
 *  a matrix: above 1, A is faster. */
typedef struct rc_versus {
    rc_setting_t setting;
    rc_segmented_set_t set;
    int64_t matrices; /**< that both sides have: the ratios are over these */
    int64_t only_a;   /**< matrices that B lacks */
    int64_t only_b;
    int64_t wins;  /**< matrices on which A is faster */
    int64_t clear; /**< of these, matrices on which by more than the error */
    int64_t ties;  /**< matrices on which the sides are within the error (rc_timed_tie) */
    double max;    /**< NaN, like the others, when no matrix has both */
    double mean;
    double geomean;
    double geomean_held_out; /**< the best of each side chosen in one half, scored in the other
                                  (table/split_half.h) */
    double median;
    double min;
} rc_versus_t;

/** Where a side has rs with the parameters of a tuning file, its training matrices
 *  (table/training.h) are left out.
 *  \param[out] out  [*count] in order of the settings and sets; free with free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_versus_make(const rc_view_t *v, const rc_expr_t *where, const rc_side_t *a,
    const rc_side_t *b, rc_versus_t **out, int *count, rc_err_t *err);

#endif
