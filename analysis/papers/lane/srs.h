/** \file analysis/papers/lane/srs.h  The constant SRS of CSR-2 on a CPU from a store
 *  (kernels/tuning/csrk_fit.h), on stdout. */
#ifndef RC_ANALYSIS_PAPERS_LANE_SRS_H
#define RC_ANALYSIS_PAPERS_LANE_SRS_H

#include "analysis/papers/lane/rows.h"

/** 1: the rows that are asked for have a time of csr2 with one of the 18 sizes on a CPU. */
int rc_tune_srs_is_there(const rc_tune_rows_t *r);

/** Find the best size of every matrix and the constant that is nearest to their geometric mean,
 *  and print what it loses.
 *  \return RC_OK; RC_EINVAL (two settings, a training matrix of the test set, no matrix with all
 *    sizes, an output file, which one number is not), RC_ENOMEM, RC_EIO */
rc_status_t rc_tune_srs(
    rc_tune_rows_t *r, const rc_tune_fit_t *f, rc_table_format_t format, rc_err_t *err);

#endif
