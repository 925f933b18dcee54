/* C-stationary product, Mehrabi et al. 2021, section II-B, Algorithm 1: a CTA of 32 warps computes
 * a strip of columns of C.  In gstat the 32 lanes of a warp stride over the entries of a row.
 * Short rows leave most of them idle, so in gsub 2 to 16 lanes take a row, and a warp several rows,
 * as in the vector CSR kernels of Bell and Garland 2009. */
#include "config.h"
#include "kernels/spmm/cuda/stationary.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"
#include "kernels/cuda/members.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of the parameters; the others are behind the lanes, which gstat has not. */
enum { PARAM_LANES = 0, STRIP = 0, SPLIT = 1, WARP = 32 };

/* rc_kernel_t.kind. */
typedef struct kind {
    rc_stationary_entry_fn *entry;
    int first; /* parameter behind the lanes */
} kind_t;

typedef struct stationary {
    rc_prepared_t base;
    rc_cuda_slots_t slots;
    rc_stationary_args_t args;
    const void *entry;
    unsigned ctas; /* 0: there is nothing to compute */
} stationary_t;

static const kind_t *kind_of(const rc_problem_t *p)
{
    return p->kernel->kind;
}

static int lanes_of(const rc_problem_t *p)
{
    return kind_of(p)->first > 0 ? (int)p->param[PARAM_LANES] : WARP;
}

/* CTAs of a device function that the device runs at once. */
static rc_status_t resident_ctas(
    const rc_executor_t *x, const void *entry, int64_t *out, rc_err_t *err)
{
    int per_sm = 0;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, entry, RC_CTA_THREADS, 0),
        "occupancy of the kernel", err);
    rc_cuda_leave(x, before);
    if (st < 0)
        return st;
    if (per_sm < 1)
        return rc_fail(err, RC_ENOTSUP, "the device cannot run a CTA of %d threads of this kernel",
            RC_CTA_THREADS);
    *out = (int64_t)per_sm * rc_cuda_sms(x);
    return RC_OK;
}

/* ------------------------------------------------------------------- parts */

static int64_t rounds_of(const rc_problem_t *p)
{
    return rc_ceil_div(p->schedule->slots, RC_CTA_THREADS / lanes_of(p));
}

/* Parts that there can be at most. */
static int64_t parts_most(const rc_problem_t *p)
{
    int64_t rounds = rounds_of(p);
    return rounds < RC_SPLIT_MAX ? rounds : RC_SPLIT_MAX;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_analyse(p, out, err);
    if (st == RC_OK)
        out->bytes = rc_sat_add(out->bytes, (parts_most(p) + 1) * (int64_t)sizeof(int32_t));
    return st;
}

/* Steps that the workers take for the rows of a round, all together; a row without entries is not
 * free either. */
static int64_t round_cost(const rc_problem_t *p, int64_t round, int lanes)
{
    enum { row_steps = 2 };
    int64_t workers = RC_CTA_THREADS / lanes;
    int64_t first = round * workers;
    int64_t end = first + workers < p->schedule->slots ? first + workers : p->schedule->slots;
    int64_t steps = 0;
    for (int64_t i = first; i < end; i++) {
        int64_t r = p->schedule->row[i];
        int64_t length = r < 0 ? 0 : p->a->row_ptr[r + 1] - p->a->row_ptr[r];
        steps += row_steps + rc_ceil_div(length, lanes);
    }
    return steps;
}

static rc_status_t keep_parts(stationary_t *s, const rc_problem_t *p, int32_t split, rc_err_t *err)
{
    const int64_t rounds = rounds_of(p);
    const size_t most = (size_t)parts_most(p) + 1;
    void *device = NULL;
    int64_t *cost = rc_alloc((size_t)rounds, sizeof *cost, "the work of the rounds", err);
    int32_t *part = rc_alloc0(most, sizeof *part, "the parts of the rounds", err);
    rc_status_t st = cost && part ? RC_OK : RC_ENOMEM;
    for (int64_t r = 0; st == RC_OK && r < rounds; r++)
        cost[r] = round_cost(p, r, lanes_of(p));
    if (st == RC_OK) {
        rc_parts_divide(cost, (int32_t)rounds, split, part);
        st = rc_memory_keep(&s->base.memory, part, most * sizeof *part, &device, err);
    }
    s->args.part = device;
    free(cost);
    free(part);
    return st;
}

