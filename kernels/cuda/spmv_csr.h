/** \file kernels/cuda/spmv_csr.h  The device functions of csr. */
#ifndef RC_KERNELS_CUDA_SPMV_CSR_H
#define RC_KERNELS_CUDA_SPMV_CSR_H

#include "kernels/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Rows that a group of lanes takes side by side, and rows of a warp. */
#define RC_SPMV_CSR_SIDE(lanes) ((lanes) < 8 ? (lanes) : 8)
#define RC_SPMV_CSR_ROWS(lanes) (32 / (lanes) * RC_SPMV_CSR_SIDE(lanes))

/** Entries of the longest row that a group takes; a CTA takes a longer one. */
#define RC_SPMV_CSR_LONGEST(lanes) ((lanes) < 4 ? 64 : 16 * (lanes))

typedef struct rc_spmv_csr_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const int32_t *late; /**< [lates] slots that CTAs take, one each, before the others */
    int32_t lates;
    int32_t slots;
} rc_spmv_csr_args_t;

/** \param[in] lanes  1 to 32, a power of two  \param[in] wide  1: ptr is int64_t */
const void *rc_spmv_csr_entry(rc_precision_t precision, int wide, int lanes);

#ifdef __cplusplus
}
#endif
#endif
