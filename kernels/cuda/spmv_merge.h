/** \file kernels/cuda/spmv_merge.h  The device functions of merge. */
#ifndef RC_KERNELS_CUDA_SPMV_MERGE_H
#define RC_KERNELS_CUDA_SPMV_MERGE_H

#include "kernels/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_SPMV_GROUPS = 8,          /**< of RC_SPMV_THREADS, of a CTA that has x in shared memory */
    RC_SPMV_GROUPS_STATIC = 2048 /**< bytes that they have beside, at most */
};

typedef struct rc_spmv_merge_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const rc_spmv_share_t *share;
    const uint8_t *lanes; /**< [shares] that take a row of it, which are whole; 0: equal parts of the merge */
    int32_t shares;
    int32_t near; /**< values from the begin of x that CTAs keep in shared memory; 0: none, a CTA takes one share */
} rc_spmv_merge_args_t;

/** \param[in] wide  1: ptr is int64_t  \param[in] near  1: for CTAs of RC_SPMV_GROUPS rows of threads, with
 *  rc_spmv_merge_room and `near` values of x in dynamic shared memory */
const void *rc_spmv_merge_entry(rc_precision_t precision, int wide, int near);

/** Bytes of shared memory for the tiles of all groups. */
int64_t rc_spmv_merge_room(rc_precision_t precision);

#ifdef __cplusplus
}
#endif
#endif
