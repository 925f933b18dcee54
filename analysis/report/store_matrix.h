/** \file analysis/report/store_matrix.h  Matrices of a store, read again from where it says that
 *  they were. */
#ifndef RC_ANALYSIS_REPORT_STORE_MATRIX_H
#define RC_ANALYSIS_REPORT_STORE_MATRIX_H

#include "analysis/report/survey.h"
#include "catalog/catalog.h"
#include "sparse/csr.h"

/** Where a matrix is: in one of two catalogues (the first that has its name), or where the store
 *  says that it was read.
 *  \param[out] out  borrows  \return 1: there is one, and not absent */
int rc_entry_of_matrix(const rc_survey_t *s, int32_t matrix, const rc_catalog_t *found,
    const rc_catalog_t *builtin, rc_entry_t *out);

/** What an entry holds.
 *  \param[out] a       free with rc_csr_free, after an error too
 *  \param[out] usable  1: the matrix that was measured
 *  \return RC_OK; RC_ENOENT: no file; RC_ENOMEM and what reading may say */
rc_status_t rc_entry_load_measured(
    const rc_entry_t *e, const rc_survey_matrix_t *matrix, rc_csr_t *a, int *usable, rc_err_t *err);

#endif
