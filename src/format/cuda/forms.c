#include "config.h"
#include "format/cuda/forms.h"
#include "base/error.h"
#include "base/type.h"
#include "format/cuda/parts.h"
#include "format/items.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------- builds, long rows */

rc_status_t rc_build_begin(const rc_problem_t *p, rc_build_t *out, rc_err_t *err)
{
    const rc_resident_t *r = p->resident;
    rc_items_t items = {0};
    void *to;
    rc_status_t st;
    *out = (rc_build_t){.x = r->x, .memory = {.x = r->x}};
    RC_TRY(rc_items_new(p, &items, err));
    out->items = (rc_build_items_t){.row_ptr = r->row_ptr,
        .col_idx = r->col_idx,
        .row_ptr_bytes = r->row_ptr_bytes,
        .original = p->c_order == RC_C_ORIGINAL,
        .slots = p->schedule->slots,
        .count = items.count};
    if (!p->identity) {
        const rc_schedule_t *s = p->schedule;
        const size_t bytes = (size_t)s->slots * sizeof *s->row;
        if (!p->rows_there)
            RC_TRY(rc_memory_keep(&out->memory, s->row, bytes, &to, err));
        out->items.slot = p->rows_there ? p->rows_there : to;
        RC_TRY(rc_memory_keep(
            &out->memory, items.absent, (size_t)items.absents * sizeof *items.absent, &to, err));
        out->items.absent = to;
    }
    out->nnz = p->a->nnz;
    out->segments = (items.count + RC_CHUNKS_SEGMENT - 1) / RC_CHUNKS_SEGMENT;
    RC_TRY(rc_memory_room(&out->memory,
        ((size_t)out->segments + 1) * RC_BUILD_TOTALS * sizeof *out->total, &to, err));
    out->total = to;
done:
    rc_items_free(&items);
    return st;
}

void rc_build_end(rc_build_t *b)
{
    rc_memory_free(&b->cuts.memory);
    rc_memory_free(&b->memory);
    *b = (rc_build_t){0};
}

rc_status_t rc_build_totals(
    rc_build_t *b, const int64_t *total, int64_t segments, int64_t *out, rc_err_t *err)
{
    const int64_t *last = total + segments * RC_BUILD_TOTALS;
    return b->x->download(b->x, out, last, RC_BUILD_TOTALS * sizeof *out, err);
}

rc_status_t rc_cuda_parts_sums(rc_memory_t *m, int64_t parts, int64_t longs, int64_t k,
    rc_precision_t precision, rc_cuda_parts_t *out, rc_err_t *err)
{
    size_t columns = (size_t)k;
    void *to;
    RC_PASS(rc_memory_keep(
        m, NULL, (size_t)parts * columns * rc_sum_bytes(precision), &out->partial, err));
    RC_PASS(rc_memory_keep(m, NULL, (size_t)longs * columns * sizeof *out->arrived, &to, err));
    out->arrived = to;
    return RC_OK;
}

int64_t rc_cuda_parts_bytes(int64_t parts, int64_t longs)
{
    return parts * (int64_t)sizeof(int32_t) + longs * (int64_t)sizeof(rc_long_row_t);
}

int64_t rc_cuda_parts_column_bytes(int64_t parts, int64_t longs, rc_precision_t precision)
{
    return parts * (int64_t)rc_sum_bytes(precision) + longs * (int64_t)sizeof(int32_t);
}

/* ------------------------------------------------------------------ chunks */

/* Copies of the arrays of `from`, or room where it has none, for `c`. */
static void keep_chunks(rc_keeping_t *k, const rc_chunks_t *from, rc_chunks_t *c)
{
    const rc_chunks_size_t *n = &c->size;
    size_t chunks = (size_t)n->blocks * RC_CHUNKS_BLOCK;
    size_t stored = chunks * (size_t)n->entries;
    c->col = rc_keep_array(k, from->col, stored, (size_t)n->col_bytes);
    c->entry = rc_keep_values(k, from->entry, (int64_t)stored);
    c->entry_bytes = k->places.bytes;
    c->row = rc_keep_array(k, from->row, chunks, sizeof *c->row);
    c->count = rc_keep_array(k, from->count, chunks, sizeof *c->count);
    c->of = rc_keep_array(k, from->of, (size_t)n->parts, sizeof *c->of);
    c->lengthy = rc_keep_array(k, from->lengthy, (size_t)n->longs, sizeof *c->lengthy);
}

static void chunks_there(rc_keeping_t *k, int64_t values, rc_chunks_t *c, double *sectors)
{
    const rc_chunks_t none = {.size = c->size};
    rc_build_t b;
    k->st = rc_build_begin(k->p, &b, k->err);
    keep_chunks(k, &none, c);
    if (k->st == RC_OK)
        k->st = rc_build_chunks(&b, c, k->err);
    if (k->st == RC_OK && values > 0)
        k->st = rc_build_chunks_sectors(&b, c, values, sectors, k->err);
    rc_build_end(&b);
}

