#include "config.h"
#include "measure/operands.h"
#include "base/alloc.h"

#include <stdlib.h>

rc_status_t rc_measure_context_new(rc_device_t *d, rc_measure_context_t **out, rc_err_t *err)
{
    rc_measure_context_t *ctx = rc_alloc0(1, sizeof *ctx, "the context of a measurement", err);
    if (!ctx)
        return RC_ENOMEM;
    ctx->d = d;
    ctx->tile = -1;
    *out = ctx;
    return RC_OK;
}

static void drop(rc_measure_context_t *ctx, rc_buffer_t *buffer)
{
    if (buffer->data)
        ctx->d->release(ctx->d, buffer->data);
    *buffer = (rc_buffer_t){NULL, 0};
}

/* Keep the `count` references that were used last. */
static void forget(rc_measure_context_t *ctx, int count)
{
    while (ctx->kept_count > count)
        rc_reference_free(ctx->kept[--ctx->kept_count]);
    ctx->ref = ctx->kept_count > 0 ? ctx->kept[0] : NULL;
}

void rc_measure_context_free(rc_measure_context_t *ctx)
{
    if (!ctx)
        return;
    drop(ctx, &ctx->b);
    drop(ctx, &ctx->c);
    forget(ctx, 0);
    free(ctx);
}

/* rows * width values; INT64_MAX when that overflows */
static int64_t value_bytes(int64_t rows, int64_t width, rc_precision_t precision)
{
    int64_t line = rows * (int64_t)rc_precision_bytes(precision); /* rows fit 32 bits */
    return line > 0 && width > INT64_MAX / line ? INT64_MAX : line * width;
}

int64_t rc_operands_b_bytes(const rc_group_t *g, int64_t width)
{
    return value_bytes(g->a->cols, width, g->precision);
}

int64_t rc_operands_c_bytes(const rc_group_t *g, int64_t c_rows, int64_t width)
{
    return value_bytes(c_rows, width, g->precision);
}

int64_t rc_operands_held(const rc_measure_context_t *ctx)
{
    return ctx->b.bytes + ctx->c.bytes;
}

