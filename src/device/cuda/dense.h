/** \file device/cuda/dense.h The operations of a GPU on dense matrices, as rc_device declares them.
 *
 *  They run near the memory's bandwidth for large matrices and take one or two launches for small
 *  ones; what they need on the side comes from the pool of the device: 8 bytes per column, and 17
 *  per row or about 18 MB, whichever is more.  dense_random and dense_poison return before the
 *  device is done; an error of theirs shows in the next call that waits. */
#ifndef RC_DEVICE_CUDA_DENSE_H
#define RC_DEVICE_CUDA_DENSE_H

#include "device/device.h"

rc_status_t rc_cuda_dense_random(
    rc_device_t *d, const rc_dense_t *m, uint64_t seed, int64_t stride, int64_t j0, rc_err_t *err);

rc_status_t rc_cuda_dense_poison(
    rc_device_t *d, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err);

/** The order of summation depends on the shape of the matrix alone, not on the GPU. */
rc_status_t rc_cuda_dense_project(rc_device_t *d, const rc_dense_t *m, const double *sign,
    double *sum, double *mag, unsigned char *found, rc_err_t *err);

rc_status_t rc_cuda_dense_gather(rc_device_t *d, const rc_dense_t *m, const int64_t *row,
    const int64_t *col, int64_t n, double *out, unsigned char *poison, rc_err_t *err);

#endif
