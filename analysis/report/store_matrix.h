/** \file analysis/report/store_matrix.h  Matrices of a store, read again from where it says that
 *  they were. */
#ifndef RC_ANALYSIS_REPORT_STORE_MATRIX_H
#define RC_ANALYSIS_REPORT_STORE_MATRIX_H

#include "analysis/report/survey.h"
#include "catalog/catalog.h"
#include "sparse/csr.h"

/** What the store says of a matrix, as an entry of a catalogue.
 *  \param[out] out  borrows from the store  \return 1: there is one, and not absent */
int rc_entry_of_store(const rc_survey_t *s, const char *name, rc_entry_t *out);

/** What an entry holds.
 *  \param[out] a       free with rc_csr_free, after an error too
 *  \param[out] usable  1: the matrix that was measured
 *  \return RC_OK; RC_ENOENT: no file; RC_ENOMEM and what reading may say */
rc_status_t rc_entry_load_measured(
    const rc_entry_t *e, const rc_survey_matrix_t *matrix, rc_csr_t *a, int *usable, rc_err_t *err);

/** A matrix from a collection, or from where the store says that it was read.
 *  \param[in]  found   what the collection has, looked through by name; without entries: there is
 *      none
 *  \param[out] a       free with rc_csr_free, after an error too
 *  \param[out] usable  1: it is there, and the one that was measured
 *  \return RC_OK, also where it is not; RC_ENOMEM and what reading may say */
rc_status_t rc_matrix_of_store(const rc_survey_t *s, const rc_catalog_t *found, int32_t matrix,
    rc_csr_t *a, int *usable, rc_err_t *err);

#endif
