/** \file cmd/select.h  Lists on the command line: policies, kernels, K, precisions, matrices. */
#ifndef RC_CMD_SELECT_H
#define RC_CMD_SELECT_H

#include "catalog/catalog.h"
#include "kernels/kernel.h"
#include "order/policy.h"

/** A list as rc_policy_specs_parse takes it, at most RC_WORKLIST_POLICIES_MAX.  csr is put first
 *  when it is named: it is the baseline.  Free the array. */
rc_status_t rc_select_policies(const char *text, rc_policy_spec_t **out, int *count, rc_err_t *err);

/** Append csr to a list of rc_select_policies that lacks it.  \param[out] added  1: it did */
rc_status_t rc_select_csr(rc_policy_spec_t **list, int *count, int *added, rc_err_t *err);

/** "spmm,spmv" as a set of bits 1u << rc_op_t. */
rc_status_t rc_select_ops(const char *text, unsigned *out, rc_err_t *err);

/** "8,32,n"; n is 0 in the result.
 *  \param[out] out  free(), after an error too */
rc_status_t rc_select_ks(const char *text, int64_t **out, int *count, rc_err_t *err);

/** "fp32,fp64".
 *  \param[out] out  free(), after an error too */
rc_status_t rc_select_precisions(
    unsigned types, const char *text, rc_precision_t **out, int *count, rc_err_t *err);

/** Which matrices; all borrowed.  Without places and catalogue the built-in set. */
typedef struct rc_matrix_places {
    const char *collection; /**< a folder, or "twins"; NULL: none */
    char *const *operand;   /**< [operands] files and folders, in its place */
    int operands;
    const char *catalog; /**< NULL: none */
    const char *where;   /**< NULL: all */
} rc_matrix_places_t;

/** The matrices of a run.
 *  \param[in]  limit  the first so many that match; negative: all
 *  \param[out] all    entries before the selection; may be NULL */
rc_status_t rc_select_matrices(
    const rc_matrix_places_t *p, int64_t limit, rc_catalog_t *out, int64_t *all, rc_err_t *err);

/** "2/8": slice 2 of 8; NULL is 1 of 1.  \return RC_OK or RC_EINVAL */
rc_status_t rc_select_slice(const char *text, int64_t *index, int64_t *count, rc_err_t *err);

/** One of two words.  \param[in] what  the option, for an error */
rc_status_t rc_select_one(const char *what, const char *text, const char *first, const char *second,
    int *is_second, rc_err_t *err);

/** RC_OK for a folder of matrices that is there or can be made, and for NULL.  --cache said once
 *  what --cache-mode says now: these words are refused. */
rc_status_t rc_select_cache(const char *dir, rc_err_t *err);

#endif
