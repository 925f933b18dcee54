/* RS-SpMM on a GPU.  Heavy row segments read rows of B from shared memory, or add to rows of C
 * there where A is transposed; the light entries of a row go past it.  Both parts add to C with
 * atomics, in two streams, so that sums have no fixed order; what C held is scaled before,
 * inside of the product. */
#include "config.h"
#include "device/cuda/cuda.h"
#include "base/error.h"
#include "device/cuda/ranges.h"
#include "device/cuda/scale.h"
#include "format/cuda/slots.h"
#include "format/slots.h"
#include "kernels/spmm/cuda/rowmajor.h"
#include "kernels/spmm/cuda/rs_state.h"
#include "kernels/spmm/cuda/slices.h"

#include <inttypes.h>
#include <stddef.h>

enum { CTAS_PER_SM = 2 /* of the heavy part */ };

/* ---------------------------------------------------------------- analysis */

/* Of a pointer to an entry. */
static int64_t pointer_bytes(const rc_problem_t *p)
{
    return (int64_t)(rc_cuda_slots_wide(p) ? sizeof(int64_t) : sizeof(int32_t));
}

/* What says which rows have heavy segments. */
static int64_t dense_bytes(const rc_problem_t *p, int64_t heavy_rows)
{
    int64_t words = (p->schedule->slots + 31) / 32;
    return (words + heavy_rows) * (int64_t)sizeof(int32_t);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    RC_PASS(rc_rs_count(p, out, err));
    const rc_rs_shape_t shape = rc_rs_shape(p, out);
    rc_rs_chosen_t n;
    RC_CHOSEN(out, n);
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t heavy = n.nnz_heavy;
    int64_t bytes = rc_sat_mul(heavy, rc_rs_col_bytes(&shape) + value);
    bytes = rc_sat_add(bytes, rc_sat_mul(p->a->nnz - heavy, index + value));
    bytes = rc_sat_add(bytes, (n.heavy_panels + 1) * (int64_t)sizeof(rc_rs_panel_t));
    bytes = rc_sat_add(bytes, n.heavy * index);
    bytes = rc_sat_add(bytes, (n.heavy + 1 + p->schedule->slots + 1) * pointer_bytes(p));
    if (shape.stores)
        bytes = rc_sat_add(bytes, dense_bytes(p, n.heavy_rows));
    out->traffic = bytes;
    out->bytes = rc_sat_add(bytes, rc_cuda_rows_bytes(p));
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    return RC_OK;
}

rc_status_t rc_cuda_rs_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_cuda_rs_t *s = state;
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    rc_build_segments_t b;
    rc_rs_chosen_t n;
    rc_cuda_slots_t slots = {0};
    RC_CHOSEN(analysis, n);
    s->shape = rc_rs_shape(p, analysis);
    s->heavy = n.heavy;
    s->light = p->a->nnz - n.nnz_heavy;
    const rc_segments_size_t size = {.rule = s->shape.rule,
        .segments = n.segments,
        .heavy = n.heavy,
        .heavy_panels = n.heavy_panels,
        .heavy_rows = n.heavy_rows,
        .nnz_heavy = n.nnz_heavy};
    rc_status_t st = rc_cuda_segments_keep(&k, &size, s->shape.stores, &b);
    if (st == RC_OK)
        st = rc_cuda_slots_rows(&s->base.memory, p, &slots, err);
    s->base.val = k.val;
    s->base.stored = k.stored;
    s->parts = (rc_rs_parts_t){.panel = b.panel,
        .seg_row = b.seg_row,
        .seg_ptr = b.seg_ptr,
        .col = b.col,
        .val = k.val,
        .light_ptr = b.light_ptr,
        .light_col = b.light_col,
        .light_val = k.val ? (char *)k.val + (size_t)n.nnz_heavy * s->base.value_bytes : NULL,
        .row = slots.row,
        .dense = b.dense,
        .w = s->shape.rule.w,
        .panels = (int32_t)n.heavy_panels,
        .slots = (int32_t)p->schedule->slots,
        .cols = (int32_t)p->a->cols,
        .ptr_bytes = (int)pointer_bytes(p),
        .col_bytes = (int)rc_rs_col_bytes(&s->shape)};
    s->scaled = b.scaled;
    s->scaled_rows = s->shape.stores ? n.heavy_rows : 0;
    s->absent = slots.absent;
    s->absents = slots.absents;
    return st;
}

/* ---------------------------------------------------------------- launches */

/* Shared memory of a CTA of the heavy part. */
static size_t panel_bytes(const rc_cuda_rs_t *s, const rc_column_slices_t *c)
{
    int64_t rows = s->parts.w < s->parts.cols ? s->parts.w : s->parts.cols;
    return (size_t)rows * (size_t)c->lanes * (size_t)c->steps * s->base.value_bytes;
}

/* With the GPU current: CTAs of the heavy part may have what a panel takes at any K up to that
 * of the state. */
