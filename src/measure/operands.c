#include "config.h"
#include "measure/operands.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/places.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

rc_status_t rc_measure_context_new(rc_device_t *d, rc_measure_context_t **out, rc_err_t *err)
{
    rc_measure_context_t *ctx = rc_alloc0(1, sizeof *ctx, "the context of a measurement", err);
    RC_PASS(ctx ? RC_OK : RC_ENOMEM);
    ctx->d = d;
    ctx->tile = -1;
    *out = ctx;
    return RC_OK;
}

static void drop(rc_measure_context_t *ctx, rc_buffer_t *buffer)
{
    if (buffer->data)
        ctx->d->executor.release(&ctx->d->executor, buffer->data);
    *buffer = (rc_buffer_t){NULL, 0};
}

int rc_operands_resident_drop(rc_measure_context_t *ctx)
{
    int held = ctx->resident_bytes > 0;
    if (held)
        rc_resident_free(&ctx->resident);
    ctx->resident_bytes = 0;
    return held;
}

/* Keep the `count` references that were used last. */
static void forget(rc_measure_context_t *ctx, int count)
{
    while (ctx->kept_count > count)
        rc_reference_free(ctx->kept[--ctx->kept_count]);
    ctx->ref = ctx->kept_count > 0 ? ctx->kept[0] : NULL;
}

static void drop_transposed(rc_measure_context_t *ctx)
{
    rc_csr_free(&ctx->transposed);
    free(ctx->transposed_parts);
    ctx->transposed_parts = NULL;
    ctx->transposed_of = (rc_digest_t){0, 0};
}

void rc_measure_context_free(rc_measure_context_t *ctx)
{
    if (!ctx)
        return;
    for (int i = 0; i < RC_BUFFERS; i++)
        drop(ctx, &ctx->buffer[i]);
    (void)rc_operands_resident_drop(ctx);
    forget(ctx, 0);
    rc_row_finds_free(&ctx->finds);
    drop_transposed(ctx);
    free(ctx);
}

const rc_verify_spent_t *rc_measure_verify_spent(const rc_measure_context_t *ctx)
{
    return &ctx->spent;
}

static int resident_serves(
    const rc_measure_context_t *ctx, const rc_group_t *g, rc_precision_t type)
{
    return ctx->resident_bytes > 0 && ctx->resident.type == type &&
           rc_digest_is_known_as(g->digest, ctx->resident_of);
}

/* Bytes of the matrix that count in the limit of a group: none where it is small beside that, and
 * its own where it neither cuts a product into tiles that would be whole nor takes much of what
 * tiles have.  -1: there is no room for it. */
static int64_t counted(const rc_group_t *g, int64_t bytes)
{
    enum { beside = 16, part = 4 };
    const rc_operation_t *o = rc_operation_of(g->kernel->kernel->op);
    int64_t limit = g->memory_limit;
    if (bytes <= limit / beside)
        return 0;
    int64_t whole = rc_operation_dense_bytes(
        o, g->a, rc_shape_rows(&o->out, g->a), g->k, g->precision, g->precision);
    whole = rc_sat_add(whole, bytes); /* a prepared matrix takes about as much */
    int tiled = o->tiles && whole > limit;
    return bytes <= limit / part && (tiled || whole <= limit - bytes) ? bytes : -1;
}

