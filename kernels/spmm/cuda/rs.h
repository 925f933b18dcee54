/** \file kernels/spmm/cuda/rs.h  Between the host and the device part of rs. */
#ifndef RC_KERNELS_SPMM_CUDA_RS_H
#define RC_KERNELS_SPMM_CUDA_RS_H

#include "device/cuda/scalars.h"
#include "format/cuda/segments.h"
#include "kernels/tuning/rs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_RS_HEAVY_THREADS = 1024, /**< of a CTA: two fill a multiprocessor */
    RC_RS_LIGHT_THREADS = 64
};

/** The two parts of a matrix; pointers are device memory. */
typedef struct rc_rs_parts {
    const rc_rs_panel_t *panel; /**< [panels + 1] */
    const int32_t *seg_row;     /**< [heavy] slots */
    const void *seg_ptr;        /**< [heavy + 1] */
    const void *col;            /**< [nnz_heavy] local, of 2 or 4 bytes */
    const void *val;            /**< [nnz_heavy] */
    const void *light_ptr;      /**< [slots + 1] */
    const int32_t *light_col;   /**< [nnz_light] */
    const void *light_val;      /**< [nnz_light] */
    const int32_t
        *row; /**< [slots] row of A that a slot holds, -1 for a pad; NULL: slot p is row p */
    const uint32_t *dense; /**< bit p: slot p has a heavy segment; NULL: all light rows are added */
    int64_t w;
    int32_t panels; /**< that have heavy segments */
    int32_t slots;
    int32_t cols;
    int ptr_bytes; /**< of a pointer: 4 or 8 */
    int col_bytes; /**< of a local column: 2 or 4 */
} rc_rs_parts_t;

/** Argument of every device function of rs. */
typedef struct rc_rs_args {
    rc_rs_parts_t a;
    const void *b; /**< row-major */
    void *c;       /**< row-major */
    uint32_t ldb;
    uint32_t ldc;
    int32_t k;
    int32_t lanes;   /**< of a slice: a power of two up to 32 */
    int32_t hblocks; /**< CTAs of a panel and slice */
    int32_t slices;  /**< of lanes * steps columns; grid.y strides over them */
    rc_cuda_scalars_t scalars;
} rc_rs_args_t;

/** The device functions; all add to C but those that store light rows without heavy segments.
 *  \param[in] steps  columns per lane: 1, 2, 4
 *  \param[in] full   1: of 32 lanes To be launched with RC_RS_HEAVY_THREADS threads, (panels *
 *          hblocks, slices) CTAs and w * lanes * steps values of shared memory, or
 *          RC_RS_LIGHT_THREADS, (slots * lanes / RC_RS_LIGHT_THREADS, slices) CTAs. */
const void *rc_cuda_rs_heavy(rc_op_t op, rc_precision_t precision, int steps, int full);
const void *rc_cuda_rs_light(rc_op_t op, rc_precision_t precision, int steps, int full);

#ifdef __cplusplus
}
#endif
#endif
