/** \file sparse/tile_parts.h  A matrix in two parts: the entries of its dense tiles
 *  (sparse/tiles.h) and the sparse part.  Jiang et al. 2020, section 2.3.  All local.
 *
 *  Entries of tiles are kept panel after panel, in a panel row after row, in a row tile after tile;
 *  in each in the order of the matrix.  Their columns count from the first one of the tile.  The
 *  sparse part is a CSR over all rows. */
#ifndef RC_SPARSE_TILE_PARTS_H
#define RC_SPARSE_TILE_PARTS_H

#include "sparse/segments.h"
#include "sparse/tiles.h"

enum { RC_TILE_COLS_MAX = 65536 }; /**< columns of a tile that 16 bits number */

/** A panel that has tiles. */
typedef struct rc_tile_panel {
    int32_t slot; /**< the first one */
    int32_t ptr;  /**< place in rc_tile_parts_t.ptr of its first row and tile */
    int32_t col;  /**< place of its first dense column in rc_tiles_t.col */
    int32_t cols; /**< dense columns, up to the next multiple of tile_cols in tiles */
} rc_tile_panel_t;

/** What the parts count. */
typedef struct rc_tile_size {
    int64_t panels; /**< that have tiles */
    int64_t ptrs;   /**< pairs of a slot and a tile of its panel */
    int64_t cols;   /**< dense columns, summed over panels */
    int64_t widest; /**< columns of the widest tile */
    int64_t nnz_dense;
    int64_t nnz_rest;
} rc_tile_size_t;

typedef struct rc_tile_parts {
    rc_pool_t pool; /**< of the tiles */
    rc_tile_size_t size;
    int64_t slots;
    int value_bytes;
    rc_tile_panel_t *panel; /**< [panels] */
    int64_t *ptr;           /**< [ptrs + 1] entries before: of slot s of a panel and its tile t at
                             panel.ptr + (s - panel.slot) * tiles + t */
    uint16_t *col;          /**< [nnz_dense] local */
    void *val;              /**< [nnz_dense] */
    int64_t *rest_ptr;      /**< [slots + 1] */
    int32_t *rest_col;      /**< [nnz_rest] */
    void *rest_val;         /**< [nnz_rest] */
} rc_tile_parts_t;

/** Tiles of `cols` dense columns. */
static inline int32_t rc_tiles_of(int32_t cols, int32_t tile_cols)
{
    return cols / tile_cols + (cols % tile_cols != 0);
}

/** Count.
 *  \param[in] t      tiles of the matrix
 *  \param[in] slots  of it
 *  \return RC_OK; RC_ENOTSUP: more pairs, columns or slots than 32 bits number, or tiles wider than
 *          RC_TILE_COLS_MAX.  Cost O(panels). */
rc_status_t rc_tile_measure(
    const rc_tiles_t *t, int64_t slots, int64_t nnz, rc_tile_size_t *out, rc_err_t *err);

/** Cut.
 *  \param[in]  a        rows in slot order, with values
 *  \param[in]  t        tiles of these rows, as they are
 *  \param[in]  threads  >= 1; the result does not depend on it
 *  \param[out] out      free with rc_tile_parts_free
 *  \return RC_OK, RC_ENOTSUP (see rc_tile_measure), RC_ENOMEM.  Cost O(nnz + slots). */
rc_status_t rc_tile_parts_cut(const rc_segments_source_t *a, const rc_tiles_t *t, int threads,
    rc_tile_parts_t *out, rc_err_t *err);

/** Put the rows of the sparse part in another order; the tiles stay.
 *  \param[in] row  [slots] a permutation of the slots
 *  \return RC_OK, RC_ENOMEM: nothing has changed.  Cost O(nnz + slots). */
rc_status_t rc_tile_parts_reorder(rc_tile_parts_t *p, const int32_t *row, rc_err_t *err);

void rc_tile_parts_free(rc_tile_parts_t *p);

/** Slots of panel p. */
static inline int64_t rc_panel_slots(const rc_tiles_t *t, int64_t slots, int64_t p)
{
    int64_t left = slots - p * t->rule.panel;
    return left < t->rule.panel ? left : t->rule.panel;
}

/** A value of 2, 4 or 8 bytes, as it is. */
static inline void rc_tile_move(void *to, int64_t at, const void *from, int64_t e, int bytes)
{
    if (bytes == (int)sizeof(uint32_t))
        ((uint32_t *)to)[at] = ((const uint32_t *)from)[e];
    else if (bytes == (int)sizeof(uint64_t))
        ((uint64_t *)to)[at] = ((const uint64_t *)from)[e];
    else
        ((uint16_t *)to)[at] = ((const uint16_t *)from)[e];
}

#endif