rc_status_t rc_cuda_chunks_keep(rc_keeping_t *k, int64_t values, rc_chunks_t *c, double *sectors)
{
    rc_chunks_t host = {.size = c->size};
    if (k->p->resident)
        chunks_there(k, values, c, sectors);
    else {
        k->st = rc_chunks_build(k->p, &c->size, k->m->x->threads, &host, k->err);
        if (k->st < 0)
            return k->st;
        if (values > 0)
            *sectors = rc_chunks_sectors(&host, values);
        keep_chunks(k, &host, c);
    }
    (void)rc_keep_end(k);
    rc_chunks_free(&host);
    return k->st;
}

/* ------------------------------------------------------------------- tiles */

static void keep_mma(rc_keeping_t *k, const rc_mma_t *from, rc_mma_t *c)
{
    *c = (rc_mma_t){.panels = from->panels, .tiles = from->tiles};
    c->ptr = rc_keep_array(k, from->ptr, (size_t)c->panels + 1, sizeof *c->ptr);
    c->col = rc_keep_array(k, from->col, (size_t)c->tiles * RC_MMA_COLS, sizeof *c->col);
    c->entry = rc_keep_values(k, from->entry, c->tiles * RC_MMA_PLACES);
    c->entry_bytes = k->places.bytes;
}

rc_status_t rc_cuda_mma_keep(rc_keeping_t *k, rc_mma_t *c)
{
    rc_mma_t host = {0};
    rc_build_t b = {0};
    if (k->p->resident) {
        host.panels = rc_mma_panels(k->p);
        k->st = rc_build_begin(k->p, &b, k->err);
        if (k->st == RC_OK)
            k->st = rc_build_mma_measure(&b, &host.tiles, k->err);
    } else
        k->st = rc_mma_build(k->p, k->m->x->threads, &host, k->err);
    keep_mma(k, &host, c);
    if (k->st == RC_OK && k->p->resident)
        k->st = rc_build_mma(&b, c, k->err);
    (void)rc_keep_end(k);
    rc_build_end(&b);
    rc_mma_free(&host);
    return k->st;
}

/* ------------------------------------------------------------------ panels */

static void keep_panels(rc_keeping_t *k, const rc_panels_t *from, rc_panels_t *c)
{
    const rc_panels_size_t *n = &c->size;
    size_t columns = (size_t)n->batches * RC_PANELS_BATCH;
    c->piece = rc_keep_array(k, from->piece, (size_t)n->pieces, sizeof *c->piece);
    c->col = rc_keep_array(k, from->col, columns, (size_t)c->shape.col_bytes);
    c->entry = rc_keep_values(k, from->entry, (int64_t)columns * c->shape.rows);
    c->entry_bytes = k->places.bytes;
    /* without pieces the one place stays 0 */
    c->place = rc_keep_zeros(k, from->place, (size_t)c->places + 1, sizeof *c->place);
    c->of = rc_keep_array(k, from->of, (size_t)n->parts, sizeof *c->of);
    c->lengthy = rc_keep_array(k, from->lengthy, (size_t)n->longs, sizeof *c->lengthy);
}

rc_status_t rc_cuda_panels_keep(rc_keeping_t *k, rc_panels_t *c)
{
    rc_panels_t host = {.size = c->size};
    rc_items_t items = {0};
    rc_build_t b = {0};
    const rc_panels_shape_t shape = c->shape;
    k->st = k->p->resident ? rc_build_begin(k->p, &b, k->err) : rc_items_new(k->p, &items, k->err);
    if (k->st == RC_OK && !k->p->resident)
        k->st = rc_panels_build(&items, &shape, &c->size, k->m->x->threads, &host, k->err);
    keep_panels(k, &host, c);
    if (k->st == RC_OK && k->p->resident)
        k->st = rc_build_panels(&b, c, k->err);
    (void)rc_keep_end(k);
    rc_build_end(&b);
    rc_panels_free(&host);
    rc_items_free(&items);
    return k->st;
}

/* ------------------------------------------------------------------ stages */

static void keep_stages(rc_keeping_t *k, const rc_stages_t *from, rc_stages_t *c)
{
    const rc_stages_size_t *n = &from->size;
    size_t blocks = (size_t)n->blocks;
    c->size = *n;
    c->block = rc_keep_array(k, from->block, blocks, sizeof *c->block);
    c->line = rc_keep_array(k, from->line, blocks * (size_t)n->most, sizeof *c->line);
    c->unit = rc_keep_array(k, from->unit, (size_t)n->units, RC_STAGES_UNIT);
    c->entry = rc_keep_values(k, from->entry, n->batches * RC_STAGES_BATCH * c->shape.rows);
    c->entry_bytes = k->places.bytes;
    c->of = rc_keep_array(k, from->of, (size_t)n->parts, sizeof *c->of);
    c->lengthy = rc_keep_array(k, from->lengthy, (size_t)n->longs, sizeof *c->lengthy);
}

/* Blocks that were cut, and what for. */
typedef struct rc_stages_left {
    rc_build_t build;
    rc_problem_t p;
    rc_stages_shape_t shape;
    rc_stages_size_t size;
} rc_stages_left_t;

static void drop_left(void *left)
{
    rc_build_end(&((rc_stages_left_t *)left)->build);
    free(left);
}

