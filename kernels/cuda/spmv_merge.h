/** \file kernels/cuda/spmv_merge.h  The device functions of merge. */
#ifndef RC_KERNELS_CUDA_SPMV_MERGE_H
#define RC_KERNELS_CUDA_SPMV_MERGE_H

#include "kernels/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rc_spmv_merge_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const rc_spmv_share_t *share;
    const uint8_t *lanes; /**< [shares] that take a row of it, which are whole; 0: equal parts of the merge */
} rc_spmv_merge_args_t;

/** \param[in] wide  1: ptr is int64_t */
const void *rc_spmv_merge_entry(rc_precision_t precision, int wide);

#ifdef __cplusplus
}
#endif
#endif
