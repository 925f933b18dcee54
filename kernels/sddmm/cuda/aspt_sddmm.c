/* The sampled product by adaptive sparse tiling, without atomics: a CTA has all tiles of a
 * panel, a slice of columns after the other, then a warp takes a segment of a row of the sparse
 * part.  Values are in the order of the parts, whose entries know where they are in the original
 * matrix. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/ranges.h"
#include "format/cuda/tiles.h"
#include "format/places.h"
#include "format/slots.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/aspt_state.h"
#include "kernels/spmm/cuda/slices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct aspt_sddmm {
    rc_prepared_t base;
    rc_aspt_dots_t args; /* but for operands */
    int64_t tile_cols;   /* of the widest tile */
    int steps;           /* columns per lane */
} aspt_sddmm_t;

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_aspt_size_t n;
    RC_PASS(rc_aspt_measure(p, 0, RC_ASPT_SEGMENT, &n, err));
    int64_t number = rc_cuda_slots_wide(p) ? (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    int64_t bytes = rc_cuda_aspt_tile_bytes(p, &n);
    bytes = rc_sat_add(bytes, rc_sat_mul(p->a->nnz, number));
    bytes = rc_sat_add(bytes, n.segments * (int64_t)sizeof(rc_aspt_segment_t));
    out->bytes = bytes;
    out->traffic = bytes;
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    RC_CHOSE(out, n.segments);
    return RC_OK;
}

/* ----------------------------------------------------------------- prepare */

/* Numbers of the entries, tiles first; free. */
static int64_t *list_entries(const rc_tile_parts_t *from, rc_err_t *err)
{
    size_t dense = (size_t)from->size.nnz_dense;
    size_t rest = (size_t)from->size.nnz_rest;
    int64_t *entry = rc_alloc(dense + rest, sizeof *entry, "entries of tiles", err);
    if (entry && dense > 0)
        memcpy(entry, from->val, dense * sizeof *entry);
    if (entry && rest > 0)
        memcpy(entry + dense, from->rest_val, rest * sizeof *entry);
    return entry;
}

/* Those as places; free. */
static void *list_places(const rc_problem_t *p, const int64_t *entry, rc_err_t *err)
{
    int bytes = rc_places_bytes(p->a);
    void *place = rc_alloc((size_t)p->a->nnz, (size_t)bytes, "places of tiles", err);
    for (int64_t i = 0; place && i < p->a->nnz; i++)
        rc_place_put(place, bytes, i, entry[i]);
    return place;
}

/* The rows of the sparse part, cut.  \param[out] out  [segments] as the analysis has them */
static void list_segments(const rc_problem_t *p, const rc_aspt_cut_t *c, rc_aspt_segment_t *out)
{
    const rc_tile_parts_t *a = &c->parts;
    for (int64_t i = 0; i < a->slots; i++) {
        int64_t slot = c->rest_row ? c->rest_row[i] : i;
        for (int64_t e = a->rest_ptr[i]; e < a->rest_ptr[i + 1]; e += RC_ASPT_SEGMENT) {
            int64_t left = a->rest_ptr[i + 1] - e;
            *out++ = (rc_aspt_segment_t){.begin = e,
                .count = (int32_t)(left < RC_ASPT_SEGMENT ? left : RC_ASPT_SEGMENT),
                .row = p->schedule->row[slot]};
        }
    }
}