const rc_resident_t *rc_operands_resident(
    rc_measure_context_t *ctx, const rc_group_t *g, int64_t *inside)
{
    int64_t bytes = rc_resident_bytes(g->a, g->precision);
    int builds = g->kernel->kernel->builds;
    int64_t share = counted(g, bytes);
    rc_err_t why = {0};
    *inside = 0;
    if (resident_serves(ctx, g, g->precision) && share >= 0 && (builds || share == 0)) {
        *inside = share;
        return builds ? &ctx->resident : NULL;
    }
    (void)rc_operands_resident_drop(ctx);
    if (!builds || share < 0)
        return NULL;
    const rc_gather_t values = {.to_type = g->precision,
        .count = g->a->nnz,
        .from = g->parts && rc_type(g->precision)->parts > 1 ? g->parts : g->a->val,
        .from_type = g->parts && rc_type(g->precision)->parts > 1 ? RC_HOST_COMPLEX : RC_HOST_TYPE};
    if (rc_resident_typed(&ctx->d->executor, g->a, &values, &ctx->resident, &why) < 0) {
        rc_resident_free(&ctx->resident);
        return NULL;
    }
    ctx->resident_bytes = bytes;
    ctx->resident_of = g->digest;
    *inside = share;
    return &ctx->resident;
}

static const rc_operation_t *operation_of(const rc_measure_context_t *ctx)
{
    return rc_operation_of(ctx->g->kernel->kernel->op);
}

int64_t rc_operands_held(const rc_measure_context_t *ctx)
{
    int64_t bytes = 0;
    for (int i = 0; i < RC_BUFFERS; i++)
        bytes += ctx->buffer[i].bytes;
    return bytes;
}

