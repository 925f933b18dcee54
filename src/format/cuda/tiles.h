/** \file format/cuda/tiles.h  The cut of format/aspt.h without a second round, made on a GPU from a
 *  matrix that is there: every array is that of the host, byte for byte.
 *
 *  Entries are sorted by panel and column, which counts the columns of a panel; the dense ones are
 *  sorted by panel and count, and those that are kept get their places.  The entries of tiles are
 *  sorted by group, tile and column; the others keep their order.  Sorting is stable, and no sum
 *  depends on who is first. */
#ifndef RC_FORMAT_CUDA_TILES_H
#define RC_FORMAT_CUDA_TILES_H

#include "format/aspt.h"
#include "format/cuda/keep.h"
#include "format/cuda/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of a cut before (rc_aspt_size_t), and where it goes: device memory. */
typedef struct rc_build_tiles {
    rc_tile_rule_t rule;
    int64_t width;  /**< columns of the matrix */
    int64_t panels; /**< that have tiles */
    int64_t cols;   /**< dense columns */
    int64_t nnz_dense;
    int64_t rows;    /**< of a group: 1 to RC_TILE_GROUP_MAX */
    int64_t ptrs;    /**< pairs of a group and a tile */
    int64_t columns; /**< of tiles, what rows of a group share once */
    int64_t longs;
    int64_t pieces;
    int apart;          /**< 1: the sparse part of panels with tiles is multiplied by itself, too */
    const int32_t *row; /**< [slots] row of C; NULL: slot s is row s */
    rc_tile_panel_t *panel; /**< [panels] */
    int32_t *ptr;           /**< [ptrs + 1] */
    int32_t *tile_col;      /**< [cols] */
    uint16_t *col;          /**< [columns] */
    void *entry;            /**< [columns * rows] places, zeroed before */
    int32_t *rest_ptr;      /**< [slots + 1] */
    int32_t *rest_col;
    void *rest_entry;
    int32_t *rest_row;       /**< [slots] row of C of a row of the sparse part that is multiplied by
                            itself, or -1 */
    int32_t *has_rest;       /**< [1] zeroed before: 1 when there is such a row */
    rc_long_row_t *long_row; /**< [longs], as the next two of rc_aspt_pieces_t */
    int32_t *piece_ptr;      /**< [pieces + longs + 1] */
    int32_t *piece;          /**< [pieces + longs] */
} rc_build_tiles_t;

/** Entries that a cut can have here. */
enum { RC_BUILD_TILES_MOST = 0x7f7f7f7e };

/** Cut, asked for on the stream.
 *  \param[in] c  with entries, at most RC_BUILD_TILES_MOST
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Scratch: 44 bytes an entry, 16 a panel, and what sorting
 *  takes. */
rc_status_t rc_build_tiles(rc_build_csr_t *c, const rc_build_tiles_t *out, rc_err_t *err);

/** The tiles of a cut but for their values, and the columns of the sparse part, in memory: copies,
 *  or room without a cut.
 *  \param[in,out] cut  its pointers are narrowed; zeroed: none
 *  \param[in,out] out  has sizes; `ptr` is of 8 bytes where slots are wide */
void rc_cuda_tiles_arrays(rc_keeping_t *k, rc_aspt_cut_t *cut, rc_build_tiles_t *out);

/** Cut the matrix of a problem into the memory of a state, with values, those of tiles first: on
 *  the device where it is there already and has no second round, else on the host.
 *  \param[in,out] out  has sizes, `apart` and `row`; gets arrays but for has_rest; pointers are of
 *                      8 bytes where slots are wide
 *  \param[out] has_rest  1: rows of the sparse part are multiplied by themselves
 *  \return RC_OK, RC_ENOTSUP, RC_ENOMEM, RC_EDEVICE.  Cost as of rc_aspt_cut. */
rc_status_t rc_cuda_tiles_keep(rc_keeping_t *k, rc_build_tiles_t *out, int *has_rest);

#ifdef __cplusplus
}
#endif
#endif
