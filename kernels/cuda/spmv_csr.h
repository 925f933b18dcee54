/** \file kernels/cuda/spmv_csr.h  The device functions of csr. */
#ifndef RC_KERNELS_CUDA_SPMV_CSR_H
#define RC_KERNELS_CUDA_SPMV_CSR_H

#include "kernels/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_SPMV_CSR_THREADS = 256 };

/** Rows that a group of lanes takes side by side. */
#define RC_SPMV_CSR_ROWS(lanes) ((lanes) <= 8 ? 4 : (lanes) == 16 ? 2 : 1)

typedef struct rc_spmv_csr_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    int32_t slots;
} rc_spmv_csr_args_t;

/** \param[in] lanes  1 to 32, a power of two  \param[in] wide  1: ptr is int64_t */
const void *rc_spmv_csr_entry(rc_precision_t precision, int wide, int lanes);

#ifdef __cplusplus
}
#endif
#endif
