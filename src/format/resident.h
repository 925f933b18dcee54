/** \file format/resident.h  A matrix in the memory of an executor, where kernels that build
 *  their own form there find it (rc_problem_t.resident).  Several kernels may build from one. */
#ifndef RC_FORMAT_RESIDENT_H
#define RC_FORMAT_RESIDENT_H

#include "device/executor.h"
#include "format/problem.h"

/** CSR; columns of a row ascending, each once. */
typedef struct rc_resident {
    rc_executor_t *x;       /**< whose memory it is, borrowed */
    const void *row_ptr;    /**< [rows + 1] */
    int row_ptr_bytes;      /**< of one of them: 4 or 8 */
    const int32_t *col_idx; /**< [nnz] */
    const void *val;        /**< [nnz] */
    rc_precision_t type;    /**< of them */
    void *owned[3];         /**< what rc_resident_free releases; NULL: borrowed */
} rc_resident_t;

/** Which row each slot of an order holds, in the memory of an executor. */
typedef struct rc_resident_rows {
    int32_t *row; /**< [slots] */
    int identity; /**< 1: slot p holds row p */
} rc_resident_rows_t;

/** Upload a matrix.
 *  \param[in] type  that values get
 *  \param[out] out  free with rc_resident_free, after an error too
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(nnz); values that are converted take at most 32
 *          MiB on the host. */
rc_status_t rc_resident_new(
    rc_executor_t *x, const rc_csr_t *a, rc_precision_t type, rc_resident_t *out, rc_err_t *err);

/** The same with values of another type, or that `a` has not.
 *  \param[in] values  all but `to`  */
rc_status_t rc_resident_typed(rc_executor_t *x, const rc_csr_t *a, const rc_gather_t *values,
    rc_resident_t *out, rc_err_t *err);

/** Upload row pointers and columns alone: `val` is NULL.
 *  \return as rc_resident_new, which it is a part of */
rc_status_t rc_resident_pattern(
    rc_executor_t *x, const rc_csr_t *a, rc_resident_t *out, rc_err_t *err);

/** Upload what a gather on the host gives, a piece at a time: what was converted is in the caches
 *  when it is copied, and takes 32 MiB at most.
 *  \param[in] values  all but `to`  \param[out] to  [count] in memory of the executor
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_resident_put(rc_executor_t *x, const rc_gather_t *values, void *to, rc_err_t *err);

/** Upload values alone.
 *  \param[out] out  [nnz] of the type; release() of the executor, after an error too
 *  \return as rc_resident_new, which it is a part of */
rc_status_t rc_resident_values(rc_executor_t *x, const double *val, int64_t nnz,
    rc_precision_t type, void **out, rc_err_t *err);

/** Release what is its own.  A zeroed one is allowed. */
void rc_resident_free(rc_resident_t *r);

/** Bytes that an upload takes. */
int64_t rc_resident_bytes(const rc_csr_t *a, rc_precision_t type);

#endif
