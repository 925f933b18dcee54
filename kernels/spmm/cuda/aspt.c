/* Adaptive sparse tiling on a GPU, without atomics.  Rows of the sparse part that are long are multiplied in pieces,
 * whose sums are added in their order, rows that no tile has by the device functions of growmajor.  Then the
 * tiles: a CTA has all tiles of a panel, one after the other, or those of a share of its rows where panels are few, and
 * with the last one takes the sparse part of its rows, which are stored once where the panel has one tile.  Where the
 * sparse part has an order of its own, or many entries beside tiles, it is
 * multiplied as a whole first, and the tiles add to it.  Rows may be taken in groups of four, which share loads of B.
 * So sums have one order, and the published kernel
 * differs: it has a CTA for each tile, and all parts add to a C of zeros with atomics. */
#include "config.h"
#include "base/alloc.h"
#include "device/cuda/ranges.h"
#include "device/cuda/scale.h"
#include "format/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/aspt_state.h"
#include "kernels/spmm/cuda/slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_aspt_size_t n;
    rc_status_t st = rc_aspt_measure(p, 1, 0, &n, err);
    if (st < 0)
        return st;
    out->bytes = rc_cuda_aspt_bytes(p, &n);
    out->bytes_per_column = n.pieces * (int64_t)rc_precision_bytes(p->precision);
    out->traffic = out->bytes;
    out->stored_rows = rc_stored_rows(p);
    out->fill = p->a->nnz == 0 ? 1
                               : (double)(n.groups.columns * n.groups.rows + n.tiles.nnz_rest) /
                                     (double)p->a->nnz;
    const int64_t chosen[] = {n.groups.rows, n.groups.ptrs, n.groups.columns, n.tiles.panels,
        n.tiles.cols, n.tiles.widest + (n.apart ? RC_CUDA_ASPT_APART : 0), n.tiles.nnz_dense, n.longs, n.pieces};
    memcpy(out->chosen, chosen, sizeof chosen);
    return RC_OK;
}

/* ---------------------------------------------------------------- launches */

static void choose_rows(const rc_cuda_aspt_t *s, rc_aspt_rows_t *r, int64_t k)
{
    const rc_row_ask_t ask = {.precision = s->precision,
        .wide = s->parts.ptr_bytes == (int)sizeof(int64_t),
        .slots = r->args.slots,
        .cols = s->cols,
        .k = k};
    r->args.k = (int32_t)k;
    rc_row_launches(s->memory.x, &ask, r->launch);
}

/* For K columns. */
static void choose_launches(rc_cuda_aspt_t *s, int64_t k)
{
    s->k = k;
    choose_rows(s, &s->rest, k);
    choose_rows(s, &s->pieces, k);
}

/* Shared memory of a CTA of the tiles. */
static size_t tile_bytes(const rc_cuda_aspt_t *s, const rc_column_slices_t *c)
{
    return (size_t)s->tile_cols * (size_t)c->lanes * (size_t)c->steps *
           rc_precision_bytes(s->precision);
}

static rc_status_t launch_tiles(const rc_cuda_aspt_t *s, const rc_operands_t *o,
    rc_cuda_scalars_t scalars, rc_err_t *err)
{
    const rc_column_slices_t c = rc_slices_narrow(s->k, s->steps);
    const int64_t ctas = (int64_t)s->parts.panels * rc_slices_grid(&c);
    const int32_t shares = rc_aspt_shares(ctas, (int64_t)RC_ASPT_CTAS_PER_SM * rc_cuda_sms(s->memory.x),
        rc_ceil_div(s->parts.panel_slots, s->parts.rows), RC_ASPT_THREADS / c.lanes);
    rc_aspt_args_t args = {.a = s->parts,
        .b = o->in[0].data,
        .c = o->out.data,
        .k = (int32_t)s->k,
        .lanes = c.lanes,
        .slices = c.count,
        .shares = shares,
        .scalars = scalars};
    const void *entry = rc_cuda_aspt_tiles(
        s->precision, s->parts.rows, c.steps, c.lanes == RC_SLICE_LANES);
    void *list[] = {&args};
    rc_status_t st = rc_cuda_leading(o, &args.ldb, &args.ldc, err);
    if (st < 0)
        return st;
    return rc_cuda_check(
        cudaLaunchKernel(entry, (dim3){(unsigned)s->parts.panels * (unsigned)shares, rc_slices_grid(&c), 1},
            (dim3){RC_ASPT_THREADS, 1, 1}, list, tile_bytes(s, &c), rc_cuda_stream(s->memory.x)),
        "launch of the tiles of aspt", err);
}

/* Long rows of the sparse part: the sums of their pieces, then those of the rows. */
static rc_status_t launch_pieces(const rc_cuda_aspt_t *s, const rc_operands_t *o,
    rc_cuda_scalars_t scalars, rc_err_t *err)
{
    rc_operands_t to_pieces = *o;
    rc_aspt_sums_t args = {.row = s->long_row,
        .piece = s->piece,
        .c = o->out.data,
        .k = (int32_t)s->k,
        .scalars = scalars};
    uint32_t ldb;
    void *list[] = {&args};
    int64_t ctas = rc_ceil_div(s->k, RC_ASPT_SUM_THREADS);
    to_pieces.out.data = s->piece;
    to_pieces.out.ld = s->k;
    rc_status_t st = rc_cuda_leading(o, &ldb, &args.ldc, err);
    if (st == RC_OK)
        st = rc_row_run(s->memory.x, s->pieces.launch, &s->pieces.args, &to_pieces,
            rc_cuda_scalars(1, 0), err);
    if (st < 0)
        return st;
    if (ctas > RC_SLICES_MAX)
        ctas = RC_SLICES_MAX;
    return rc_cuda_check(cudaLaunchKernel(rc_cuda_aspt_sums(s->precision),
                             (dim3){(unsigned)s->longs, (unsigned)ctas, 1},
                             (dim3){RC_ASPT_SUM_THREADS, 1, 1}, list, 0,
                             rc_cuda_stream(s->memory.x)),
        "launch of the long rows of aspt", err);
}

