#include "config.h"
#include "kernels/spmm/cuda/stationary.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"

#include <inttypes.h>
#include <stdlib.h>

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

static int64_t rounds_of(const rc_problem_t *p, int lanes)
{
    return rc_ceil_div(p->schedule->slots, RC_CTA_THREADS / lanes);
}

/* Parts that there can be at most. */
static int64_t parts_most(const rc_problem_t *p, int lanes)
{
    int64_t rounds = rounds_of(p, lanes);
    return rounds < RC_SPLIT_MAX ? rounds : RC_SPLIT_MAX;
}

rc_status_t rc_stationary_analyse(
    const rc_problem_t *p, int lanes, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_analyse(p, out, err);
    if (st == RC_OK)
        out->bytes = rc_sat_add(out->bytes, (parts_most(p, lanes) + 1) * (int64_t)sizeof(int32_t));
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

static rc_status_t keep_parts(
    rc_stationary_t *s, const rc_problem_t *p, int lanes, int32_t split, rc_err_t *err)
{
    const int64_t rounds = rounds_of(p, lanes);
    const size_t most = (size_t)parts_most(p, lanes) + 1;
    void *device = NULL;
    int64_t *cost = rc_alloc((size_t)rounds, sizeof *cost, "the work of the rounds", err);
    int32_t *part = rc_alloc0(most, sizeof *part, "the parts of the rounds", err);
    rc_status_t st = cost && part ? RC_OK : RC_ENOMEM;
    for (int64_t r = 0; st == RC_OK && r < rounds; r++)
        cost[r] = round_cost(p, r, lanes);
    if (st == RC_OK) {
        rc_parts_divide(cost, (int32_t)rounds, split, part);
        st = rc_memory_keep(&s->base.memory, part, most * sizeof *part, &device, err);
    }
    s->args.part = device;
    free(cost);
    free(part);
    return st;
}

static rc_status_t choose_launch(
    rc_stationary_t *s, const rc_problem_t *p, const rc_stationary_shape_t *shape, rc_err_t *err)
{
    int strip = rc_strip_width(p->k, (int)shape->strip);
    s->entry = shape->entry(p->precision, s->slots.wide, shape->lanes, strip);
    if (!s->entry)
        return rc_fail(
            err, RC_ENOTSUP, "there is no kernel of %d lanes and %d columns", shape->lanes, strip);
    int64_t strips = rc_ceil_div(p->k, strip);
    int64_t rounds = rounds_of(p, shape->lanes);
    if (strips > INT32_MAX)
        return rc_fail(
            err, RC_ENOTSUP, "shape: %" PRId64 " strips of columns, at most %d", strips, INT32_MAX);
    if (rounds == 0)
        return keep_parts(s, p, shape->lanes, 0, err);
    int64_t resident = 0;
    RC_PASS(resident_ctas(s->base.memory.x, s->entry, &resident, err));
    int64_t split = shape->split ? shape->split : rc_split_auto(strips, rounds, resident);
    int64_t most = INT32_MAX / strips;
    int64_t parts = parts_most(p, shape->lanes);
    split = split < parts ? split : parts;
    split = split < most ? split : most;
    s->ctas = (unsigned)(strips * split);
    s->args.split = (int32_t)split;
    return keep_parts(s, p, shape->lanes, (int32_t)split, err);
}

rc_status_t rc_stationary_build(
    rc_stationary_t *s, const rc_problem_t *p, const rc_stationary_shape_t *shape, rc_err_t *err)
{
    RC_PASS(rc_cuda_slots_build(&s->base.memory, p, &s->slots, err));
    s->base.val = s->slots.val;
    s->base.stored = p->a->nnz;
    s->args = (rc_stationary_args_t){.ptr = s->slots.ptr,
        .col = s->slots.col,
        .val = s->slots.val,
        .row = s->slots.row,
        .k = p->k,
        .slots = (int32_t)s->slots.slots};
    return choose_launch(s, p, shape, err);
}

static rc_status_t launch(
    const rc_stationary_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars, rc_err_t *err)
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

rc_status_t rc_stationary_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_stationary_t *s = state;
    const rc_executor_t *x = s->base.memory.x;
    int before = rc_cuda_enter(x);
    rc_status_t st = launch(s, o, rc_cuda_scalars(alpha, beta), err);
    if (st == RC_OK)
        st = rc_cuda_slots_absent(x, &s->slots, &o->out, beta, err);
    rc_cuda_leave(x, before);
    return st;
}
