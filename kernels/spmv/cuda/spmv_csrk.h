/** \file kernels/spmv/cuda/spmv_csrk.h  The GPU kernels of CSR-k: a CTA takes a super-super-row, or
 *  as many super-rows as its block has places for; parts of its block take super-rows, rows and,
 *  but for GPUSpMV-3, entries. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_CSRK_H
#define RC_KERNELS_SPMV_CUDA_SPMV_CSRK_H

#include "kernels/spmv/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_CSRK_THREADS_MAX = 512 };

typedef struct rc_spmv_csrk_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const int32_t *sr_ptr;  /**< [super_rows + 1] into the slots */
    const int32_t *ssr_ptr; /**< [ctas + 1] into the super-rows; NULL: a CTA takes `each` (CSR-2) */
    int32_t super_rows;
    int32_t each;
} rc_spmv_csrk_args_t;

/** What a run of csr2, csr3 or csr35 launches, for tests.  \param[in] state  prepared; borrowed */
const rc_cuda_launch_t *rc_csrk_launched(const void *state);

/** \param[in] wide   1: ptr is int64_t  \param[in] lanes  1, 4, 8 or 16
 *  \param[in] shuffle  1: sums of a row by shuffles, 0: in shared memory, as published */
const void *rc_spmv_csrk_entry(rc_precision_t precision, int wide, int32_t lanes, int shuffle);

#ifdef __cplusplus
}
#endif
#endif
