/** \file kernels/cuda/spmv_csrk_split.h  The device functions of csrk-split. */
#ifndef RC_KERNELS_CUDA_SPMV_CSRK_SPLIT_H
#define RC_KERNELS_CUDA_SPMV_CSRK_SPLIT_H

#include "kernels/cuda/spmv_csrk.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The first `shares` CTAs take the entries of rows that are apart, the others super-super-rows. */
typedef struct rc_spmv_csrk_split_args {
    rc_spmv_csrk_args_t csrk; /**< with its vectors; slots that are apart have no entries there */
    rc_spmv_coo_args_t coo;
    const uint32_t *apart; /**< bits of slots; NULL: none is */
    rc_csrk_shape_t shape;
    int32_t shares;
} rc_spmv_csrk_split_args_t;

/** \param[in] wide, lanes  as rc_spmv_csrk_entry */
const void *rc_spmv_csrk_split_entry(rc_precision_t precision, int wide, int32_t lanes);

#ifdef __cplusplus
}
#endif
#endif
