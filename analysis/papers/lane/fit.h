/** \file analysis/papers/lane/fit.h  Re-tuning of CSR-k from a store
 *  (kernels/tuning/csrk_fit.h), on stdout and into a file. */
#ifndef RC_ANALYSIS_PAPERS_LANE_FIT_H
#define RC_ANALYSIS_PAPERS_LANE_FIT_H

#include "table/print.h"

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

#endif
