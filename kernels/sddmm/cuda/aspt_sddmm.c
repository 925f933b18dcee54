/* The sampled product by adaptive sparse tiling, without atomics: a CTA has all tiles of a panel, a slice of
 * columns after the other, then a warp takes a segment of a row of the sparse part.  Values are in the order of the
 * parts, whose entries know where they are in the original matrix. */
#include "config.h"
#include "base/alloc.h"
#include "device/cuda/ranges.h"
#include "format/cuda/keep.h"
#include "format/places.h"
#include "format/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/aspt_state.h"
#include "kernels/spmm/cuda/slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct aspt_sddmm {
    rc_cuda_memory_t memory;
    rc_aspt_dots_t args; /* but for operands */
    rc_precision_t precision;
    int64_t nnz;
    int64_t tile_cols; /* of the widest tile */
    int steps;         /* columns per lane */
} aspt_sddmm_t;

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_aspt_size_t n;
    rc_status_t st = rc_aspt_measure(p, 0, RC_ASPT_SEGMENT, &n, err);
    if (st < 0)
        return st;
    int64_t number = rc_cuda_slots_wide(p) ? (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    int64_t bytes = rc_cuda_aspt_tile_bytes(p, &n);
    bytes = rc_sat_add(bytes, rc_sat_mul(p->a->nnz, number));
    bytes = rc_sat_add(bytes, n.segments * (int64_t)sizeof(rc_aspt_segment_t));
    out->bytes = bytes;
    out->traffic = bytes;
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    out->chosen[0] = n.segments;
    return RC_OK;
}

/* ----------------------------------------------------------------- prepare */

/* Room for the values of an array of entries, tiles first.  \param[in] entry  [nnz] numbers, from 0 on */
static rc_status_t keep_values(
    aspt_sddmm_t *s, const rc_problem_t *p, const int64_t *entry, size_t dense, rc_err_t *err)
{
    int bytes = rc_places_bytes(p->a);
    void *host = rc_alloc((size_t)s->nnz, (size_t)bytes, "places of tiles", err);
    void *to = NULL;
    rc_places_t places = {0};
    rc_status_t st = host ? RC_OK : RC_ENOMEM;
    RC_TRY(st);
    for (int64_t i = 0; i < s->nnz; i++)
        rc_place_put(host, bytes, i, entry[i]);
    RC_TRY(rc_cuda_room(&s->memory, (size_t)s->nnz * rc_precision_bytes(p->precision), &to, err));
    s->args.a.val = to;
    s->args.a.rest_val = to ? (char *)to + dense * rc_precision_bytes(p->precision) : NULL;
    RC_TRY(rc_places_keep(s->memory.x, p, host, s->nnz, &places, err));
    RC_TRY(rc_places_fill(p, &places, to, err));
done:
    free(host);
    return st;
}

/* Numbers of the entries and their values, tiles first. */
static rc_status_t keep_entries(
    aspt_sddmm_t *s, const rc_problem_t *p, const rc_tile_parts_t *from, rc_err_t *err)
{
    size_t dense = (size_t)from->size.nnz_dense;
    size_t rest = (size_t)from->size.nnz_rest;
    int64_t *entry = rc_alloc(dense + rest, sizeof *entry, "entries of tiles", err);
    rc_status_t st = entry ? RC_OK : RC_ENOMEM;
    RC_TRY(st);
    if (dense > 0)
        memcpy(entry, from->val, dense * sizeof *entry);
    if (rest > 0)
        memcpy(entry + dense, from->rest_val, rest * sizeof *entry);
    RC_TRY(keep_values(s, p, entry, dense, err));
    RC_TRY(rc_cuda_keep_pointers(&s->memory, entry, (int64_t)(dense + rest),
        s->args.a.ptr_bytes, &s->args.entry, err));
    s->args.nnz_dense = (int64_t)dense;
done:
    free(entry);
    return st;
}

/* The rows of the sparse part, cut.  \param[in] count  segments, as the analysis has them */
static rc_status_t keep_segments(aspt_sddmm_t *s, const rc_problem_t *p, const rc_aspt_cut_t *c,
    int64_t count, rc_err_t *err)
{
    const rc_tile_parts_t *a = &c->parts;
    rc_aspt_segment_t *list = rc_alloc((size_t)count, sizeof *list, "the sparse part", err);
    int64_t n = 0;
    void *to = NULL;
    if (!list)
        return RC_ENOMEM;
    for (int64_t i = 0; i < a->slots; i++) {
        int64_t slot = c->rest_row ? c->rest_row[i] : i;
        for (int64_t e = a->rest_ptr[i]; e < a->rest_ptr[i + 1]; e += RC_ASPT_SEGMENT) {
            int64_t left = a->rest_ptr[i + 1] - e;
            list[n++] = (rc_aspt_segment_t){.begin = e,
                .count = (int32_t)(left < RC_ASPT_SEGMENT ? left : RC_ASPT_SEGMENT),
                .row = p->schedule->row[slot]};
        }
    }
    rc_status_t st = rc_cuda_keep(&s->memory, list, (size_t)n * sizeof *list, &to, err);
    s->args.segment = to;
    s->args.segments = n;
    free(list);
    return st;
}

