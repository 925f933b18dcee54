/** \file analysis/papers/lane/rows.h  Rows of a store that sizes of CSR-k are fitted to: which
 *  are asked for, and that they are of one setting. */
#ifndef RC_ANALYSIS_PAPERS_LANE_ROWS_H
#define RC_ANALYSIS_PAPERS_LANE_ROWS_H

#include "analysis/papers/lane/fit.h"
#include "table/view.h"

enum { RC_TUNE_TRAINS = 1, RC_TUNE_TESTS = 2 };

typedef struct rc_tune_rows {
    rc_view_t *view;
    rc_expr_t *where; /**< NULL: all */
    rc_expr_t *test;
    int64_t first; /**< row that all others must be like; -1: none yet */
} rc_tune_rows_t;

/** Read the store and compile the expressions.
 *  \param[out] out  free with rc_tune_rows_close, after an error too
 *  \return RC_OK, RC_EINVAL, RC_ENOENT, RC_ESTORE, RC_ENOMEM, RC_EIO */
rc_status_t rc_tune_rows_open(const rc_tune_fit_t *f, rc_tune_rows_t *out, rc_err_t *err);

void rc_tune_rows_close(rc_tune_rows_t *r);

/** RC_TUNE_TRAINS, RC_TUNE_TESTS, both or 0. */
unsigned rc_tune_part(const rc_tune_rows_t *r, int64_t i);

/** The first row that is asked is what the others are compared with.
 *  \return RC_OK; RC_EINVAL: another order, precision, cache or device */
rc_status_t rc_tune_alike(rc_tune_rows_t *r, int64_t i, rc_err_t *err);

/** A matrix is fitted on or tested, not both.  \return RC_OK, RC_EINVAL */
rc_status_t rc_tune_part_check(unsigned part, const char *matrix, rc_err_t *err);

#endif
