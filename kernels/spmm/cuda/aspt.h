/** \file kernels/spmm/cuda/aspt.h  Between the host and the device part of aspt. */
#ifndef RC_KERNELS_SPMM_CUDA_ASPT_H
#define RC_KERNELS_SPMM_CUDA_ASPT_H

#include "device/cuda/scalars.h"
#include "format/aspt.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_ASPT_THREADS = 256, /**< of a CTA of the tiles */
    RC_ASPT_SUM_THREADS = 128,
    RC_ASPT_CTAS_PER_SM = 8 /**< that panels are divided for: what a multiprocessor holds, twice */
};

/** The parts of a matrix; pointers are device memory. */
typedef struct rc_aspt_parts {
    const rc_tile_panel_t *panel; /**< [panels] */
    const void *ptr;         /**< [ptrs + 1] see rc_tile_groups_t, of one row rc_tile_parts_t */
    const int32_t *tile_col; /**< [cols] dense columns */
    const uint16_t *col;     /**< [columns] local */
    const void *val;         /**< [columns][rows] */
    const void *rest_ptr;    /**< [slots + 1] */
    const int32_t *rest_col; /**< [nnz_rest] */
    const void *rest_val;    /**< [nnz_rest] */
    const int32_t *row;      /**< [slots] row of C of a slot, -1 for a pad; NULL: slot p is row p */
    int32_t panels;
    int32_t slots;
    int32_t panel_slots; /**< of a panel but the last */
    int32_t tile_cols;
    int rows;      /**< of a group: 1, 4 */
    int ptr_bytes; /**< of a pointer: 4 or 8 */
    /** 1: all of the sparse part is in C before the tiles (rc_aspt_size_t); 0: that of rows in
     *  pieces is, the tiles add the other rows of their panels */
    int apart;
} rc_aspt_parts_t;

/** Argument of the tiles. */
typedef struct rc_aspt_args {
    rc_aspt_parts_t a;
    const void *b; /**< row-major */
    void *c;       /**< row-major */
    uint32_t ldb;
    uint32_t ldc;
    int32_t k;
    int32_t lanes;  /**< of a slice: a power of two up to 32 */
    int32_t slices; /**< of lanes * steps columns; grid.y strides over them */
    int32_t shares; /**< CTAs among which the rows of a panel are divided */
    rc_cuda_scalars_t scalars;
} rc_aspt_args_t;

/** Argument of the sums of pieces. */
typedef struct rc_aspt_sums {
    const rc_long_row_t *row; /**< [grid.x] rows of C */
    const void *piece;        /**< [pieces * k] */
    void *c;                  /**< row-major */
    uint32_t ldc;
    int32_t k;
    rc_cuda_scalars_t scalars;
} rc_aspt_sums_t;

/** The device function of the tiles, for groups of 1 or 4 rows.  To be launched with
 *  RC_ASPT_THREADS threads, (panels * shares, slices) CTAs and columns of the widest tile * lanes *
 *  steps values of shared memory.
 *  \param[in] steps  columns per lane: 1, 2, 4
 *  \param[in] full   1: of 32 lanes */
const void *rc_cuda_aspt_tiles(rc_precision_t precision, int rows, int steps, int full);

/** That of the sums of pieces.  To be launched with RC_ASPT_SUM_THREADS threads, (rows, K over
 *  threads) CTAs. */
const void *rc_cuda_aspt_sums(rc_precision_t precision);

#ifdef __cplusplus
}
#endif
#endif
