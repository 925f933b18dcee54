/** \file analysis/papers/lane/fit.h  Re-tuning of CSR-k from a store
 *  (kernels/tuning/csrk_fit.h), on stdout and into a file: of a GPU the formulas, of a CPU the
 *  constant SRS of CSR-2. */
#ifndef RC_ANALYSIS_PAPERS_LANE_FIT_H
#define RC_ANALYSIS_PAPERS_LANE_FIT_H

#include "table/print.h"
#include "table/view.h"

/** What the command line says; NULL stands for defaults. */
typedef struct rc_tune_fit {
    const char *store;
    const char *output;      /**< file of the tuning; NULL: none is written */
    const char *where;       /**< result rows to fit on; NULL: all */
    const char *test;        /**< result rows of the test set */
    const char *device;      /**< name that the tuning gets */
    int round;               /**< 1: the tuning rounds to the sizes that were measured */
    int64_t multiprocessors; /**< 0: lines; else pairs that fill a device of so many */
    int report;              /**< 1: print pairs, lines, factors and losses */
} rc_tune_fit_t;

/** What `test` is by default: the matrices of Lane and Booth 2022 and their twins. */
#define RC_TUNE_TEST                                                                               \
    "square && rows >= 1e6 && rows <= 6e6 && nnz < 6e7 && (!generated || fullname ~ 'twin:*')"

/** Fit, write and print.
 *  \return RC_OK; RC_EINVAL (an expression, rows that are missing, a training matrix of the test
 *    set), RC_ENOENT, RC_ESTORE, RC_ENOMEM, RC_EIO */
rc_status_t rc_tune_fit(const rc_tune_fit_t *f, rc_table_format_t format, rc_err_t *err);

/* What both fits share: rows of a store that are asked for, that they are of one setting, and
 * their matrices. */

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

/** 1: the rows that are asked for have a time of csr2 with one of the 18 sizes on a CPU. */
int rc_tune_srs_is_there(const rc_tune_rows_t *r);

/** Find the best size of every matrix and the constant that is nearest to their geometric mean,
 *  and print what it loses.
 *  \return RC_OK; RC_EINVAL (two settings, a training matrix of the test set, no matrix with all
 *    sizes, an output file, which one number is not), RC_ENOMEM, RC_EIO */
rc_status_t rc_tune_srs(
    rc_tune_rows_t *r, const rc_tune_fit_t *f, rc_table_format_t format, rc_err_t *err);

#endif
