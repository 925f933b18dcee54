/** \file measure/tiling.h  The K columns of a product as tiles that fit the memory. */
#ifndef RC_MEASURE_TILING_H
#define RC_MEASURE_TILING_H

#include <stdint.h>

/** Tiles are multiples of so many columns, unless K is smaller. */
enum { RC_TILE_STEP = 32 };

/** Columns [j0, j0 + width) of the k of a product. */
typedef struct rc_columns {
    int64_t k;
    int64_t j0;
    int64_t width;
} rc_columns_t;

/** K columns in `count` tiles of `width` columns each but the last, which has `last`. */
typedef struct rc_tiling {
    int64_t k;
    int64_t width;
    int64_t count;
    int64_t last;
} rc_tiling_t;

/** The fewest tiles of at most `widest` columns, as even as multiples of RC_TILE_STEP allow.
 *  \param[in] k       >= 1
 *  \param[in] widest  >= k: one tile; else at least RC_TILE_STEP, rounded down to a multiple */
rc_tiling_t rc_tiling_of(int64_t k, int64_t widest);

/** The columns of tile i, 0 <= i < count. */
rc_columns_t rc_tiling_columns(const rc_tiling_t *t, int64_t i);

#endif
