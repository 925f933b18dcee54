/** \file order/cuda/sample.h  What samples of a matrix in device memory say about its rows: the
 *  GPU form of src/order/sample.h, with the same sums, from which the feature set `regime` is
 *  made. */
#ifndef RC_ORDER_CUDA_SAMPLE_H
#define RC_ORDER_CUDA_SAMPLE_H

#include "order/cuda/orders.h"
#include "order/local.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All samples, asked for and not waited for.
 *  \param[in] a       not checked; it has rows
 *  \param[in] memory  device memory, rc_cuda_sample_bytes() of it
 *  \param[out] out    where they will be, in that memory */
rc_status_t rc_cuda_sample_ask(const rc_executor_t *x, const rc_cuda_pattern_t *a, void *memory,
    rc_local_samples_t **out, rc_err_t *err);
int64_t rc_cuda_sample_bytes(void);

/** Entries of the longest row alone, asked for and not waited for.  \param[out] out  device
 *  memory */
rc_status_t rc_cuda_sample_longest(
    const rc_executor_t *x, const rc_cuda_pattern_t *a, int64_t *out, rc_err_t *err);

/** The balls alone, asked for and not waited for.  \param[out] out  device memory */
rc_status_t rc_cuda_sample_balls(
    const rc_executor_t *x, const rc_cuda_pattern_t *a, rc_sharing_t *out, rc_err_t *err);

/** The runs alone, asked for and not waited for.
 *  \param[in] order  [a->rows] device memory, NULL: the original order
 *  \param[out] out   device memory */
rc_status_t rc_cuda_sample_runs(const rc_executor_t *x, const rc_cuda_pattern_t *a,
    const int32_t *order, rc_sharing_t *out, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
