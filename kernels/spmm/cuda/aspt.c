/* Adaptive sparse tiling on a GPU, without atomics.  Rows of the sparse part that are long are
 * multiplied in pieces, whose sums are added in their order, rows that no tile has by the device
 * functions of growmajor.  Then the tiles: a CTA has all tiles of a panel, one after the other,
 * or those of a share of its rows where panels are few, and with the last one takes the sparse
 * part of its rows, which are stored once where the panel has one tile.  Where the sparse part
 * has an order of its own, or many entries beside tiles, it is multiplied as a whole first, and
 * the tiles add to it.  Rows may be taken in groups of four, which share loads of B. So sums
 * have one order, and the published kernel differs: it has a CTA for each tile, and all parts
 * add to a C of zeros with atomics. */
#include "config.h"
#include "device/cuda/ranges.h"
#include "base/error.h"
#include "device/cuda/scale.h"
#include "format/slots.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/aspt_state.h"
#include "kernels/spmm/cuda/slices.h"

#include <inttypes.h>

static int64_t pointer_bytes(const rc_problem_t *p)
{
    return (int64_t)(rc_cuda_slots_wide(p) ? sizeof(int64_t) : sizeof(int32_t));
}

int64_t rc_cuda_aspt_tile_bytes(const rc_problem_t *p, const rc_aspt_size_t *n)
{
    const rc_tile_size_t *t = &n->tiles;
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t bytes =
        rc_sat_mul(n->groups.columns, (int64_t)sizeof(uint16_t) + n->groups.rows * value);
    bytes = rc_sat_add(bytes, rc_sat_mul(t->nnz_rest, index + value));
    bytes = rc_sat_add(bytes, (n->groups.ptrs + 1) * pointer_bytes(p));
    bytes = rc_sat_add(bytes, t->panels * (int64_t)sizeof(rc_tile_panel_t) + t->cols * index);
    return rc_sat_add(bytes, rc_cuda_rows_bytes(p));
}

static int64_t bytes_of(const rc_problem_t *p, const rc_aspt_size_t *n)
{
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t slots = p->schedule->slots;
    int64_t bytes = rc_cuda_aspt_tile_bytes(p, n);
    bytes = rc_sat_add(bytes, (slots + 1) * pointer_bytes(p));
    bytes = rc_sat_add(bytes, slots * index); /* where rows of the sparse part go */
    if (n->longs > 0)
        bytes = rc_sat_add(bytes, (n->pieces + n->longs) * (pointer_bytes(p) + index) +
                                      pointer_bytes(p) + n->longs * (int64_t)sizeof(rc_long_row_t));
    return bytes;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_aspt_size_t n;
    RC_PASS(rc_aspt_measure(p, 1, 0, &n, err));
    out->bytes = bytes_of(p, &n);
    out->bytes_per_column = n.pieces * (int64_t)rc_precision_bytes(p->precision);
    out->traffic = out->bytes;
    out->stored_rows = rc_stored_rows(p);
    out->fill = p->a->nnz == 0 ? 1
                               : (double)(n.groups.columns * n.groups.rows + n.tiles.nnz_rest) /
                                     (double)p->a->nnz;
    const rc_aspt_chosen_t chosen = {.groups = n.groups,
        .panels = n.tiles.panels,
        .cols = n.tiles.cols,
        .widest = (int32_t)n.tiles.widest,
        .apart = n.apart,
        .nnz_dense = n.tiles.nnz_dense,
        .longs = n.longs,
        .pieces = n.pieces};
    RC_CHOSE(out, chosen);
    return RC_OK;
}

rc_aspt_parts_t rc_cuda_aspt_parts(const rc_problem_t *p, const rc_build_tiles_t *b, void *val)
{
    size_t tiles = (size_t)(b->columns * b->rows) * rc_precision_bytes(p->precision);
    return (rc_aspt_parts_t){.panel = b->panel,
        .ptr = b->ptr,
        .tile_col = b->tile_col,
        .col = b->col,
        .val = val,
        .rest_ptr = b->rest_ptr,
        .rest_col = b->rest_col,
        .rest_val = val ? (char *)val + tiles : NULL,
        .row = b->row,
        .panels = (int32_t)b->panels,
        .slots = (int32_t)p->schedule->slots,
        .panel_slots = (int32_t)p->param[RC_ASPT_PANEL],
        .tile_cols = (int32_t)p->param[RC_ASPT_TILE_COLS],
        .rows = (int)b->rows,
        .ptr_bytes = (int)pointer_bytes(p),
        .apart = b->apart};
}