static rc_status_t grow(
    rc_measure_context_t *ctx, rc_buffer_t *buffer, int64_t bytes, rc_err_t *err)
{
    if (buffer->data && buffer->bytes >= bytes)
        return RC_OK;
    drop(ctx, buffer);
    rc_status_t st = ctx->d->executor.alloc(
        &ctx->d->executor, bytes > 0 ? (size_t)bytes : 1, &buffer->data, err);
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

/* Bytes of an operand with so many rows; the widest tile of it. */
static int64_t widest_bytes(const rc_measure_context_t *ctx, const rc_shape_t *shape, int64_t rows)
{
    int64_t values = rc_sat_mul(rows, rc_shape_cols(shape, ctx->tiling.width));
    return rc_sat_mul(values, (int64_t)rc_precision_bytes(ctx->g->precision));
}

/* Memory of earlier groups is kept while there is room for what this one wants beside.
 * \param[in] want  [RC_BUFFERS] */
static void make_room(rc_measure_context_t *ctx, const int64_t *want, int64_t beside)
{
    int64_t room = ctx->g->memory_limit;
    for (int i = 0; i < RC_BUFFERS; i++)
        room -= larger(want[i], ctx->buffer[i].bytes);
    for (int i = 0; i < RC_BUFFERS && beside > room; i++)
        if (want[i] < ctx->buffer[i].bytes)
            drop(ctx, &ctx->buffer[i]);
    /* before the others grow: the peak is what the group needs */
    for (int i = 0; i < RC_BUFFERS; i++)
        if (want[i] > ctx->buffer[i].bytes)
            drop(ctx, &ctx->buffer[i]);
}

rc_status_t rc_operands_begin(rc_measure_context_t *ctx, const rc_group_t *g,
    const rc_measure_config_t *cfg, const rc_tiling_t *tiling, int64_t c_rows, int64_t beside,
    rc_err_t *err)
{
    ctx->g = g;
    ctx->cfg = cfg;
    ctx->tiling = *tiling;
    ctx->tile = -1;
    ctx->ref_fresh = 0;
    const rc_operation_t *o = operation_of(ctx);
    int inputs = rc_operation_inputs(o);
    int64_t want[RC_BUFFERS] = {[RC_BUFFER_OUT] = widest_bytes(ctx, &o->out, c_rows)};
    for (int i = 0; i < inputs; i++)
        want[i] = widest_bytes(ctx, &o->in[i], rc_shape_rows(&o->in[i], g->a));
    make_room(ctx, want, beside);
    for (int i = 0; i < RC_BUFFERS; i++)
        if (i < inputs || i == RC_BUFFER_OUT)
            RC_PASS(grow(ctx, &ctx->buffer[i], want[i], err));
    return RC_OK;
}

/* The memory of a GPU serves nobody else; that of a host holds the next matrix, and what is small
 * there is not worth its page faults. */
void rc_operands_end(rc_measure_context_t *ctx)
{
    enum { keep = 64 * 1024 * 1024 };
    ctx->g = NULL;
    ctx->cfg = NULL;
    if (ctx->d->executor.kind != RC_DEVICE_CPU)
        return;
    for (int i = 0; i < RC_BUFFERS; i++)
        if (ctx->buffer[i].bytes > keep)
            drop(ctx, &ctx->buffer[i]);
}

static rc_dense_t view_of(const rc_measure_context_t *ctx, const rc_buffer_t *buffer,
    const rc_shape_t *shape, rc_layout_t wide, int64_t rows, int64_t tile)
{
    rc_layout_t layout = shape->wide ? wide : RC_COL_MAJOR;
    int64_t cols = rc_shape_cols(shape, rc_tiling_columns(&ctx->tiling, tile).width);
    return (rc_dense_t){
        .data = buffer->data,
        .rows = rows,
        .cols = cols,
        .ld = layout == RC_ROW_MAJOR ? cols : rows,
        .precision = ctx->g->precision,
        .layout = layout,
    };
}

rc_operands_t rc_operands_of(const rc_measure_context_t *ctx, int64_t c_rows, int64_t tile)
{
    const rc_operation_t *o = operation_of(ctx);
    rc_layout_t l = ctx->g->kernel->kernel->layout;
    rc_operands_t list = {
        .out = view_of(ctx, &ctx->buffer[RC_BUFFER_OUT], &o->out, rc_layout_out(l), c_rows, tile)};
    for (int i = 0; i < rc_operation_inputs(o); i++)
        list.in[i] = view_of(ctx, &ctx->buffer[i], &o->in[i], rc_layout_in(l),
            rc_shape_rows(&o->in[i], ctx->g->a), tile);
    return list;
}

rc_status_t rc_operands_fill(rc_measure_context_t *ctx, int64_t tile, rc_err_t *err)
{
    if (ctx->tile == tile)
        return RC_OK;
    const rc_operation_t *o = operation_of(ctx);
    rc_operands_t list = rc_operands_of(ctx, 0, tile);
    rc_columns_t columns = rc_tiling_columns(&ctx->tiling, tile);
    rc_status_t st = RC_OK;
    ctx->tile = -1;
    ctx->ref_fresh = 0;
    for (int i = 0; i < rc_operation_inputs(o) && st == RC_OK; i++)
        st = ctx->d->dense_random(ctx->d, &list.in[i], rc_input_seed(ctx->cfg->seed, i),
            o->in[i].wide ? columns.k : 1, o->in[i].wide ? columns.j0 : 0, err);
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

/* How many references: those of a large matrix take as much as the matrix does, so that the tiles
 * of all its K and orders are multiplied out once and not again for each kernel. */
static int64_t references_kept(const rc_measure_context_t *ctx)
{
    enum { rows_kept = 1 << 23, row_bytes = 16 }; /* 128 MB, or the matrix */
    const rc_csr_t *a = ctx->g->a;
    int64_t rows = rc_shape_rows(&operation_of(ctx)->out, a);
    int64_t most = larger(rows_kept, rc_csr_bytes(a->rows, a->nnz) / row_bytes);
    int64_t fit = rows > 0 ? most / rows : RC_REFERENCES;
    return fit < 1 ? 1 : fit > RC_REFERENCES ? RC_REFERENCES : fit;
}

/* The reference of a symmetric order is that of the matrix whose columns meet the rows of B where
 * the order put them. */
static rc_status_t new_reference(rc_measure_context_t *ctx, const rc_group_t *g,
    const rc_columns_t *columns, const rc_read_t *read, const rc_dense_t *b,
    const rc_schedule_t *order, rc_reference_t **out, rc_err_t *err)
{
    rc_group_t through = *g;
    int32_t *place = NULL;
    if (order->cols > 0) {
        RC_PASS(RC_NEW(place, order->cols, "the places of columns", err));
        for (int64_t p = 0; p < order->cols; p++)
            place[order->col[p]] = (int32_t)p;
    }
    through.place = place;
    rc_status_t st = rc_reference_new(&through, ctx->cfg, read, columns, ctx->d, b, out, err);
    free(place);
    return st;
}

/* Complex values in the order of the transpose. */
static rc_status_t transpose_parts(const rc_group_t *g, void **out, rc_err_t *err)
{
    const rc_problem_t p = {.a = g->a, .val = g->parts, .val_type = RC_HOST_COMPLEX};
    rc_csr_t turned = {0};
    rc_status_t st = rc_places_transpose(&p, &turned, out, err);
    rc_csr_free(&turned);
    return st;
}

/* The matrix of the group as its operation reads it: all references share a transpose. */
static rc_status_t read_matrix(rc_measure_context_t *ctx, rc_read_t *out, rc_err_t *err)
{
    const rc_group_t *g = ctx->g;
    const int is_complex = g->parts && rc_type(g->precision)->parts > 1;
    int transposed = operation_of(ctx)->transposed;
    *out = (rc_read_t){g->a, is_complex ? g->parts : NULL};
    if (!rc_digest_is_known_as(g->digest, ctx->transposed_of))
        drop_transposed(ctx);
    if (!transposed)
        return RC_OK;
    if (ctx->transposed.row_ptr == NULL)
        RC_PASS(rc_csr_transpose(g->a, &ctx->transposed, err));
    if (is_complex && !ctx->transposed_parts)
        RC_PASS(transpose_parts(g, &ctx->transposed_parts, err));
    ctx->transposed_of = g->digest;
    *out = (rc_read_t){&ctx->transposed, is_complex ? ctx->transposed_parts : NULL};
    return RC_OK;
}

/* The reference of a tile that the inputs hold, of those that are kept or computed. */
static rc_status_t find_reference(rc_measure_context_t *ctx, const rc_columns_t *columns,
    const rc_dense_t *b, const rc_schedule_t *order, rc_err_t *err)
{
    int64_t fit = references_kept(ctx);
    rc_group_t g = *ctx->g;
    rc_reference_t *ref = NULL;
    rc_read_t read;
    RC_PASS(read_matrix(ctx, &read, err));
    if (order->cols > 0)
        g.order = rc_digest(order->col, (size_t)order->cols * sizeof *order->col);
    for (int i = 0; i < ctx->kept_count; i++)
        if (rc_reference_serves(ctx->kept[i], &g, ctx->cfg, columns)) {
            put_first(ctx, i, ctx->kept[i]);
            rc_reference_borrow(ctx->ref, &read);
            return RC_OK;
        }
    /* the matrices of a sweep come one after the other */
    if (ctx->kept_count > 0 && !rc_reference_is_of(ctx->kept[0], &g))
        forget(ctx, 0);
    forget(ctx, (int)fit - 1);
    rc_status_t st = new_reference(ctx, &g, columns, &read, b, order, &ref, err);
    if (st == RC_OK)
        put_first(ctx, ctx->kept_count++, ref);
    return st;
}

rc_status_t rc_operands_refer(
    rc_measure_context_t *ctx, int64_t tile, const rc_schedule_t *order, rc_err_t *err)
{
    rc_columns_t columns = rc_tiling_columns(&ctx->tiling, tile);
    rc_status_t st = rc_operands_fill(ctx, tile, err);
    if (st < 0 || (ctx->ref_fresh && order->cols == 0))
        return st;
    rc_operands_t list = rc_operands_of(ctx, 0, tile);
    st = find_reference(ctx, &columns, &list.in[0], order, err);
    ctx->ref_fresh = st == RC_OK && order->cols == 0;
    return st;
}
