#include "config.h"
#include "measure/tiling.h"

rc_tiling_t rc_tiling_of(int64_t k, int64_t widest)
{
    if (widest >= k)
        return (rc_tiling_t){.k = k, .width = k, .count = 1, .last = k};
    widest -= widest % RC_TILE_STEP;
    int64_t count = k / widest + (k % widest != 0);
    int64_t even = k / count + (k % count != 0);
    int64_t width = (even + RC_TILE_STEP - 1) / RC_TILE_STEP * RC_TILE_STEP;
    /* width <= widest and (count - 1) widest < k, so the last tile has columns */
    return (rc_tiling_t){.k = k, .width = width, .count = count, .last = k - (count - 1) * width};
}

rc_columns_t rc_tiling_columns(const rc_tiling_t *t, int64_t i)
{
    return (rc_columns_t){t->k, i * t->width, i == t->count - 1 ? t->last : t->width};
}