/* Rows of the sparse part, and pieces of long ones, for the device functions of growmajor. */
static void take_rows(rc_cuda_aspt_t *s, const rc_build_tiles_t *b)
{
    const rc_aspt_parts_t *a = &s->parts;
    s->rest.args = (rc_rowmajor_args_t){.ptr = a->rest_ptr,
        .col = a->rest_col,
        .val = a->rest_val,
        .row = b->rest_row,
        .slots = a->slots};
    s->pieces.args = (rc_rowmajor_args_t){.ptr = b->piece_ptr,
        .col = a->rest_col,
        .val = a->rest_val,
        .row = b->piece,
        .slots = (int32_t)(b->longs > 0 ? b->pieces + b->longs : 0)};
    s->long_row = b->long_row;
    s->longs = b->longs;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_cuda_aspt_t *s = state;
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    rc_aspt_chosen_t n;
    rc_cuda_slots_t slots;
    rc_status_t st;
    RC_CHOSEN(analysis, n);
    RC_TRY(rc_cuda_slots_rows(&s->base.memory, p, &slots, err));
    rc_build_tiles_t b = {.rule = rc_aspt_rule(p),
        .width = p->a->cols,
        .panels = n.panels,
        .cols = n.cols,
        .nnz_dense = n.nnz_dense,
        .rows = n.groups.rows > 1 ? n.groups.rows : 1,
        .ptrs = n.groups.ptrs,
        .columns = n.groups.columns,
        .longs = n.longs,
        .pieces = n.pieces,
        .apart = n.apart,
        .row = slots.row};
    st = rc_cuda_tiles_keep(&k, &b, &s->has_rest);
    s->base.val = k.val;
    s->base.stored = k.stored;
    s->steps = rc_aspt_steps(p);
    s->tile_cols = n.widest;
    s->absent = slots.absent;
    s->absents = slots.absents;
    s->parts = rc_cuda_aspt_parts(p, &b, k.val);
    take_rows(s, &b);
done:
    return st;
}

/* ---------------------------------------------------------------- launches */

static void choose_rows(const rc_cuda_aspt_t *s, rc_aspt_rows_t *r, int64_t k)
{
    const rc_row_ask_t ask = {.precision = s->base.p.precision,
        .wide = s->parts.ptr_bytes == (int)sizeof(int64_t),
        .slots = r->args.slots,
        .cols = s->base.p.a->cols,
        .k = k};
    r->args.k = (int32_t)k;
    rc_row_launches(s->base.memory.x, &ask, r->launch);
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    (void)err;
    rc_cuda_aspt_t *s = state;
    s->base.p.k = k;
    choose_rows(s, &s->rest, k);
    choose_rows(s, &s->pieces, k);
    return RC_OK;
}

/* Shared memory of a CTA of the tiles. */
static size_t tile_bytes(const rc_cuda_aspt_t *s, const rc_column_slices_t *c)
{
    return (size_t)s->tile_cols * (size_t)c->lanes * (size_t)c->steps * s->base.value_bytes;
}

static rc_status_t launch_tiles(
    const rc_cuda_aspt_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars, rc_err_t *err)
{
    const rc_column_slices_t c = rc_slices_narrow(s->base.p.k, s->steps);
    const int64_t ctas = (int64_t)s->parts.panels * rc_slices_grid(&c);
    const int32_t shares =
        rc_aspt_shares(ctas, (int64_t)RC_ASPT_CTAS_PER_SM * rc_cuda_sms(s->base.memory.x),
            rc_ceil_div(s->parts.panel_slots, s->parts.rows), RC_ASPT_THREADS / c.lanes);
    rc_aspt_args_t args = {.a = s->parts,
        .b = o->in[0].data,
        .c = o->out.data,
        .k = (int32_t)s->base.p.k,
        .lanes = c.lanes,
        .slices = c.count,
        .shares = shares,
        .scalars = scalars};
    const void *entry =
        rc_cuda_aspt_tiles(s->base.p.precision, s->parts.rows, c.steps, c.lanes == RC_SLICE_LANES);
    void *list[] = {&args};
    RC_PASS(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    return rc_cuda_check(
        cudaLaunchKernel(entry,
            (dim3){(unsigned)s->parts.panels * (unsigned)shares, rc_slices_grid(&c), 1},
            (dim3){RC_ASPT_THREADS, 1, 1}, list, tile_bytes(s, &c),
            rc_cuda_stream(s->base.memory.x)),
        "launch of the tiles of aspt", err);
}

/* Long rows of the sparse part: the sums of their pieces, then those of the rows. */
static rc_status_t launch_pieces(
    const rc_cuda_aspt_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars, rc_err_t *err)
{
    rc_operands_t to_pieces = *o;
    rc_aspt_sums_t args = {.row = s->long_row,
        .piece = s->piece,
        .c = o->out.data,
        .k = (int32_t)s->base.p.k,
        .scalars = scalars};
    uint32_t ldb;
    void *list[] = {&args};
    int64_t ctas = rc_ceil_div(s->base.p.k, RC_ASPT_SUM_THREADS);
    to_pieces.out.data = s->piece;
    to_pieces.out.ld = s->base.p.k;
    RC_PASS(rc_cuda_leading(o, &ldb, &args.ldc, err));
    RC_PASS(rc_row_run(s->base.memory.x, s->pieces.launch, &s->pieces.args, &to_pieces,
        rc_cuda_scalars(o, 1, 0), err));
    if (ctas > RC_SLICES_MAX)
        ctas = RC_SLICES_MAX;
    return rc_cuda_check(
        cudaLaunchKernel(rc_cuda_aspt_sums(s->base.p.precision),
            (dim3){(unsigned)s->longs, (unsigned)ctas, 1}, (dim3){RC_ASPT_SUM_THREADS, 1, 1}, list,
            0, rc_cuda_stream(s->base.memory.x)),
        "launch of the long rows of aspt", err);
}

/* With the GPU current. */
static rc_status_t allow(int64_t tile_cols, rc_precision_t precision, int *steps, rc_err_t *err)
{
    size_t bytes = (size_t)tile_cols * RC_SLICE_LANES * rc_precision_bytes(precision);
    size_t most = 0;
    RC_PASS(rc_slices_most(&most, err));
    while (*steps > 1 && bytes * (size_t)*steps > most)
        *steps /= 2;
    if (bytes > most)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64
            " rows of B of a tile take %zu bytes, the shared memory of a CTA has %zu",
            tile_cols, bytes, most);
    for (int n = 1; n <= *steps; n *= 2) {
        for (int i = 0; i < 4; i++) {
            int rows = i / 2 ? RC_TILE_GROUP_MAX : 1;
            int full = i % 2;
            RC_PASS(rc_slices_allow(
                rc_cuda_aspt_tiles(precision, rows, n, full), most, "shared memory of aspt", err));
        }
        RC_PASS(rc_slices_allow(
            rc_cuda_aspt_dots_tiles(precision, n), most, "shared memory of aspt-sddmm", err));
    }
    return RC_OK;
}

