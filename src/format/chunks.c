#include "config.h"
#include "format/chunks.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/items.h"
#include "format/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the rows before this one took; chunks from the beginning of the segment. */
typedef struct cursor {
    int64_t chunk;
    int64_t parts;
    int64_t longs;
    int64_t meet; /* rows of more than one chunk */
} cursor_t;

static int64_t up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* Chunks of a row, after moving the cursor to where it begins. */
static int64_t place(cursor_t *at, int64_t length, int64_t entries)
{
    int64_t chunks = length > 0 ? up(length, entries) / entries : 1;
    int64_t room = RC_CHUNKS_BLOCK - at->chunk % RC_CHUNKS_BLOCK;
    if (chunks > room)
        at->chunk = up(at->chunk, RC_CHUNKS_BLOCK);
    return chunks;
}

/* Past a row that begins at the cursor. */
static void pass(cursor_t *at, int64_t chunks)
{
    at->chunk += chunks;
    at->meet += chunks > 1;
    if (chunks > RC_CHUNKS_BLOCK) {
        at->parts += up(chunks, RC_CHUNKS_BLOCK) / RC_CHUNKS_BLOCK;
        at->longs++;
    }
}

static int64_t segments_of(const rc_items_t *items)
{
    return up(items->count, RC_CHUNKS_SEGMENT) / RC_CHUNKS_SEGMENT;
}

static int64_t segment_end(const rc_items_t *items, int64_t segment)
{
    int64_t end = (segment + 1) * RC_CHUNKS_SEGMENT;
    return end < items->count ? end : items->count;
}

/* What the rows of a segment take, in whole blocks. */
static cursor_t segment_size(const rc_items_t *items, int64_t segment, int64_t entries)
{
    cursor_t at = {0, 0, 0, 0};
    for (int64_t i = segment * RC_CHUNKS_SEGMENT; i < segment_end(items, segment); i++) {
        rc_item_t it = rc_item_at(items, i);
        if (it.row >= 0)
            pass(&at, place(&at, it.length, entries));
    }
    at.chunk = up(at.chunk, RC_CHUNKS_BLOCK);
    return at;
}

int64_t rc_chunks_col_bytes(const rc_csr_t *a)
{
    return a->cols <= RC_CHUNKS_NARROW_COLS ? RC_CHUNKS_NARROW_BYTES : (int64_t)sizeof(int32_t);
}

rc_chunks_rows_t rc_chunks_rows_of(const rc_csr_t *a)
{
    rc_chunks_rows_t n = {0};
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t length = a->row_ptr[r + 1] - a->row_ptr[r];
        n.filled += length > 0;
        for (int i = 0; i < RC_CHUNKS_CHOICES; i++)
            n.chunks[i] += rc_chunks_of_row(length, i);
    }
    return n;
}

int64_t rc_chunks_entries(int64_t nnz, const rc_chunks_rows_t *n)
{
    double mean = n->filled ? (double)nnz / (double)n->filled : 0;
    int64_t entries = mean < 5 ? 4 : mean < 14 ? 8 : 16;
    /* rows of up to twice the mean should lie within a block */
    while (entries < RC_CHUNKS_ENTRIES_MAX && 2 * mean > (double)(entries * RC_CHUNKS_BLOCK))
        entries *= 2;
    return entries;
}

int64_t rc_chunks_entries_large(const rc_chunks_rows_t *n)
{
    enum { extra = 16 };
    int64_t best = RC_CHUNKS_ENTRIES_MIN;
    int64_t least = INT64_MAX;
    for (int i = 0; i < RC_CHUNKS_CHOICES; i++) {
        int64_t entries = (int64_t)RC_CHUNKS_ENTRIES_MIN << i;
        int64_t cost = n->chunks[i] * (entries + extra);
        if (cost < least) {
            least = cost;
            best = entries;
        }
    }
    return best;
}

rc_status_t rc_chunks_check(const rc_chunks_size_t *s, rc_err_t *err)
{
    if (s->blocks <= INT32_MAX / (2 * RC_CHUNKS_BLOCK))
        return RC_OK;
    return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " blocks of %d chunks, at most %d", s->blocks,
        RC_CHUNKS_BLOCK, INT32_MAX / (2 * RC_CHUNKS_BLOCK));
}

