/** \file device/cuda/scale.h  Rows of the output that a product does not store to. */
#ifndef RC_DEVICE_CUDA_SCALE_H
#define RC_DEVICE_CUDA_SCALE_H

#include "device/executor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Enqueue m = beta m for some rows; with beta 0 they are not read, with beta 1 nothing is done.
 *  The GPU of the executor is the current one.
 *  \param[in] row   [rows] device memory; NULL: the first rows
 *  \param[in] beta  real and imaginary part
 *  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_scale(const rc_executor_t *x, const rc_dense_t *m, const int32_t *row,
    int64_t rows, const double beta[2], rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
