#include "config.h"
#include "kernels/cuda/stationary.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/ranges.h"
#include "kernels/cuda/slots.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct stationary {
    rc_device_t *d;
    rc_cuda_slots_t slots;
    rc_stationary_args_t args;
    int32_t *part; /* device memory */
    const void *entry;
    unsigned ctas; /* 0: there is nothing to compute */
} stationary_t;

/* CTAs of a device function that the device runs at once. */
static rc_status_t resident_ctas(
    const rc_device_t *d, const void *entry, int64_t *out, rc_err_t *err)
{
    int per_sm = 0;
    rc_cuda_stream(d); /* makes the device the current one */
    rc_status_t st = rc_cuda_check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, entry, RC_CTA_THREADS, 0),
        "occupancy of the kernel", err);
    if (st < 0)
        return st;
    if (per_sm < 1)
        return rc_fail(err, RC_ENOTSUP, "the device cannot run a CTA of %d threads of this kernel",
            RC_CTA_THREADS);
    *out = (int64_t)per_sm * rc_cuda_sms(d);
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

int64_t rc_stationary_bytes(const rc_problem_t *p, int lanes)
{
    int64_t parts = (parts_most(p, lanes) + 1) * (int64_t)sizeof(int32_t);
    return rc_sat_add(rc_cuda_slots_bytes(p), parts);
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

static rc_status_t upload_parts(
    stationary_t *s, const rc_problem_t *p, int lanes, int32_t split, rc_err_t *err)
{
    int64_t rounds = rounds_of(p, lanes);
    int64_t most = parts_most(p, lanes);
    void *device = NULL;
    rc_status_t st = RC_OK;
    int64_t *cost = rc_alloc((size_t)rounds, sizeof *cost, "the work of the rounds", err);
    int32_t *part = rc_alloc((size_t)most + 1, sizeof *part, "the parts of the rounds", err);
    if (!cost || !part)
        st = RC_ENOMEM;
    for (int64_t r = 0; st == RC_OK && r < rounds; r++)
        cost[r] = round_cost(p, r, lanes);
    if (st == RC_OK) {
        rc_parts_divide(cost, (int32_t)rounds, split, part);
        st = s->d->alloc(s->d, ((size_t)most + 1) * sizeof *part, &device, err);
    }
    s->part = device;
    s->args.part = device;
    if (st == RC_OK)
        st = s->d->upload(s->d, device, part, ((size_t)split + 1) * sizeof *part, err);
    free(cost);
    free(part);
    return st;
}

static rc_status_t choose_launch(
    stationary_t *s, const rc_problem_t *p, const rc_stationary_shape_t *shape, rc_err_t *err)
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
        return upload_parts(s, p, shape->lanes, 0, err);
    int64_t resident = 0;
    rc_status_t st = resident_ctas(s->d, s->entry, &resident, err);
    if (st < 0)
        return st;
    int64_t split = shape->split ? shape->split : rc_split_auto(strips, rounds, resident);
    int64_t most = INT32_MAX / strips;
    int64_t parts = parts_most(p, shape->lanes);
    split = split < parts ? split : parts;
    split = split < most ? split : most;
    s->ctas = (unsigned)(strips * split);
    s->args.split = (int32_t)split;
    return upload_parts(s, p, shape->lanes, (int32_t)split, err);
}

rc_status_t rc_stationary_prepare(rc_device_t *d, const rc_problem_t *p,
    const rc_stationary_shape_t *shape, void **state, rc_err_t *err)
{
    stationary_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->d = d;
    rc_status_t st;
    RC_TRY(rc_cuda_slots_build(d, p, &s->slots, err));
    s->args = (rc_stationary_args_t){.ptr = s->slots.ptr,
        .col = s->slots.col,
        .val = s->slots.val,
        .row = s->slots.row,
        .cols = s->slots.cols,
        .c_rows = s->slots.c_rows,
        .k = s->slots.k,
        .slots = (int32_t)s->slots.slots};
    RC_TRY(choose_launch(s, p, shape, err));
    *state = s;
    return RC_OK;
done:
    rc_stationary_release(s);
    return st;
}

rc_status_t rc_stationary_run(void *state, const void *b, void *c, rc_err_t *err)
{
    const stationary_t *s = state;
    if (s->ctas == 0)
        return RC_OK;
    rc_stationary_args_t args = s->args;
    args.b = b;
    args.c = c;
    void *list[] = {&args};
    cudaStream_t stream = rc_cuda_stream(s->d);
    return rc_cuda_check(cudaLaunchKernel(s->entry, (dim3){s->ctas, 1, 1},
                             (dim3){RC_CTA_THREADS, 1, 1}, list, 0, stream),
        "launch of the C-stationary kernel", err);
}

void rc_stationary_release(void *state)
{
    stationary_t *s = state;
    if (!s)
        return;
    rc_cuda_slots_free(s->d, &s->slots);
    s->d->release(s->d, s->part);
    free(s);
}
