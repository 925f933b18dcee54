#include "config.h"
#include "format/sell.h"
#include "base/alloc.h"
#include "format/places.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The row in place k of slice i; an empty one that stores nothing beyond the last. */
static rc_item_t item_of(
    const rc_items_t *items, const rc_sell_shape_t *shape, int64_t i, int64_t k)
{
    int64_t at = i * shape->slice + k;
    return at < items->count ? rc_item_at(items, at) : (rc_item_t){0, 0, -1};
}

/* Entries of the longest row of a slice.  \param[in,out] size  counts the rows kept apart */
static int64_t width_of(
    const rc_items_t *items, const rc_sell_shape_t *shape, int64_t i, rc_sell_size_t *size)
{
    int64_t width = 0;
    for (int64_t k = 0; k < shape->slice; k++) {
        int64_t length = item_of(items, shape, i, k).length;
        if (length > shape->longest) {
            size->longs++;
            size->rest += length;
        } else if (length > width) {
            width = length;
        }
    }
    return width;
}

rc_sell_size_t rc_sell_measure(const rc_items_t *items, const rc_sell_shape_t *shape)
{
    rc_sell_size_t s = {.slices = (items->count + shape->slice - 1) / shape->slice};
    for (int64_t i = 0; i < s.slices; i++)
        s.stored = rc_sat_add(s.stored, rc_sat_mul(width_of(items, shape, i, &s), shape->slice));
    return s;
}

static void fill_slice(const rc_items_t *items, int64_t i, rc_sell_t *s)
{
    int64_t slice = s->shape.slice;
    int64_t first = s->ptr[i];
    int64_t entries = s->ptr[i + 1] - first;
    memset((char *)s->entry + first * s->entry_bytes, 0, (size_t)(entries * s->entry_bytes));
    for (int64_t e = first; e < first + entries; e++)
        if (s->shape.col_bytes == 2)
            ((uint16_t *)s->col)[e] = (uint16_t)s->shape.pad;
        else
            ((int32_t *)s->col)[e] = (int32_t)s->shape.pad;
    for (int64_t k = 0; k < slice; k++) {
        rc_item_t it = item_of(items, &s->shape, i, k);
        int apart = it.length > s->shape.longest;
        s->row[i * slice + k] = apart ? -1 : (int32_t)it.row;
        if (!apart)
            rc_item_copy(items->p, &it, s->shape.col_bytes, first + k, slice, s->col, s->entry);
    }
}

static void fill_longs(const rc_items_t *items, rc_sell_t *s)
{
    int64_t n = 0;
    s->long_ptr[0] = s->size.stored;
    for (int64_t i = 0; i < items->count && n < s->size.longs; i++) {
        rc_item_t it = rc_item_at(items, i);
        if (it.length <= s->shape.longest)
            continue;
        int64_t first = s->long_ptr[n];
        s->long_row[n] = (int32_t)it.row;
        rc_item_copy(items->p, &it, s->shape.col_bytes, first, 1, s->col, s->entry);
        s->long_ptr[++n] = first + it.length;
    }
}

static rc_status_t alloc_arrays(rc_sell_t *s, rc_err_t *err)
{
    size_t entries = (size_t)(s->size.stored + s->size.rest);
    size_t rows = (size_t)(s->size.slices * s->shape.slice);
    size_t longs = (size_t)s->size.longs;
    s->ptr = rc_alloc((size_t)s->size.slices + 1, sizeof *s->ptr, "slice pointers", err);
    s->col = rc_alloc(entries, (size_t)s->shape.col_bytes, "columns of slices", err);
    s->entry = rc_alloc(entries, (size_t)s->entry_bytes, "places of slices", err);
    s->row = rc_alloc(rows, sizeof *s->row, "rows of slices", err);
    s->long_ptr = rc_alloc(longs + 1, sizeof *s->long_ptr, "pointers of long rows", err);
    s->long_row = rc_alloc(longs, sizeof *s->long_row, "long rows", err);
    return s->ptr && s->col && s->entry && s->row && s->long_ptr && s->long_row ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_sell_build(const rc_items_t *items, const rc_sell_shape_t *shape,
    const rc_sell_size_t *size, int threads, rc_sell_t *out, rc_err_t *err)
{
    rc_sell_t s = {.shape = *shape, .size = *size, .entry_bytes = rc_places_bytes(items->p->a)};
    rc_sell_size_t count = {0};
    if (alloc_arrays(&s, err) < 0) {
        rc_sell_free(&s);
        return RC_ENOMEM;
    }
    s.ptr[0] = 0;
    for (int64_t i = 0; i < size->slices; i++)
        s.ptr[i + 1] = s.ptr[i] + width_of(items, shape, i, &count) * shape->slice;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t i = 0; i < size->slices; i++)
        fill_slice(items, i, &s);
    fill_longs(items, &s);
    *out = s;
    return RC_OK;
}

void rc_sell_free(rc_sell_t *s)
{
    free(s->ptr);
    free(s->col);
    free(s->entry);
    free(s->row);
    free(s->long_ptr);
    free(s->long_row);
    *s = (rc_sell_t){0};
}
