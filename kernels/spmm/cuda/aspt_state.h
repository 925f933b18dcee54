/** \file kernels/spmm/cuda/aspt_state.h  A matrix that aspt has prepared. */
#ifndef RC_KERNELS_SPMM_CUDA_ASPT_STATE_H
#define RC_KERNELS_SPMM_CUDA_ASPT_STATE_H

#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "format/cuda/tiles.h"
#include "kernels/prepared.h"
#include "kernels/sddmm/cuda/aspt_sddmm.h"
#include "kernels/spmm/cuda/aspt.h"
#include "kernels/spmm/cuda/row_launch.h"

/** Rows for the device functions of growmajor. */
typedef struct rc_aspt_rows {
    rc_rowmajor_args_t args; /**< but for operands */
    rc_row_launch_t launch[RC_CUDA_WIDTHS];
} rc_aspt_rows_t;

typedef struct rc_cuda_aspt {
    rc_prepared_t base;
    rc_aspt_parts_t parts; /**< in the memory */
    int64_t tile_cols;     /**< of the widest tile */
    int steps;             /**< columns per lane at most */
    int has_rest;          /**< 1: `rest` stores rows */
    rc_aspt_rows_t rest; /**< rows of the sparse part that are whole and not taken with the tiles */
    rc_aspt_rows_t pieces;         /**< of long rows, to `piece` */
    const rc_long_row_t *long_row; /**< [longs] of C */
    void *piece;                   /**< [pieces * k] */
    int64_t longs;
    const int32_t *absent; /**< [absents] rows of C without a slot */
    int64_t absents;
} rc_cuda_aspt_t;

/** Device memory of what both kernels have: tiles, values, columns of the sparse part, rows of
 *  the slots. */
int64_t rc_cuda_aspt_tile_bytes(const rc_problem_t *p, const rc_aspt_size_t *n);

/** Parts of a problem whose tiles are there.  \param[in] val  values, those of tiles first */
rc_aspt_parts_t rc_cuda_aspt_parts(const rc_problem_t *p, const rc_build_tiles_t *b, void *val);

/** Let the device functions of the tiles have the shared memory that a tile takes.
 *  \param[in]     tile_cols  columns of the widest tile
 *  \param[in,out] steps      columns per lane: fewer where the tile is too wide
 *  \return RC_OK; RC_ENOTSUP: it has not even room for one step; RC_EDEVICE */
rc_status_t rc_cuda_aspt_allow(
    const rc_executor_t *x, int64_t tile_cols, rc_precision_t precision, int *steps, rc_err_t *err);

/** What an analysis counted (rc_analysis_t.chosen). */
typedef struct rc_aspt_chosen {
    rc_tile_group_size_t groups;
    int64_t panels; /**< as the next three of the tiles */
    int64_t cols;
    int32_t widest;
    int32_t apart; /**< rc_aspt_size_t.apart */
    int64_t nnz_dense;
    int64_t longs;
    int64_t pieces;
} rc_aspt_chosen_t;

#endif