rc_status_t rc_cuda_aspt_allow(
    const rc_executor_t *x, int64_t tile_cols, rc_precision_t precision, int *steps, rc_err_t *err)
{
    int before = rc_cuda_enter(x);
    rc_status_t st = allow(tile_cols, precision, steps, err);
    rc_cuda_leave(x, before);
    return st;
}

/* --------------------------------------------------------------------- run */

static rc_status_t own(void *state, rc_err_t *err)
{
    rc_cuda_aspt_t *s = state;
    const rc_problem_t *p = &s->base.p;
    size_t pieces = (size_t)(s->pieces.args.slots - s->longs);
    rc_status_t st = RC_OK;
    if (s->parts.panels > 0)
        st = rc_cuda_aspt_allow(s->base.memory.x, s->tile_cols, p->precision, &s->steps, err);
    return st < 0 ? st
                  : rc_memory_room(&s->base.memory, pieces * (size_t)p->k * s->base.value_bytes,
                        &s->piece, err);
}

static rc_status_t multiply(
    const rc_cuda_aspt_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_executor_t *x = s->base.memory.x;
    const rc_cuda_scalars_t scalars = rc_cuda_scalars(o, alpha, beta);
    if (s->has_rest)
        RC_PASS(rc_row_run(x, s->rest.launch, &s->rest.args, o, scalars, err));
    if (s->longs > 0)
        RC_PASS(launch_pieces(s, o, scalars, err));
    if (s->parts.panels > 0)
        RC_PASS(launch_tiles(s, o, scalars, err));
    return rc_cuda_scale(x, &o->out, s->absent, s->absents, (const double[]){beta, 0}, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_cuda_aspt_t *s = state;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = multiply(s, o, alpha, beta, err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

/* Rows that share loads meet columns that they have no entry in. */
static int strict(const int64_t *param)
{
    return param[RC_ASPT_ROWS] == RC_ASPT_ROWS_ONE;
}

const rc_kernel_t rc_kernel_cuda_aspt = {
    .name = "aspt",
    .summary =
        "ASpT, row-major: rows of B of dense tiles in shared memory, the rest by rows; no atomics",
    .source = "Hong et al. 2019, doi:10.1145/3293883.3295712; Jiang et al. 2020, "
              "doi:10.1145/3332466.3374546",
    /* 1: tiles cut on the host alone, where the matrix is on the GPU too; 2: a CTA for each panel,
     * which took all of the sparse part of its rows */
    .version = 3,
    .layout = RC_ROW_MAJOR,
    .format = "aspt",
    .strict = strict,
    .param = {RC_ASPT_PARAMS},
    .identify = rc_aspt_identify,
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(rc_cuda_aspt_t, RC_BUILDS_THERE),
    .k_max = INT32_MAX,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run,
};
