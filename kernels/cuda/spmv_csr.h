/** \file kernels/cuda/spmv_csr.h  The device functions of csr. */
#ifndef RC_KERNELS_CUDA_SPMV_CSR_H
#define RC_KERNELS_CUDA_SPMV_CSR_H

#include "kernels/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Entries of the longest row that a group takes; a CTA takes a longer one. */
#define RC_SPMV_CSR_LONGEST(lanes) ((lanes) < 4 ? 64 : (lanes) < 16 ? 16 * (lanes) : 256)

typedef struct rc_spmv_csr_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const int32_t *late; /**< [lates] slots that CTAs take, one each, before the others */
    int32_t lates;
    const rc_spmv_share_t *share; /**< of the others: whole rows, those that are late left out */
} rc_spmv_csr_args_t;

/** \param[in] lanes  1 to 32, a power of two  \param[in] wide  1: ptr is int64_t */
const void *rc_spmv_csr_entry(rc_precision_t precision, int wide, int lanes);

#ifdef __cplusplus
}
#endif
#endif
