/* The plain sampled product: a scalar product for every entry, stored in the order of the original
 * matrix whatever the schedule. */
#include "config.h"
#include "kernels/cpu/plain.h"
#include "base/error.h"

typedef struct sampled {
    rc_plain_t plain;
    int64_t *first; /* [slots] entry of the original matrix that a slot begins with */
} sampled_t;

#define INSTANCES "kernels/sddmm/cpu/plain_sddmm.inc"
#define COMPLEX
#include "device/cpu/instances.inc"

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    sampled_t *s = state;
    int64_t slots = p->schedule->slots;
    RC_PASS(rc_plain_build(state, p, analysis, err));
    s->first = rc_prepared_array(
        &s->plain.base, (size_t)slots, sizeof *s->first, "entries of the slots", err);
    for (int64_t i = 0; s->first && i < slots; i++) {
        int64_t r = p->schedule->row[i];
        s->first[i] = r < 0 ? 0 : p->a->row_ptr[r];
    }
    return s->first ? RC_OK : RC_ENOMEM;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    static void (*const slot[])(const sampled_t *, const rc_operands_t *, int64_t, int64_t,
        const rc_cpu_run_t *) = RC_INSTANCES_ANY(slot);
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    enum { chunk = 64 };
    (void)err;
    const sampled_t *s = state;
    const rc_slots_t *slots = &s->plain.slots;
#pragma omp parallel for num_threads(slots->threads) schedule(dynamic, chunk)
    for (int64_t p = 0; p < slots->slots; p++) {
        int64_t r = slots->row ? slots->row[p] : p;
        if (r < 0)
            continue;
        slot[s->plain.base.p.precision](s, o, p, r, &run);
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
    .op = RC_OP_SDDMM,
    .layout = RC_ROW_MAJOR,
    .format = "slots",
    .c_orders = RC_STORES_ORIGINAL,
    .analyse = analyse,
    RC_PLAIN_MEMBERS,
    .state_bytes = RC_STATE(sampled_t),
    .build = build,
    .run = run,
};