static rc_status_t grow(
    rc_measure_context_t *ctx, rc_buffer_t *buffer, int64_t bytes, rc_err_t *err)
{
    if (buffer->data && buffer->bytes >= bytes)
        return RC_OK;
    drop(ctx, buffer);
    rc_status_t st = ctx->d->alloc(ctx->d, bytes > 0 ? (size_t)bytes : 1, &buffer->data, err);
    if (st == RC_OK)
        buffer->bytes = bytes;
    else
        buffer->data = NULL;
    return st;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

rc_status_t rc_operands_begin(rc_measure_context_t *ctx, const rc_group_t *g,
    const rc_measure_config_t *cfg, const rc_tiling_t *tiling, int64_t c_rows, int64_t beside,
    rc_err_t *err)
{
    int64_t b = rc_operands_b_bytes(g, tiling->width);
    int64_t c = rc_operands_c_bytes(g, c_rows, tiling->width);
    ctx->g = g;
    ctx->cfg = cfg;
    ctx->tiling = *tiling;
    ctx->tile = -1;
    ctx->ref_fresh = 0;
    int64_t room = g->memory_limit - larger(b, ctx->b.bytes);
    if (larger(c, ctx->c.bytes) > room || beside > room - larger(c, ctx->c.bytes)) {
        if (b < ctx->b.bytes)
            drop(ctx, &ctx->b);
        if (c < ctx->c.bytes)
            drop(ctx, &ctx->c);
    }
    if (c > ctx->c.bytes)
        drop(ctx, &ctx->c); /* before B grows: the peak is what the group needs */
    rc_status_t st = grow(ctx, &ctx->b, b, err);
    if (st == RC_OK)
        st = grow(ctx, &ctx->c, c, err);
    return st;
}

/* The memory of a GPU serves nobody else; that of a host holds the next matrix, and what is small
 * there is not worth its page faults. */
void rc_operands_end(rc_measure_context_t *ctx)
{
    enum { keep = 64 * 1024 * 1024 };
    ctx->g = NULL;
    ctx->cfg = NULL;
    if (ctx->d->kind != RC_DEVICE_CPU)
        return;
    if (ctx->b.bytes > keep)
        drop(ctx, &ctx->b);
    if (ctx->c.bytes > keep)
        drop(ctx, &ctx->c);
}

rc_dense_t rc_operands_view(
    const rc_measure_context_t *ctx, const rc_buffer_t *buffer, int64_t rows, int64_t tile)
{
    rc_layout_t layout = ctx->g->kernel->kernel->layout;
    int64_t width = rc_tiling_columns(&ctx->tiling, tile).width;
    return (rc_dense_t){
        .data = buffer->data,
        .rows = rows,
        .cols = width,
        .ld = layout == RC_ROW_MAJOR ? width : rows,
        .precision = ctx->g->precision,
        .layout = layout,
    };
}

rc_status_t rc_operands_fill(rc_measure_context_t *ctx, int64_t tile, rc_err_t *err)
{
    if (ctx->tile == tile)
        return RC_OK;
    rc_dense_t b = rc_operands_view(ctx, &ctx->b, ctx->g->a->cols, tile);
    rc_columns_t columns = rc_tiling_columns(&ctx->tiling, tile);
    ctx->tile = -1;
    ctx->ref_fresh = 0;
    rc_status_t st = ctx->d->dense_random(ctx->d, &b, ctx->cfg->seed, columns.k, columns.j0, err);
    if (st == RC_OK)
        ctx->tile = tile;
    return st;
}

static void put_first(rc_measure_context_t *ctx, int from, rc_reference_t *ref)
{
    for (int i = from; i > 0; i--)
        ctx->kept[i] = ctx->kept[i - 1];
    ctx->kept[0] = ref;
    ctx->ref = ref;
}

/* The reference of a tile that B holds, of those that are kept or computed. */
static rc_status_t find_reference(
    rc_measure_context_t *ctx, const rc_columns_t *columns, const rc_dense_t *b, rc_err_t *err)
{
    enum { rows_kept = 1 << 23 }; /* some 200 MB */
    int64_t rows = ctx->g->a->rows;
    int64_t fit = rows > 0 ? rows_kept / rows : RC_REFERENCES;
    rc_reference_t *ref = NULL;
    for (int i = 0; i < ctx->kept_count; i++)
        if (rc_reference_serves(ctx->kept[i], ctx->g, ctx->cfg, columns)) {
            put_first(ctx, i, ctx->kept[i]);
            rc_reference_borrow(ctx->ref, ctx->g->a);
            return RC_OK;
        }
    /* the matrices of a sweep come one after the other */
    if (ctx->kept_count > 0 && !rc_reference_is_of(ctx->kept[0], ctx->g))
        forget(ctx, 0);
    fit = fit < 1 ? 1 : fit > RC_REFERENCES ? RC_REFERENCES : fit;
    forget(ctx, (int)fit - 1);
    rc_status_t st = rc_reference_new(ctx->g, ctx->cfg, columns, ctx->d, b, &ref, err);
    if (st == RC_OK)
        put_first(ctx, ctx->kept_count++, ref);
    return st;
}

rc_status_t rc_operands_refer(rc_measure_context_t *ctx, int64_t tile, rc_err_t *err)
{
    rc_columns_t columns = rc_tiling_columns(&ctx->tiling, tile);
    rc_status_t st = rc_operands_fill(ctx, tile, err);
    if (st < 0 || ctx->ref_fresh)
        return st;
    rc_dense_t b = rc_operands_view(ctx, &ctx->b, ctx->g->a->cols, tile);
    st = find_reference(ctx, &columns, &b, err);
    ctx->ref_fresh = st == RC_OK;
    return st;
}