static rc_status_t build(
    aspt_sddmm_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_aspt_cut_t cut = {.tile_col = NULL};
    rc_cuda_slots_t slots;
    rc_status_t st;
    s->precision = p->precision;
    s->nnz = p->a->nnz;
    s->steps = rc_aspt_steps(p);
    s->args.a = rc_cuda_aspt_parts(p);
    RC_TRY(rc_aspt_cut_entries(p, s->memory.x->threads, &cut, err));
    s->tile_cols = cut.parts.size.widest;
    RC_TRY(keep_entries(s, p, &cut.parts, err));
    RC_TRY(keep_segments(s, p, &cut, analysis->chosen[0], err));
    RC_TRY(rc_cuda_aspt_keep_tiles(&s->memory, &cut, &s->args.a, err));
    RC_TRY(rc_cuda_keep_rows(&s->memory, p, &slots, err));
    s->args.a.row = slots.row;
    rc_cuda_memory_seal(&s->memory);
done:
    rc_aspt_cut_free(&cut);
    return st;
}

static void release(void *state)
{
    aspt_sddmm_t *s = state;
    if (!s)
        return;
    rc_cuda_memory_free(&s->memory);
    free(s);
}

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    aspt_sddmm_t *from = of;
    aspt_sddmm_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    if (from)
        *s = *from;
    s->memory = (rc_cuda_memory_t){.x = x};
    rc_status_t st = from ? rc_cuda_memory_share(&from->memory, x, &s->memory, err)
                          : build(s, p, analysis, err);
    if (st == RC_OK && s->args.a.panels > 0) {
        int before = rc_cuda_enter(x);
        st = rc_cuda_aspt_allow(s->tile_cols, s->precision, &s->steps, err);
        rc_cuda_leave(x, before);
    }
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

/* --------------------------------------------------------------------- run */

static rc_status_t launch(
    const aspt_sddmm_t *s, rc_aspt_dots_t *args, int steps, rc_err_t *err)
{
    const cudaStream_t stream = rc_cuda_stream(s->memory.x);
    const size_t shared = (size_t)s->tile_cols * RC_SLICE_LANES * (size_t)steps *
                          rc_precision_bytes(s->precision);
    int64_t ctas = rc_ceil_div(args->segments, RC_ASPT_REST_THREADS / RC_SLICE_LANES);
    void *list[] = {args};
    rc_status_t st = RC_OK;
    if (ctas > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " CTAs, at most %d", ctas, INT32_MAX);
    args->shares = rc_aspt_shares(args->a.panels > 0 ? args->a.panels : 1,
        (int64_t)RC_ASPT_CTAS_PER_SM * rc_cuda_sms(s->memory.x), args->a.panel_slots, RC_ASPT_THREADS / RC_SLICE_LANES);
    if (args->a.panels > 0)
        RC_TRY(rc_cuda_check(cudaLaunchKernel(rc_cuda_aspt_dots_tiles(s->precision, steps),
                                 (dim3){(unsigned)args->a.panels * (unsigned)args->shares, 1, 1},
                                 (dim3){RC_ASPT_THREADS, 1, 1}, list, shared, stream),
            "launch of the tiles of aspt-sddmm", err));
    if (ctas > 0)
        RC_TRY(rc_cuda_check(
            cudaLaunchKernel(rc_cuda_aspt_dots_rest(s->precision), (dim3){(unsigned)ctas, 1, 1},
                (dim3){RC_ASPT_REST_THREADS, 1, 1}, list, 0, stream),
            "launch of the sparse part of aspt-sddmm", err));
done:
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const aspt_sddmm_t *s = state;
    const rc_operands_t inputs = {.in = {o->in[0]}, .out = o->in[1]};
    const int64_t k = o->in[0].cols;
    rc_aspt_dots_t args = s->args;
    int steps = s->steps;
    if (k > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: K = %" PRId64 ", at most %d", k, INT32_MAX);
    while (steps > 1 && (int64_t)RC_SLICE_LANES * steps / 2 >= k)
        steps /= 2;
    args.y = o->in[0].data;
    args.x = o->in[1].data;
    args.out = o->out.data;
    args.k = (int32_t)k;
    args.slices = (int32_t)rc_ceil_div(k, (int64_t)RC_SLICE_LANES * steps);
    args.scalars = rc_cuda_scalars(alpha, beta);
    rc_status_t st = rc_cuda_leading(&inputs, &args.ldy, &args.ldx, err);
    if (st < 0)
        return st;
    int before = rc_cuda_enter(s->memory.x);
    st = launch(s, &args, steps, err);
    rc_cuda_leave(s->memory.x, before);
    return st;
}

static int64_t values(void *state, void **array)
{
    const aspt_sddmm_t *s = state;
    *array = (void *)(uintptr_t)s->args.a.val;
    return s->nnz;
}

const rc_kernel_t rc_kernel_cuda_aspt_sddmm = {
    .name = "aspt-sddmm",
    .summary = "O = A .* (Y X') by the tiles of aspt: rows of X in shared memory; no atomics",
    .source = "Hong et al. 2019, doi:10.1145/3293883.3295712; Jiang et al. 2020, "
              "doi:10.1145/3332466.3374546",
    .version = 2, /* 1: a CTA for each panel */
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SDDMM,
    .layout = RC_ROW_MAJOR,
    .format = "aspt",
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 1,
    .strict = rc_kernel_always,
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