rc_status_t rc_chunks_measure(
    const rc_problem_t *p, int64_t entries, rc_chunks_size_t *out, rc_err_t *err)
{
    rc_items_t items;
    rc_chunks_rows_t rows = {0};
    if (!entries)
        rows = rc_chunks_rows_of(p->a);
    rc_chunks_size_t s = {.entries = entries ? entries : rc_chunks_entries(p->a->nnz, &rows),
        .col_bytes = rc_chunks_col_bytes(p->a)};
    rc_status_t st = rc_items_new(p, &items, err);
    for (int64_t i = 0; st == RC_OK && i < segments_of(&items); i++) {
        cursor_t add = segment_size(&items, i, s.entries);
        s.blocks += add.chunk / RC_CHUNKS_BLOCK;
        s.parts += add.parts;
        s.longs += add.longs;
        s.meet += add.meet;
    }
    rc_items_free(&items);
    *out = s;
    return st < 0 ? st : rc_chunks_check(&s, err);
}

int64_t rc_chunks_bytes(const rc_chunks_size_t *s, rc_precision_t precision)
{
    int64_t chunks = s->blocks * RC_CHUNKS_BLOCK;
    int64_t entry = s->col_bytes + (int64_t)rc_precision_bytes(precision);
    int64_t chunk = s->entries * entry + (int64_t)(sizeof(int32_t) + sizeof(uint8_t));
    return rc_sat_add(rc_sat_mul(chunks, chunk),
        s->parts * (int64_t)sizeof(int32_t) + s->longs * (int64_t)sizeof(rc_long_row_t));
}

/* ------------------------------------------------------------------- build */

static void put_entries(
    const rc_problem_t *p, const rc_item_t *it, int64_t chunk, int64_t chunks, const rc_chunks_t *c)
{
    size_t col_bytes = (size_t)c->size.col_bytes;
    size_t entry_bytes = (size_t)c->entry_bytes;
    size_t to = (size_t)(chunk * c->size.entries);
    size_t n = (size_t)it->length;
    size_t pad = (size_t)(chunks * c->size.entries) - n;
    char *col = (char *)c->col + to * col_bytes;
    rc_item_copy(p, it, c->size.col_bytes, (int64_t)to, 1, c->col, c->entry);
    for (size_t e = n; e < n + pad; e++)
        if (n % (size_t)c->size.entries == 0)
            memset(col + e * col_bytes, 0, col_bytes);
        else
            memcpy(col + e * col_bytes, col + (n - 1) * col_bytes, col_bytes);
    memset((char *)c->entry + (to + n) * entry_bytes, 0, pad * entry_bytes);
}

/* Whole chunks that belong to no row. */
static void put_padding(const rc_problem_t *p, int64_t from, int64_t to, const rc_chunks_t *c)
{
    static const rc_item_t none = {0, 0, -1};
    for (int64_t i = from; i < to; i++) {
        c->row[i] = -1;
        c->count[i] = RC_CHUNKS_NOTHING;
    }
    if (to > from)
        put_entries(p, &none, from, to - from, c);
}

/* A row longer than a block; the parts begin at the first chunk of their block. */
static void put_parts(
    const rc_item_t *it, const cursor_t *at, int64_t chunk, int64_t chunks, const rc_chunks_t *c)
{
    int64_t parts = up(chunks, RC_CHUNKS_BLOCK) / RC_CHUNKS_BLOCK;
    c->lengthy[at->longs] = (rc_long_row_t){(int32_t)it->row, (int32_t)at->parts, (int32_t)parts};
    for (int64_t i = 0; i < parts; i++) {
        int64_t left = chunks - i * RC_CHUNKS_BLOCK;
        c->row[chunk + i * RC_CHUNKS_BLOCK] = (int32_t)(-2 - (at->parts + i));
        c->count[chunk + i * RC_CHUNKS_BLOCK] =
            (uint8_t)(left < RC_CHUNKS_BLOCK ? left : RC_CHUNKS_BLOCK);
        c->of[at->parts + i] = (int32_t)at->longs;
    }
}

static void put_segment(
    const rc_items_t *items, int64_t segment, const cursor_t *begin, const rc_chunks_t *c)
{
    cursor_t at = {0, begin->parts, begin->longs, 0};
    int64_t end = 0; /* of what is written */
    for (int64_t i = segment * RC_CHUNKS_SEGMENT; i < segment_end(items, segment); i++) {
        rc_item_t it = rc_item_at(items, i);
        if (it.row < 0)
            continue;
        int64_t chunks = place(&at, it.length, c->size.entries);
        int64_t chunk = begin->chunk + at.chunk;
        put_padding(items->p, begin->chunk + end, chunk, c);
        put_entries(items->p, &it, chunk, chunks, c);
        for (int64_t k = 0; k < chunks; k++) {
            c->row[chunk + k] = k == 0 ? (int32_t)it.row : -1;
            c->count[chunk + k] = (uint8_t)(k == 0 && chunks <= RC_CHUNKS_BLOCK ? chunks : 0);
        }
        if (it.length == 0)
            c->count[chunk] |= RC_CHUNKS_NOTHING;
        if (chunks > RC_CHUNKS_BLOCK)
            put_parts(&it, &at, chunk, chunks, c);
        pass(&at, chunks);
        end = at.chunk;
    }
    put_padding(items->p, begin->chunk + end, begin->chunk + up(end, RC_CHUNKS_BLOCK), c);
}