/* What a cut on the host is on the device. */
static rc_status_t keep(aspt_sddmm_t *s, const rc_problem_t *p, rc_aspt_cut_t *cut, rc_err_t *err)
{
    const rc_tile_size_t *n = &cut->parts.size;
    const size_t segments = (size_t)s->args.segments;
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    rc_build_tiles_t b = {.panels = n->panels,
        .cols = n->cols,
        .nnz_dense = n->nnz_dense,
        .rows = 1,
        .ptrs = n->ptrs,
        .columns = n->nnz_dense,
        .row = s->args.a.row};
    rc_aspt_segment_t *list = rc_alloc(segments, sizeof *list, "the sparse part", err);
    int64_t *entry = list_entries(&cut->parts, err);
    void *place = entry ? list_places(p, entry, err) : NULL;
    k.st = list && place ? RC_OK : RC_ENOMEM;
    if (k.st == RC_OK) {
        list_segments(p, cut, list);
        (void)rc_keep_values(&k, place, p->a->nnz);
        s->args.entry = rc_keep_pointers(&k, entry, p->a->nnz,
            rc_cuda_slots_wide(p) ? (int)sizeof(int64_t) : (int)sizeof(int32_t));
        s->args.segment = rc_keep_array(&k, list, segments, sizeof *list);
        rc_cuda_tiles_arrays(&k, cut, &b);
    }
    (void)rc_keep_end(&k);
    s->base.val = k.val;
    s->base.stored = k.stored;
    s->args.a = rc_cuda_aspt_parts(p, &b, k.val);
    s->args.nnz_dense = n->nnz_dense;
    free(list);
    free(entry);
    free(place);
    return k.st;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    aspt_sddmm_t *s = state;
    rc_memory_t *m = &s->base.memory;
    rc_aspt_cut_t cut = {.tile_col = NULL};
    rc_cuda_slots_t slots;
    rc_status_t st;
    RC_CHOSEN(analysis, s->args.segments);
    RC_TRY(rc_aspt_cut_entries(p, m->x->threads, &cut, err));
    RC_TRY(rc_cuda_slots_rows(m, p, &slots, err));
    s->args.a.row = slots.row;
    s->tile_cols = cut.parts.size.widest;
    st = keep(s, p, &cut, err);
done:
    rc_aspt_cut_free(&cut);
    return st;
}

static rc_status_t own(void *state, rc_err_t *err)
{
    aspt_sddmm_t *s = state;
    const rc_problem_t *p = &s->base.p;
    s->steps = rc_aspt_steps(p);
    return s->args.a.panels > 0
               ? rc_cuda_aspt_allow(s->base.memory.x, s->tile_cols, p->precision, &s->steps, err)
               : RC_OK;
}

/* --------------------------------------------------------------------- run */

static rc_status_t launch(const aspt_sddmm_t *s, rc_aspt_dots_t *args, int steps, rc_err_t *err)
{
    const cudaStream_t stream = rc_cuda_stream(s->base.memory.x);
    const size_t shared =
        (size_t)s->tile_cols * RC_SLICE_LANES * (size_t)steps * s->base.value_bytes;
    int64_t ctas = rc_ceil_div(args->segments, RC_ASPT_REST_THREADS / RC_SLICE_LANES);
    void *list[] = {args};
    if (ctas > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " CTAs, at most %d", ctas, INT32_MAX);
    args->shares = rc_aspt_shares(args->a.panels > 0 ? args->a.panels : 1,
        (int64_t)RC_ASPT_CTAS_PER_SM * rc_cuda_sms(s->base.memory.x), args->a.panel_slots,
        RC_ASPT_THREADS / RC_SLICE_LANES);
    if (args->a.panels > 0)
        RC_PASS(rc_cuda_check(cudaLaunchKernel(rc_cuda_aspt_dots_tiles(s->base.p.precision, steps),
                                  (dim3){(unsigned)args->a.panels * (unsigned)args->shares, 1, 1},
                                  (dim3){RC_ASPT_THREADS, 1, 1}, list, shared, stream),
            "launch of the tiles of aspt-sddmm", err));
    if (ctas > 0)
        RC_PASS(rc_cuda_check(
            cudaLaunchKernel(rc_cuda_aspt_dots_rest(s->base.p.precision),
                (dim3){(unsigned)ctas, 1, 1}, (dim3){RC_ASPT_REST_THREADS, 1, 1}, list, 0, stream),
            "launch of the sparse part of aspt-sddmm", err));
    return RC_OK;
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
    args.scalars = rc_cuda_scalars(o, alpha, beta);
    RC_PASS(rc_cuda_leading(&inputs, &args.ldy, &args.ldx, err));
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = launch(s, &args, steps, err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

const rc_kernel_t rc_kernel_cuda_aspt_sddmm = {
    .name = "aspt-sddmm",
    .summary = "O = A .* (Y X') by the tiles of aspt: rows of X in shared memory; no atomics",
    .source = "Hong et al. 2019, doi:10.1145/3293883.3295712; Jiang et al. 2020, "
              "doi:10.1145/3332466.3374546",
    .version = 2, /* 1: a CTA for each panel */
    RC_CUDA_STRICT_MEMBERS,
    .op = RC_OP_SDDMM,
    .layout = RC_ROW_MAJOR,
    .format = "aspt",
    .c_orders = RC_STORES_ORIGINAL,
    .any_k = 1,
    .param = {RC_ASPT_PARAMS},
    .identify = rc_aspt_identify,
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .state_bytes = RC_STATE(aspt_sddmm_t),
    .shares = sizeof(aspt_sddmm_t),
    .build = build,
    .own = own,
    .run = run,
};
