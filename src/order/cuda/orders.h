/** \file order/cuda/orders.h  Row orders built on a GPU from a matrix in its memory.  Each is
 *  the GPU form of a policy of src/order, and gives the same schedule row by row; what it is
 *  stands there. A GPU form is one file that ends in a constant descriptor, and its name in
 *  kernels.am. */
#ifndef RC_ORDER_CUDA_ORDERS_H
#define RC_ORDER_CUDA_ORDERS_H

#include "base/param.h"
#include "device/executor.h"
#include "format/resident.h"
#include "order/local.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The pattern of a sparse matrix in device memory, as in rc_csr_t: columns ascend in every row. */
typedef struct rc_cuda_pattern {
    int64_t rows; /**< at most INT32_MAX, as cols */
    int64_t cols;
    int64_t nnz;
    const int64_t *row_ptr; /**< [rows + 1] */
    const int32_t *col_idx; /**< [nnz] */
} rc_cuda_pattern_t;

typedef struct rc_cuda_order {
    const char *policy;
    /** Enqueue the order on the stream of the executor, whose GPU is the current one.  Nothing is
     *  allocated, and nothing waits in a stream that is captured; lsh and jiang do both, and refuse
     *  such a stream.
     *  \param[in] params  as the policy takes them
     *  \param[in] work    device memory; NULL: only say how much
     *  \param[in,out] bytes  of it
     *  \param[out] slots  [a->rows], device memory: row of each slot
     *  \return RC_OK, RC_EINVAL (parameters), RC_EDEVICE; of lsh and jiang RC_ENOMEM, RC_ENOTSUP
     *          (captured) */
    rc_status_t (*build)(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *params,
        void *work, int64_t *bytes, int32_t *slots, rc_err_t *err);
} rc_cuda_order_t;

/** All of this build, in the order of kernels.am; NULL-terminated. */
extern const rc_cuda_order_t *const rc_cuda_orders[];

/** The parameters of a policy, "name" or "name:key=value:key=value".  \return as rc_cuda_order */
rc_status_t rc_cuda_order_defaults(const char *policy, rc_params_t *out, rc_err_t *err);

/** Build a row order: the schedule that the policy gives on the host, which has a row in every
 *  slot. Asked for on the stream of the executor and not waited for, except that `auto` asks the
 *  device once unless the stream is captured, and that lsh and jiang wait; memory comes from its
 *  allocator and goes back behind the work, so that a stream may be captured where that allocator
 *  allows it.
 *  \param[in] x  of a GPU
 *  \param[in] policy  "name" or "name:key=value:key=value"
 *  \param[in] a  borrowed until the work is done; not checked
 *  \param[out] slots  [a->rows], device memory: row of each slot
 *  \return RC_OK, RC_EINVAL, RC_ENOENT and RC_ERANGE of the text, RC_ENOTSUP (a policy without
 *          GPU form; lsh and jiang in a captured stream; more than INT32_MAX rows or columns),
 *          RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_order(rc_executor_t *x, const char *policy, const rc_cuda_pattern_t *a,
    int32_t *slots, rc_err_t *err);

/** Whether every row has one slot.  Waits.
 *  \param[in]  slots  [rows], device memory  \param[out] identity  1: slot p holds row p
 *  \return RC_OK; RC_EINVAL: a row has none or two; RC_ENOMEM, RC_EDEVICE.  Cost O(rows). */
rc_status_t rc_cuda_order_check(
    rc_executor_t *x, const int32_t *slots, int64_t rows, int *identity, rc_err_t *err);

/** As rc_cuda_order, of a matrix in memory of the executor, and checked.  Waits.
 *  \param[in] m    with row pointers of either width; NULL: only say whether the order has a GPU
 *                  form
 *  \param[in,out] out  has room for [a->rows]; gets rows, and whether they are the original order
 *  \return as rc_cuda_order and rc_cuda_order_check; RC_ENOTSUP also in a build without CUDA */
rc_status_t rc_cuda_order_there(rc_executor_t *x, const char *order, const rc_csr_t *a,
    const rc_resident_t *m, rc_resident_rows_t *out, rc_err_t *err);

/** What the rows of runs share (order/sample.h), of a matrix in memory of the executor.  Waits.
 *  \param[in]  m      with row pointers of either width
 *  \param[in]  slots  [a->rows] row of each slot, there
 *  \param[out] out    of the original order, and of that one; zeros without rows
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_order_runs_there(rc_executor_t *x, const rc_csr_t *a, const rc_resident_t *m,
    const int32_t *slots, rc_sharing_t out[2], rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
