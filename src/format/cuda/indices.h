/** \file format/cuda/indices.h  Index arrays in other forms, made on the device. */
#ifndef RC_FORMAT_CUDA_INDICES_H
#define RC_FORMAT_CUDA_INDICES_H

#include "format/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Enqueue out[i] = in[i].  \param[in] in  [n]  \param[out] out  [n]; both device memory */
rc_status_t rc_cuda_widen(
    const rc_executor_t *x, const int32_t *in, int64_t *out, int64_t n, rc_err_t *err);

/** Enqueue row[e] = p for every e in [ptr[p], ptr[p + 1]): coordinates from slot pointers.
 *  \param[in] ptr  [slots + 1], int64_t when ptr_wide, else int32_t; device memory
 *  \param[out] row  [ptr[slots]], int64_t when row_wide, else int32_t; device memory */
rc_status_t rc_cuda_expand(const rc_executor_t *x, const void *ptr, int ptr_wide, int64_t slots,
    void *row, int row_wide, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