static rc_status_t alloc_arrays(const rc_problem_t *p, rc_chunks_t *c, rc_err_t *err)
{
    size_t chunks = (size_t)c->size.blocks * RC_CHUNKS_BLOCK;
    size_t stored = chunks * (size_t)c->size.entries;
    c->col = rc_alloc(stored, (size_t)c->size.col_bytes, "columns of chunks", err);
    c->entry_bytes = rc_places_bytes(p->a);
    c->entry = rc_alloc(stored, (size_t)c->entry_bytes, "places of chunks", err);
    c->row = rc_alloc(chunks, sizeof *c->row, "rows of chunks", err);
    c->count = rc_alloc(chunks, sizeof *c->count, "counts of chunks", err);
    c->of = rc_alloc((size_t)c->size.parts, sizeof *c->of, "parts of long rows", err);
    c->lengthy = rc_alloc((size_t)c->size.longs, sizeof *c->lengthy, "long rows", err);
    return c->col && c->entry && c->row && c->count && c->of && c->lengthy ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_chunks_build(const rc_problem_t *p, const rc_chunks_size_t *size, int threads,
    rc_chunks_t *out, rc_err_t *err)
{
    rc_items_t items;
    rc_chunks_t c = {.size = *size};
    cursor_t *begin = NULL;
    rc_status_t st = rc_items_new(p, &items, err);
    if (st < 0)
        goto done;
    int64_t segments = segments_of(&items);
    begin = rc_alloc((size_t)segments + 1, sizeof *begin, "segments of chunks", err);
    RC_TRY(begin ? alloc_arrays(p, &c, err) : RC_ENOMEM);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < segments; i++)
        begin[i + 1] = segment_size(&items, i, size->entries);
    begin[0] = (cursor_t){0, 0, 0, 0};
    for (int64_t i = 0; i < segments; i++) {
        begin[i + 1].chunk += begin[i].chunk;
        begin[i + 1].parts += begin[i].parts;
        begin[i + 1].longs += begin[i].longs;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < segments; i++)
        put_segment(&items, i, &begin[i], &c);
    *out = c;
done:
    free(begin);
    rc_items_free(&items);
    if (st < 0)
        rc_chunks_free(&c);
    return st;
}

void rc_chunks_free(rc_chunks_t *c)
{
    free(c->col);
    free(c->entry);
    free(c->row);
    free(c->count);
    free(c->of);
    free(c->lengthy);
    *c = (rc_chunks_t){0};
}

/* ----------------------------------------------------------------- sectors */

static int64_t column_of(const rc_chunks_t *c, int64_t at)
{
    return c->size.col_bytes == 2 ? ((const uint16_t *)c->col)[at] : ((const int32_t *)c->col)[at];
}

/* Distinct sectors among entry e of the chunks from `first` on. */
static int distinct(const rc_chunks_t *c, int64_t first, int64_t e, int64_t values)
{
    int64_t seen[RC_CHUNKS_WARP];
    int n = 0;
    for (int64_t i = first; i < first + RC_CHUNKS_WARP; i++) {
        int64_t at = i * c->size.entries + e;
        if (c->count[i] & RC_CHUNKS_NOTHING)
            continue;
        if (e > 0 && column_of(c, at) == column_of(c, at - 1)) /* padding */
            continue;
        int64_t sector = column_of(c, at) / values;
        int k = n - 1;
        while (k >= 0 && seen[k] != sector)
            k--;
        if (k < 0)
            seen[n++] = sector;
    }
    return n;
}

double rc_chunks_sectors(const rc_chunks_t *c, int64_t values)
{
    int64_t warps = c->size.blocks * RC_CHUNKS_BLOCK / RC_CHUNKS_WARP;
    int64_t step = warps > RC_CHUNKS_SAMPLE ? warps / RC_CHUNKS_SAMPLE : 1;
    int64_t looked = 0;
    int64_t sectors = 0;
    for (int64_t i = 0; i < warps; i += step, looked++)
        for (int64_t e = 0; e < c->size.entries; e++)
            sectors += distinct(c, i * RC_CHUNKS_WARP, e, values);
    return looked ? (double)sectors * (double)warps / (double)looked : 0;
}
