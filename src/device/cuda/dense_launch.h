/** \file device/cuda/dense_launch.h The kernels behind cuda/dense.c. All pointers are device
 *  memory, the matrices have rows and columns, nothing is waited for. */
#ifndef RC_DEVICE_CUDA_DENSE_LAUNCH_H
#define RC_DEVICE_CUDA_DENSE_LAUNCH_H

#include "device/cuda/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** \param[in] key  rc_rng_key(seed) */
rc_status_t rc_cuda_launch_random(cudaStream_t stream, const rc_dense_t *m, uint64_t key,
    int64_t stride, int64_t j0, rc_err_t *err);

/** \param[in] clear  [rows]; NULL: none */
rc_status_t rc_cuda_launch_poison(
    cudaStream_t stream, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err);

/** What dense_project finds, for each row. */
typedef struct rc_cuda_sums {
    double *sum;          /**< [rows] */
    double *mag;          /**< [rows] */
    unsigned char *found; /**< [rows] */
} rc_cuda_sums_t;

/** Chunks of columns that a matrix is summed in, of its shape alone; >= 1. */
int64_t rc_cuda_project_chunks(const rc_dense_t *m);

/** \param[in] sign  [cols]
 *  \param[in] part  sums of each chunk, [chunks * rows] each; not used with one chunk */
rc_status_t rc_cuda_launch_project(cudaStream_t stream, const rc_dense_t *m, const double *sign,
    const rc_cuda_sums_t *part, const rc_cuda_sums_t *out, rc_err_t *err);

/** \param[in] row, col  [n]  \param[out] out, poison  [n] */
rc_status_t rc_cuda_launch_gather(cudaStream_t stream, const rc_dense_t *m, const int64_t *row,
    const int64_t *col, int64_t n, double *out, unsigned char *poison, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
