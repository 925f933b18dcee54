/** \file kernels/sddmm/cuda/aspt_sddmm.h  Between the host and the device part of aspt-sddmm. */
#ifndef RC_KERNELS_SDDMM_CUDA_ASPT_SDDMM_H
#define RC_KERNELS_SDDMM_CUDA_ASPT_SDDMM_H

#include "kernels/spmm/cuda/aspt.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_ASPT_REST_THREADS = 128, /**< of a CTA of the sparse part */
    RC_ASPT_SEGMENT = 64        /**< entries of a row of the sparse part that a warp takes */
};

/** Neighbouring entries of a row of the sparse part. */
typedef struct rc_aspt_segment {
    int64_t begin; /**< entry of the sparse part */
    int32_t count;
    int32_t row; /**< of Y */
} rc_aspt_segment_t;

/** Argument of both device functions; pointers are device memory. */
typedef struct rc_aspt_dots {
    rc_aspt_parts_t a; /**< `row` is that of Y; rest_ptr is NULL */
    /** [nnz] numbers of the entries in the original matrix, tiles first; as wide as pointers */
    const void *entry;
    const rc_aspt_segment_t *segment; /**< [segments] of the sparse part */
    const void *y;                    /**< row-major */
    const void *x;                    /**< row-major */
    void *out;                        /**< [nnz] in original order */
    int64_t nnz_dense;
    int64_t segments;
    uint32_t ldy;
    uint32_t ldx;
    int32_t k;
    int32_t slices; /**< of 32 * steps columns */
    int32_t shares; /**< CTAs among which the rows of a panel are divided */
    rc_cuda_scalars_t scalars;
} rc_aspt_dots_t;

/** The device function of the tiles.  To be launched with RC_ASPT_THREADS threads, panels * shares
 *  CTAs and columns of the widest tile * 32 * steps values of shared memory.
 *  \param[in] steps  columns per lane: 1, 2, 4 */
const void *rc_cuda_aspt_dots_tiles(rc_precision_t precision, int steps);

/** That of the sparse part.  To be launched with RC_ASPT_REST_THREADS threads, a warp for each
 *  segment. */
const void *rc_cuda_aspt_dots_rest(rc_precision_t precision);

#ifdef __cplusplus
}
#endif
#endif