static rc_status_t allow_shared(rc_cuda_rs_t *s, rc_err_t *err)
{
    const rc_column_slices_t cut = rc_slices_for(s->base.p.k, s->shape.cfv);
    const size_t bytes = panel_bytes(s, &cut);
    size_t most = 0;
    RC_PASS(rc_slices_most(&most, err));
    if (bytes > most)
        return rc_fail(err, RC_ENOTSUP,
            "shape: w = %" PRId64 " rows of B take %zu bytes, the shared memory of a CTA has %zu",
            s->parts.w, bytes, most);
    for (int op = 0; op < 2; op++)
        for (int full = 0; full < 2; full++)
            for (int steps = 1; steps <= cut.steps; steps *= 2)
                RC_PASS(rc_slices_allow(rc_cuda_rs_heavy(op ? RC_OP_SPMM_T : RC_OP_SPMM,
                                            s->base.p.precision, steps, full),
                    most, "shared memory of rs", err));
    return RC_OK;
}

/* CTAs of a panel and slice: as many as fill the GPU, but none without a segment for every team. */
static int64_t hblocks_for(const rc_cuda_rs_t *s, const rc_column_slices_t *c)
{
    if (s->shape.hblocks > 0)
        return s->shape.hblocks;
    int64_t teams = RC_RS_HEAVY_THREADS / c->lanes;
    int64_t most = rc_ceil_div(s->heavy, s->parts.panels * teams);
    int64_t want = rc_ceil_div(
        (int64_t)CTAS_PER_SM * rc_cuda_sms(s->base.memory.x), (int64_t)s->parts.panels * c->count);
    want = want < most ? want : most;
    return want < 1 ? 1 : want < RC_RS_HBLOCKS_MAX ? want : RC_RS_HBLOCKS_MAX;
}

static rc_rs_args_t args_of(const rc_rs_args_t *all, const rc_column_slices_t *c)
{
    rc_rs_args_t args = *all;
    args.lanes = c->lanes;
    args.slices = c->count;
    args.hblocks = 1;
    return args;
}

static rc_status_t launch_heavy(
    const rc_cuda_rs_t *s, rc_op_t op, const rc_rs_args_t *all, rc_err_t *err)
{
    const rc_column_slices_t c = rc_slices_for(all->k, s->shape.cfv);
    rc_rs_args_t args = args_of(all, &c);
    args.hblocks = (int32_t)hblocks_for(s, &c);
    int64_t ctas = (int64_t)s->parts.panels * args.hblocks;
    const void *entry = rc_cuda_rs_heavy(op, s->base.p.precision, c.steps, c.lanes == RC_RS_LANES);
    void *list[] = {&args};
    if (ctas > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " CTAs, at most %d", ctas, INT32_MAX);
    return rc_cuda_check(cudaLaunchKernel(entry, (dim3){(unsigned)ctas, rc_slices_grid(&c), 1},
                             (dim3){RC_RS_HEAVY_THREADS, 1, 1}, list, panel_bytes(s, &c),
                             rc_cuda_stream(s->base.memory.x)),
        "launch of the heavy part of rs", err);
}

static rc_status_t launch_light(
    const rc_cuda_rs_t *s, rc_op_t op, const rc_rs_args_t *all, cudaStream_t stream, rc_err_t *err)
{
    const rc_column_slices_t c = rc_slices_for(all->k, s->shape.cfh);
    rc_rs_args_t args = args_of(all, &c);
    unsigned ctas = (unsigned)rc_ceil_div(s->parts.slots, RC_RS_LIGHT_THREADS / c.lanes);
    const void *entry = rc_cuda_rs_light(op, s->base.p.precision, c.steps, c.lanes == RC_RS_LANES);
    void *list[] = {&args};
    return rc_cuda_check(cudaLaunchKernel(entry, (dim3){ctas, rc_slices_grid(&c), 1},
                             (dim3){RC_RS_LIGHT_THREADS, 1, 1}, list, 0, stream),
        "launch of the light part of rs", err);
}

/* Both parts at once: the light one in a stream of its own, which the stream of the executor
 * waits for. */
static rc_status_t launch_both(
    const rc_cuda_rs_t *s, rc_op_t op, const rc_rs_args_t *args, rc_err_t *err)
{
    cudaStream_t stream = rc_cuda_stream(s->base.memory.x);
    RC_PASS(rc_cuda_check(cudaEventRecord(s->fork, stream), "two streams", err));
    RC_PASS(rc_cuda_check(cudaStreamWaitEvent(s->side, s->fork, 0), "two streams", err));
    RC_PASS(launch_heavy(s, op, args, err));
    RC_PASS(launch_light(s, op, args, s->side, err));
    RC_PASS(rc_cuda_check(cudaEventRecord(s->join, s->side), "two streams", err));
    return rc_cuda_check(cudaStreamWaitEvent(stream, s->join, 0), "two streams", err);
}

/* --------------------------------------------------------------------- run */

