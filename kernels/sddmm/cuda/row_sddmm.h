/** \file kernels/sddmm/cuda/row_sddmm.h  Between the host and the device part of row-sddmm. */
#ifndef RC_KERNELS_SDDMM_CUDA_ROW_SDDMM_H
#define RC_KERNELS_SDDMM_CUDA_ROW_SDDMM_H

#include "device/cuda/scalars.h"
#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_ROW_SDDMM_THREADS = 256,  /* of a CTA */
    RC_ROW_SDDMM_LANES_MIN = 4,  /* of a group: as many as it has entries at a time */
    RC_ROW_SDDMM_VECTORS_MAX = 4 /* of Y that a lane holds */
};

/** Neighbouring entries of one row, which a group of lanes takes; one load of 16 bytes. */
typedef struct rc_sddmm_segment {
    int64_t begin; /**< entry of the original matrix */
    int32_t count; /**< of entries, >= 1 */
    int32_t row;
} rc_sddmm_segment_t;

/** Argument of the device functions; pointers are device memory. */
typedef struct rc_row_sddmm_args {
    const rc_sddmm_segment_t *segment; /**< [segments] */
    const int32_t *col;                /**< [nnz], in the order of the original matrix */
    const void *val;                   /**< [nnz], likewise */
    const void *y;                     /**< [rows * ldy], row-major */
    const void *x;                     /**< [cols * ldx], row-major */
    void *out;                         /**< [nnz] */
    int64_t segments;
    int32_t pieces; /**< vectors of a row of Y */
    int32_t tiles;  /**< of lanes * vectors pieces */
    uint32_t ldy;
    uint32_t ldx;
    int32_t lanes; /**< of a group: a power of two from RC_ROW_SDDMM_LANES_MIN up to 32 */
    rc_cuda_scalars_t scalars;
} rc_row_sddmm_args_t;

/** The device function whose lanes hold `vectors` (1, 2, 4) vectors of `width` values; width *
 *  value bytes is at most 16.  NULL: there is none.  To be launched with RC_ROW_SDDMM_THREADS
 *  threads. */
const void *rc_cuda_row_sddmm_entry(rc_precision_t precision, int width, int vectors);

#ifdef __cplusplus
}
#endif
#endif