rc_status_t rc_cuda_aspt_allow(
    int64_t tile_cols, rc_precision_t precision, int *steps, rc_err_t *err)
{
    size_t bytes = (size_t)tile_cols * RC_SLICE_LANES * rc_precision_bytes(precision);
    size_t most = 0;
    rc_status_t st;
    RC_TRY(rc_slices_most(&most, err));
    while (*steps > 1 && bytes * (size_t)*steps > most)
        *steps /= 2;
    if (bytes > most)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " rows of B of a tile take %zu bytes, the shared memory of a CTA has %zu",
            tile_cols, bytes, most);
    for (int n = 1; n <= *steps; n *= 2) {
        for (int i = 0; i < 4; i++) {
            int rows = i / 2 ? RC_TILE_GROUP_MAX : 1;
            int full = i % 2;
            RC_TRY(rc_slices_allow(
                rc_cuda_aspt_tiles(precision, rows, n, full), most, "shared memory of aspt", err));
        }
        RC_TRY(rc_slices_allow(
            rc_cuda_aspt_dots_tiles(precision, n), most, "shared memory of aspt-sddmm", err));
    }
done:
    return st;
}

/* --------------------------------------------------------------------- run */

static void release(void *state)
{
    rc_cuda_aspt_t *s = state;
    if (!s)
        return;
    rc_cuda_memory_free(&s->memory);
    free(s);
}

/* What a state has beside the matrix. */
static rc_status_t make_own(rc_cuda_aspt_t *s, int64_t k, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    size_t pieces = (size_t)(s->pieces.args.slots - s->longs);
    if (s->parts.panels > 0) {
        int before = rc_cuda_enter(s->memory.x);
        st = rc_cuda_aspt_allow(s->tile_cols, s->precision, &s->steps, err);
        rc_cuda_leave(s->memory.x, before);
    }
    if (st == RC_OK)
        st = rc_cuda_room(
            &s->memory, pieces * (size_t)k * rc_precision_bytes(s->precision), &s->piece, err);
    choose_launches(s, k);
    return st;
}

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    rc_cuda_aspt_t *from = of;
    if (p->k > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: K = %" PRId64 ", at most %d", p->k, INT32_MAX);
    rc_cuda_aspt_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    if (from)
        *s = *from;
    s->memory = (rc_cuda_memory_t){.x = x};
    rc_status_t st = from ? rc_cuda_memory_share(&from->memory, x, &s->memory, err)
                          : rc_cuda_aspt_build(s, p, analysis, err);
    if (st == RC_OK)
        st = make_own(s, p->k, err);
    if (st < 0) {
        release(s);
        return st;
    }
    *state = s;
    return RC_OK;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
}

static rc_status_t multiply(
    const rc_cuda_aspt_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_executor_t *x = s->memory.x;
    const rc_cuda_scalars_t scalars = rc_cuda_scalars(alpha, beta);
    rc_status_t st = RC_OK;
    if (s->has_rest)
        RC_TRY(rc_row_run(x, s->rest.launch, &s->rest.args, o, scalars, err));
    if (s->longs > 0)
        RC_TRY(launch_pieces(s, o, scalars, err));
    if (s->parts.panels > 0)
        RC_TRY(launch_tiles(s, o, scalars, err));
    RC_TRY(rc_cuda_scale(x, &o->out, s->absent, s->absents, beta, err));
done:
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_cuda_aspt_t *s = state;
    rc_cuda_aspt_t narrow;
    if (o->out.cols != s->k) {
        narrow = *s;
        choose_launches(&narrow, o->out.cols);
        s = &narrow;
    }
    int before = rc_cuda_enter(s->memory.x);
    rc_status_t st = multiply(s, o, alpha, beta, err);
    rc_cuda_leave(s->memory.x, before);
    return st;
}

static int64_t values(void *state, void **array)
{
    const rc_cuda_aspt_t *s = state;
    *array = (void *)(uintptr_t)s->parts.val;
    return s->values;
}

/* Rows that share loads meet columns that they have no entry in. */
static int strict(const int64_t *param)
{
    return param[RC_ASPT_ROWS] == RC_ASPT_ROWS_ONE;
}

const rc_kernel_t rc_kernel_cuda_aspt = {
    .name = "aspt",
    .summary = "ASpT, row-major: rows of B of dense tiles in shared memory, the rest by rows; no atomics",
    .source = "Hong et al. 2019, doi:10.1145/3293883.3295712; Jiang et al. 2020, "
              "doi:10.1145/3332466.3374546",
    .version = 3, /* 1: tiles cut on the host alone, where the matrix is on the GPU too; 2: a CTA for each panel, which took
                     all of the sparse part of its rows */
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_MAJOR,
    .format = "aspt",
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .strict = strict,
    .builds = 1,
    .any_k = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_ASPT_PARAMS},
    .identify = rc_aspt_identify,
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .share = share,
    .run = run,
    .release = release,
    .values = values,
};
