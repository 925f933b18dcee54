/** \file kernels/resident.h  A matrix in the memory of an executor, where kernels that build their own form
 *  there find it (rc_problem_t.resident).  Several kernels may build from one. */
#ifndef RC_KERNELS_RESIDENT_H
#define RC_KERNELS_RESIDENT_H

#include "kernels/executor.h"

/** CSR; columns of a row ascending, each once. */
typedef struct rc_resident {
    rc_executor_t *x;    /**< whose memory it is, borrowed */
    const void *row_ptr; /**< [rows + 1] */
    int row_ptr_bytes;   /**< of one of them: 4 or 8 */
    const int32_t *col_idx; /**< [nnz] */
    const void *val;        /**< [nnz] */
    int value_bytes;        /**< of one of them: 4 or 8 */
    void *owned[3];         /**< what rc_resident_free releases; NULL: borrowed */
} rc_resident_t;

/** Upload a matrix.
 *  \param[in] value_bytes  that values get: 4 or 8
 *  \param[out] out  free with rc_resident_free, after an error too
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(nnz); 4-byte values take at most 16 MiB on the host. */
rc_status_t rc_resident_new(
    rc_executor_t *x, const rc_csr_t *a, int value_bytes, rc_resident_t *out, rc_err_t *err);

/** Upload values alone, for a matrix that shares the rest.
 *  \param[in] val  [nnz]
 *  \param[out] out  [nnz] of value_bytes each; release() of the executor, after an error too
 *  \return as rc_resident_new, which it is a part of */
rc_status_t rc_resident_values(
    rc_executor_t *x, const double *val, int64_t nnz, int value_bytes, void **out, rc_err_t *err);

/** Release what is its own.  A zeroed one is allowed. */
void rc_resident_free(rc_resident_t *r);

/** Bytes that an upload takes. */
int64_t rc_resident_bytes(const rc_csr_t *a, int value_bytes);

#endif
