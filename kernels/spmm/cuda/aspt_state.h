/** \file kernels/spmm/cuda/aspt_state.h  A matrix that aspt has prepared. */
#ifndef RC_KERNELS_SPMM_CUDA_ASPT_STATE_H
#define RC_KERNELS_SPMM_CUDA_ASPT_STATE_H

#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "kernels/kernel.h"
#include "kernels/sddmm/cuda/aspt_sddmm.h"
#include "kernels/spmm/cuda/aspt.h"
#include "kernels/spmm/cuda/row_launch.h"

/** Rows for the device functions of growmajor. */
typedef struct rc_aspt_rows {
    rc_rowmajor_args_t args; /**< but for operands */
    rc_row_launch_t launch[RC_CUDA_WIDTHS];
} rc_aspt_rows_t;

typedef struct rc_cuda_aspt {
    rc_cuda_memory_t memory;
    rc_precision_t precision;
    rc_aspt_parts_t parts; /**< in the memory */
    int64_t k;
    int64_t cols;          /**< of the matrix */
    int64_t values;        /**< of both parts, zeros of groups included */
    int64_t tile_cols;     /**< of the widest tile */
    int steps;             /**< columns per lane at most */
    int has_rest;          /**< 1: `rest` stores rows */
    rc_aspt_rows_t rest;   /**< rows of the sparse part that are whole and not taken with the tiles */
    rc_aspt_rows_t pieces; /**< of long rows, to `piece` */
    const rc_long_row_t *long_row; /**< [longs] of C */
    void *piece;                   /**< [pieces * k] */
    int64_t longs;
    const int32_t *absent; /**< [absents] rows of C without a slot */
    int64_t absents;
} rc_cuda_aspt_t;

/** Device memory of what both kernels have: tiles, values, columns of the sparse part, rows of the slots. */
int64_t rc_cuda_aspt_tile_bytes(const rc_problem_t *p, const rc_aspt_size_t *n);

/** Parts of a problem without arrays. */
rc_aspt_parts_t rc_cuda_aspt_parts(const rc_problem_t *p);

/** Keep the tiles without their values, and the columns of the sparse part.
 *  \param[in,out] c  the pointers of its tiles are narrowed
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_aspt_keep_tiles(
    rc_cuda_memory_t *m, rc_aspt_cut_t *c, rc_aspt_parts_t *a, rc_err_t *err);

/** Let the device functions of the tiles have the shared memory that a tile takes.  The GPU is the current one.
 *  \param[in]     tile_cols  columns of the widest tile
 *  \param[in,out] steps      columns per lane: fewer where the tile is too wide
 *  \return RC_OK; RC_ENOTSUP: it has not even room for one step; RC_EDEVICE */
rc_status_t rc_cuda_aspt_allow(
    int64_t tile_cols, rc_precision_t precision, int *steps, rc_err_t *err);

/** Device memory of the matrix of a problem. */
int64_t rc_cuda_aspt_bytes(const rc_problem_t *p, const rc_aspt_size_t *n);

/** Numbers of an analysis that a build takes (rc_analysis_t.chosen). */
enum {
    RC_CUDA_ASPT_ROWS, /**< of a group */
    RC_CUDA_ASPT_PTRS, /**< as the next one of the groups */
    RC_CUDA_ASPT_COLUMNS,
    RC_CUDA_ASPT_PANELS, /**< as the next three of the tiles */
    RC_CUDA_ASPT_COLS,
    RC_CUDA_ASPT_WIDEST, /**< and RC_CUDA_ASPT_APART */
    RC_CUDA_ASPT_NNZ_DENSE,
    RC_CUDA_ASPT_LONGS,
    RC_CUDA_ASPT_PIECES
};

enum { RC_CUDA_ASPT_APART = 1 << 20 /**< added to the widest tile, which has fewer columns: rc_aspt_size_t.apart */ };

/** Cut the matrix of a problem: on the GPU where it is there already and has no second round, else on the host.
 *  \param[in]  n  the analysis
 *  \param[out] s  its memory knows the executor; free that after an error too
 *  \return RC_OK, RC_ENOTSUP, RC_ENOMEM, RC_EDEVICE.  Cost as of rc_aspt_cut. */
rc_status_t rc_cuda_aspt_build(
    rc_cuda_aspt_t *s, const rc_problem_t *p, const rc_analysis_t *n, rc_err_t *err);

#endif
