/** \file analysis/papers/lane/rows.h  Rows of a store that sizes of CSR-k are fitted to: which
 *  are asked for, that they are of one setting, and their matrices. */
#ifndef RC_ANALYSIS_PAPERS_LANE_ROWS_H
#define RC_ANALYSIS_PAPERS_LANE_ROWS_H

#include "analysis/papers/lane/fit.h"
#include "table/view.h"

enum { RC_TUNE_TRAINS = 1, RC_TUNE_TESTS = 2 };

typedef struct rc_tune_rows {
    rc_view_t *view;
    rc_expr_t *where; /**< NULL: all */
    rc_expr_t *test;
    int64_t first;   /**< row that all others must be like; -1: none yet */
    int32_t *matrix; /**< [count] those to fit on first, each part by rdensity */
    int64_t count;
    int64_t trains; /**< how many are fitted on */
} rc_tune_rows_t;

/** Read the store and compile the expressions.
 *  \param[out] out  free with rc_tune_rows_close, after an error too
 *  \return RC_OK, RC_EINVAL, RC_ENOENT, RC_ESTORE, RC_ENOMEM, RC_EIO */
rc_status_t rc_tune_rows_open(const rc_tune_fit_t *f, rc_tune_rows_t *out, rc_err_t *err);

void rc_tune_rows_close(rc_tune_rows_t *r);

/** Row i is asked for: RC_TUNE_TRAINS, RC_TUNE_TESTS, both or 0. */
unsigned rc_tune_part(const rc_tune_rows_t *r, int64_t i);

/** Which time row i is, of those that a fit is of; -1: none. */
typedef int rc_tune_time_fn(const rc_view_t *v, int64_t i);

/** Find the matrices that have a time.
 *  \return RC_OK, also without any; RC_EINVAL: rows of two orders, precisions, caches or devices,
 *    or a matrix that is fitted on and tested; RC_ENOMEM */
rc_status_t rc_tune_find(rc_tune_rows_t *r, rc_tune_time_fn *time, rc_err_t *err);

/** The place of the matrix of row i among these, where row i is asked for; -1. */
int64_t rc_tune_place(const rc_tune_rows_t *r, int64_t i);

#endif