static rc_status_t choose_launch(stationary_t *s, const rc_problem_t *p, rc_err_t *err)
{
    const kind_t *kind = kind_of(p);
    const int lanes = lanes_of(p);
    const int64_t asked = p->param[kind->first + SPLIT];
    int strip = rc_strip_width(p->k, (int)p->param[kind->first + STRIP]);
    s->entry = kind->entry(p->precision, s->slots.wide, lanes, strip);
    if (!s->entry)
        return rc_fail(
            err, RC_ENOTSUP, "there is no kernel of %d lanes and %d columns", lanes, strip);
    int64_t strips = rc_ceil_div(p->k, strip);
    int64_t rounds = rounds_of(p);
    if (strips > INT32_MAX)
        return rc_fail(
            err, RC_ENOTSUP, "shape: %" PRId64 " strips of columns, at most %d", strips, INT32_MAX);
    if (rounds == 0)
        return keep_parts(s, p, 0, err);
    int64_t resident = 0;
    RC_PASS(resident_ctas(s->base.memory.x, s->entry, &resident, err));
    int64_t split = asked ? asked : rc_split_auto(strips, rounds, resident);
    int64_t most = INT32_MAX / strips;
    int64_t parts = parts_most(p);
    split = split < parts ? split : parts;
    split = split < most ? split : most;
    s->ctas = (unsigned)(strips * split);
    s->args.split = (int32_t)split;
    return keep_parts(s, p, (int32_t)split, err);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    stationary_t *s = state;
    RC_PASS(rc_cuda_slots_build(&s->base.memory, p, &s->slots, err));
    s->base.val = s->slots.val;
    s->base.stored = p->a->nnz;
    s->args = (rc_stationary_args_t){.ptr = s->slots.ptr,
        .col = s->slots.col,
        .val = s->slots.val,
        .row = s->slots.row,
        .k = p->k,
        .slots = (int32_t)s->slots.slots};
    return choose_launch(s, p, err);
}

static rc_status_t launch(
    const stationary_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars, rc_err_t *err)
{
    if (s->ctas == 0)
        return RC_OK;
    rc_stationary_args_t args = s->args;
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.ldb = o->in[0].ld;
    args.ldc = o->out.ld;
    args.scalars = scalars;
    void *list[] = {&args};
    return rc_cuda_check(
        cudaLaunchKernel(s->entry, (dim3){s->ctas, 1, 1}, (dim3){RC_CTA_THREADS, 1, 1}, list, 0,
            rc_cuda_stream(s->base.memory.x)),
        "launch of the C-stationary kernel", err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const stationary_t *s = state;
    const rc_executor_t *x = s->base.memory.x;
    int before = rc_cuda_enter(x);
    rc_status_t st = launch(s, o, rc_cuda_scalars(o, alpha, beta), err);
    if (st == RC_OK)
        st = rc_cuda_slots_absent(x, &s->slots, o, beta, err);
    rc_cuda_leave(x, before);
    return st;
}

/* ----------------------------------------------------------------- kernels */

#define ENTRY(id, suffix) [id] = rc_cuda_gsub_entry_##suffix,
static const void *(*const gsub_entries[])(int, int, int) = {RC_FOR_EACH_REAL(ENTRY)};
#undef ENTRY

static const void *gsub_entry(rc_precision_t precision, int wide, int lanes, int strip)
{
    return gsub_entries[precision](wide, lanes, strip);
}

static rc_geometry_t geometry(
    const rc_executor_t *x, const int64_t *param, rc_precision_t precision)
{
    rc_geometry_t g = rc_cuda_geometry(x, param, precision);
    g.nt = (int32_t)param[PARAM_LANES];
    g.nw = RC_CTA_THREADS / g.nt;
    return g;
}

static const kind_t gstat = {rc_cuda_gstat_entry, 0};
static const kind_t gsub = {gsub_entry, PARAM_LANES + 1};

/* What both descriptors say. */
#define SHARED                                                                                     \
    .version = 2, RC_CUDA_STRICT_MEMBERS, .op = RC_OP_SPMM, .layout = RC_COL_MAJOR,                \
    .types = RC_TYPES_REAL, .out_sums = 1, .format = "slots", .c_orders = RC_STORES_ANY,           \
    .builds = RC_BUILDS_THERE, .scatters = 1, .analyse = analyse,                                  \
    .state_bytes = RC_STATE(stationary_t), .build = build, .run = run
#define STRIP_SPLIT                                                                                \
    {"strip", "columns of C per CTA", 8, 1, RC_STRIP_MAX, 1},                                      \
    {                                                                                              \
        "split", "CTAs that share the slots of a strip, 0: automatic", 0, 0, RC_SPLIT_MAX, 0       \
    }

const rc_kernel_t rc_kernel_gstat = {
    .name = "gstat",
    .summary = "C-stationary as published, column-major B: a warp per row, slot p to warp p mod 32",
    .source = "Mehrabi et al. 2021, section II-B, Algorithm 1",
    .kind = &gstat,
    .param = {STRIP_SPLIT},
    .geometry = rc_cuda_geometry,
    SHARED,
};

const rc_kernel_t rc_kernel_gsub = {
    .name = "gsub",
    .summary = "C-stationary, column-major B: 2 to 16 lanes per row, slot p to sub-warp p mod N_w",
    .source = "Mehrabi et al. 2021, section II-B; sub-warps: Bell and Garland 2009, "
              "doi:10.1145/1654059.1654078",
    .kind = &gsub,
    .param = {{"lanes", "lanes per row", 8, 2, 16, 1}, STRIP_SPLIT},
    .geometry = geometry,
    SHARED,
};
