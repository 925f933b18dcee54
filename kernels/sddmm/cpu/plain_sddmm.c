/* The plain sampled product: a scalar product for every entry, stored in the order of the original
 * matrix whatever the schedule. */
#include "config.h"
#include "kernels/cpu/plain.h"

#define INSTANCES "kernels/sddmm/cpu/plain_sddmm.inc"
#include "device/cpu/instances.inc"
#include "kernels/kernel.h"

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    (void)analysis;
    rc_plain_t *s = NULL;
    rc_status_t st = rc_plain_new(x, p, 1, &s, err);
    *state = s;
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    static void (*const slot[])(const rc_plain_t *, const rc_operands_t *, int64_t, int64_t, double,
        double) = RC_INSTANCES(slot);
    enum { chunk = 64 };
    (void)err;
    const rc_plain_t *s = state;
#pragma omp parallel for num_threads(s->slots.threads) schedule(dynamic, chunk)
    for (int64_t p = 0; p < s->slots.slots; p++) {
        int64_t r = s->slots.row ? s->slots.row[p] : p;
        if (r < 0)
            continue;
        slot[s->precision](s, o, p, r, alpha, beta);
    }
    return RC_OK;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_slots_analyse(p, out, err);
    int64_t first = rc_sat_mul(p->schedule->slots, (int64_t)sizeof(int64_t));
    out->bytes = rc_sat_add(out->bytes, first);
    out->traffic = rc_sat_add(out->traffic, first);
    return st;
}

const rc_kernel_t rc_kernel_plain_sddmm = {
    .name = "plain-sddmm",
    .summary = "O = A .* (Y X'), row-major: an entry at a time (the reference of the operation)",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CPU,
    .op = RC_OP_SDDMM,
    .layout = RC_ROW_MAJOR,
    .format = "slots",
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 1,
    .strict = rc_kernel_always,
    .deterministic = rc_kernel_always,
    .analyse = analyse,
    .geometry = rc_cpu_geometry,
    .prepare = prepare,
    .run = run,
    .release = rc_plain_release,
};