void rc_cuda_stages_leave(const rc_problem_t *p, rc_build_t *b, const rc_stages_shape_t *shape,
    const rc_stages_size_t *size)
{
    rc_stages_left_t *left = p->handover ? malloc(sizeof *left) : NULL;
    if (!left) /* they are cut again */
        return;
    *left = (rc_stages_left_t){*b, *p, *shape, *size};
    *b = (rc_build_t){0};
    rc_handover_leave(p->handover, left, drop_left);
}

/* 1: of that matrix, whose arrays are where they were, in that order. */
static int is_left_by(const rc_stages_left_t *left, const rc_problem_t *p)
{
    const rc_build_items_t *items = &left->build.items;
    const rc_problem_t *q = &left->p;
    return p->a == q->a && p->resident->row_ptr == items->row_ptr &&
           p->resident->col_idx == items->col_idx && p->schedule == q->schedule &&
           p->rows_there == q->rows_there && p->c_order == q->c_order &&
           p->precision == q->precision;
}

/* The blocks of a problem, which may have been left. */
static rc_status_t measure_stages(const rc_problem_t *p, const rc_stages_shape_t *shape,
    rc_build_t *b, rc_stages_size_t *size, rc_err_t *err)
{
    rc_stages_left_t *left = rc_handover_take(p->handover, drop_left);
    if (left && is_left_by(left, p) && memcmp(&left->shape, shape, sizeof *shape) == 0) {
        *b = left->build;
        *size = left->size;
        free(left);
        return RC_OK;
    }
    if (left)
        drop_left(left);
    RC_PASS(rc_build_begin(p, b, err));
    return rc_build_stages_measure(b, shape, p->precision, size, err);
}

rc_status_t rc_cuda_stages_keep(rc_keeping_t *k, const rc_items_t *items, rc_stages_t *c)
{
    rc_stages_t host = {.shape = c->shape};
    rc_build_t b = {0};
    if (k->p->resident)
        k->st = measure_stages(k->p, &c->shape, &b, &host.size, k->err);
    else
        k->st = rc_stages_build(items, &c->shape, k->m->x->threads, &host, k->err);
    keep_stages(k, &host, c);
    if (k->st == RC_OK && k->p->resident)
        k->st = rc_build_stages(&b, c, k->err);
    (void)rc_keep_end(k);
    rc_build_end(&b);
    rc_stages_free(&host);
    return k->st;
}

/* ------------------------------------------------------------------ slices */

rc_status_t rc_slices_items(
    const rc_problem_t *p, const rc_sell_shape_t *shape, rc_items_t *out, rc_err_t *err)
{
    rc_status_t st = rc_items_new(p, out, err);
    return st == RC_OK ? rc_items_sort(out, RC_GSLICE_GROUP, RC_GSLICE_WINDOW, shape->longest, err)
                       : st;
}

/* Pointers as slices have them: in their units, of 4 bytes, in their own memory. */
static int32_t *in_slices(rc_sell_t *s)
{
    for (int64_t i = 0; s->ptr && i <= s->size.slices; i++)
        s->ptr[i] /= RC_GSLICE_ROWS;
    return s->ptr ? rc_narrow_pointers(s->ptr, s->size.slices + 1) : NULL;
}

static void keep_slices(rc_keeping_t *k, rc_sell_t *from, rc_slices_t *c)
{
    const rc_sell_size_t *n = &c->size;
    size_t entries = (size_t)(n->stored + n->rest);
    size_t longs = (size_t)n->longs;
    c->ptr = rc_keep_array(k, in_slices(from), (size_t)n->slices + 1, sizeof *c->ptr);
    c->col = rc_keep_array(k, from->col, entries, (size_t)c->shape.col_bytes);
    c->entry = rc_keep_values(k, from->entry, (int64_t)entries);
    c->entry_bytes = k->places.bytes;
    c->row = rc_keep_array(k, from->row, (size_t)n->slices * RC_GSLICE_ROWS, sizeof *c->row);
    c->long_ptr = rc_keep_array(k, from->long_ptr, longs + 1, sizeof *c->long_ptr);
    c->long_row = rc_keep_array(k, from->long_row, longs, sizeof *c->long_row);
}

rc_status_t rc_cuda_slices_keep(rc_keeping_t *k, rc_slices_t *c)
{
    rc_sell_t host = {0};
    rc_items_t items = {0};
    rc_build_t b = {0};
    const int threads = k->m->x->threads;
    k->st = k->p->resident ? rc_build_begin(k->p, &b, k->err)
                           : rc_slices_items(k->p, &c->shape, &items, k->err);
    if (k->st == RC_OK && !k->p->resident)
        k->st = rc_sell_build(&items, &c->shape, &c->size, threads, &host, k->err);
    if (k->st == RC_OK)
        keep_slices(k, &host, c);
    if (k->st == RC_OK && k->p->resident)
        k->st = rc_build_slices(&b, c, k->err);
    (void)rc_keep_end(k);
    rc_build_end(&b);
    rc_sell_free(&host);
    rc_items_free(&items);
    return k->st;
}
