/** \file table/six.h  The six formats of Nisa et al. 2018 matrix by matrix: their times for y = A
 *  x, which one is best, by how much, and what is missing.  Local.
 *
 *  A format is our own kernel of that name with its default parameters, in the original order of
 *  rows.  Only what counts (table/counted.h) has a time.  One table for each precision, cache mode
 *  and device. */
#ifndef RC_TABLE_SIX_H
#define RC_TABLE_SIX_H

#include "table/counted.h"

/** In the order of ties: of equal times the first is best. */
typedef enum rc_six_format {
    RC_SIX_COO = 0,
    RC_SIX_ELL = 1,
    RC_SIX_CSR = 2,
    RC_SIX_HYB = 3,
    RC_SIX_CSR5 = 4,
    RC_SIX_MERGE = 5,
    RC_SIX = 6
} rc_six_format_t;
extern const char *const rc_six_names[RC_SIX];
extern const char *const rc_six_kernels[RC_SIX]; /**< "csr:lanes=auto" */

/** The format that a kernel with its parameters stands for, and that of a name; -1: none. */
int rc_six_of(const char *kernel);
int rc_six_named(const char *name);

/** Sets of formats as bits 1u << rc_six_format_t. */
enum { RC_SIX_ALL = 63, RC_SIX_BASIC = 15 };

/** A matrix. */
typedef struct rc_six_row {
    int32_t matrix;      /**< id in the view */
    int generated;       /**< 1: rc_view_is_generated */
    int64_t row[RC_SIX]; /**< of the view, -1: the format has no time */
    double ns[RC_SIX];   /**< median, NaN */
    int state[RC_SIX];   /**< status of its newest result; RC_CASE_PENDING: there is none */
} rc_six_row_t;

typedef struct rc_six {
    rc_setting_t setting;
    rc_six_row_t *row; /**< [rows] by id: matrices with a result of any of the six, in whatever
                            state */
    int64_t rows;
    int64_t missing[2][RC_SIX][RC_CASE_STATUSES]; /**< real matrices, then all, without a time, by
                                                       state of the newest
                                                      result; RC_CASE_PENDING: there is none;
                                                      RC_CASE_OK: it is not verified */
} rc_six_t;

/** \param[in]  where  NULL: all
 *  \param[out] out    [*count] in order of precision, cache, device; free with rc_six_free
 *  \return RC_OK, RC_ENOMEM.  Cost: reads all results once for each setting. */
rc_status_t rc_six_make(
    const rc_view_t *v, const rc_expr_t *where, rc_six_t **out, int *count, rc_err_t *err);
void rc_six_free(rc_six_t *f, int count);

/** The best of a set of formats: the least time, of equals the first.
 *  \param[out] margin  second least over least, less 1; NaN for a single format; may be NULL
 *  \return the format, -1 when one of the set has no time */
int rc_six_best(const rc_six_row_t *r, unsigned set, double *margin);

#endif