static void release(void *state)
{
    rc_cuda_rs_t *s = state;
    int before = rc_cuda_enter(s->base.memory.x);
    if (s->side)
        (void)cudaStreamDestroy(s->side);
    if (s->fork)
        (void)cudaEventDestroy(s->fork);
    if (s->join)
        (void)cudaEventDestroy(s->join);
    rc_cuda_leave(s->base.memory.x, before);
}

static rc_status_t own(void *state, rc_err_t *err)
{
    rc_cuda_rs_t *s = state;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = s->heavy > 0 ? allow_shared(s, err) : RC_OK;
    if (st == RC_OK)
        st = rc_cuda_check(
            cudaStreamCreateWithFlags(&s->side, cudaStreamNonBlocking), "a second stream", err);
    if (st == RC_OK)
        st = rc_cuda_check(
            cudaEventCreateWithFlags(&s->fork, cudaEventDisableTiming), "an event", err);
    if (st == RC_OK)
        st = rc_cuda_check(
            cudaEventCreateWithFlags(&s->join, cudaEventDisableTiming), "an event", err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

/* What is added to becomes beta times what it was; with beta 0 it is not read. */
static rc_status_t scale_all(const rc_cuda_rs_t *s, const rc_dense_t *c, double beta, rc_err_t *err)
{
    size_t value = rc_precision_bytes(c->precision);
    if (beta != 0 || c->rows == 0 || c->cols == 0)
        return rc_cuda_scale(s->base.memory.x, c, NULL, c->rows, (const double[]){beta, 0}, err);
    return rc_cuda_check(
        cudaMemset2DAsync(c->data, (size_t)c->ld * value, 0, (size_t)c->cols * value,
            (size_t)c->rows, rc_cuda_stream(s->base.memory.x)),
        "zeros of rs", err);
}

static rc_status_t scale_some(
    const rc_cuda_rs_t *s, const rc_dense_t *c, double beta, rc_err_t *err)
{
    const double by[2] = {beta, 0};
    RC_PASS(rc_cuda_scale(s->base.memory.x, c, s->scaled, s->scaled_rows, by, err));
    return rc_cuda_scale(s->base.memory.x, c, s->absent, s->absents, by, err);
}

static rc_status_t multiply(const rc_cuda_rs_t *s, const rc_operands_t *o, rc_op_t op,
    rc_cuda_scalars_t scalars, rc_err_t *err)
{
    int stores = op == RC_OP_SPMM && s->shape.stores;
    int has_light = s->parts.slots > 0 && (s->light > 0 || stores);
    rc_rs_args_t args = {.a = s->parts,
        .b = o->in[0].data,
        .c = o->out.data,
        .k = (int32_t)o->out.cols,
        .scalars = scalars};
    RC_PASS(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    if (s->heavy > 0 && has_light)
        return launch_both(s, op, &args, err);
    if (s->heavy > 0)
        return launch_heavy(s, op, &args, err);
    return has_light ? launch_light(s, op, &args, rc_cuda_stream(s->base.memory.x), err) : RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_cuda_rs_t *s = state;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st =
        s->shape.stores ? scale_some(s, &o->out, beta, err) : scale_all(s, &o->out, beta, err);
    if (st == RC_OK)
        st = multiply(s, o, RC_OP_SPMM, rc_cuda_scalars(o, alpha, beta), err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

static rc_status_t run_transposed(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_cuda_rs_t *s = state;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = scale_all(s, &o->out, beta, err);
    if (st == RC_OK)
        st = multiply(s, o, RC_OP_SPMM_T, rc_cuda_scalars(o, alpha, beta), err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

/* What both descriptors say. */
#define SHARED                                                                                     \
    .source = "Hong et al. 2018, doi:10.1145/3208040.3208062", .version = 2, .format = "segments", \
    .identify = rc_rs_identify, .device = RC_DEVICE_CUDA, .layout = RC_ROW_MAJOR, .computes = 1,   \
    .any_k = 1, .builds = RC_BUILDS_THERE, .strict = rc_kernel_always, .param = {RC_RS_PARAMS},    \
    .analyse = analyse, .geometry = rc_cuda_geometry, .state_bytes = RC_STATE(rc_cuda_rs_t),       \
    .shares = offsetof(rc_cuda_rs_t, side), .k_max = INT32_MAX, .build = rc_cuda_rs_build,         \
    .own = own, .release = release

const rc_kernel_t rc_kernel_cuda_rs = {
    .name = "rs",
    .summary = "RS-SpMM, row-major: heavy row segments read B from shared memory; atomic additions",
    .op = RC_OP_SPMM,
    .c_orders = RC_STORES_ANY,
    .twin = "rs-spmm_t",
    .run = run,
    SHARED,
};

const rc_kernel_t rc_kernel_cuda_rs_spmm_t = {
    .name = "rs-spmm_t",
    .summary = "C = A' B from the structure of rs: heavy row segments add to C in shared memory",
    .op = RC_OP_SPMM_T,
    .c_orders = RC_STORES_ORIGINAL,
    .twin = "rs",
    .run = run_transposed,
    SHARED,
};
