/* The plain transposed product: every entry adds a multiple of a row of B to a row of C.  A thread
 * owns columns of C, so nothing is added by two threads, and the sums have one order. */
#include "config.h"
#include "base/error.h"
#include "kernels/cpu/sums.h"

typedef struct turned {
    rc_plain_t plain;
    void *sums; /* its own: rc_c_sums_own */
} turned_t;

#define INSTANCES "kernels/spmm_t/cpu/plain_spmm_t.inc"
#define COMPLEX
#include "device/cpu/instances.inc"

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_slots_analyse(p, out, err);
    out->bytes_per_column = rc_sat_add(out->bytes_per_column, rc_c_sums_bytes(p, p->c_rows));
    return st;
}

static rc_status_t own(void *state, rc_err_t *err)
{
    turned_t *s = state;
    return rc_c_sums_own(&s->plain.base, s->plain.base.p.c_rows, &s->sums, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const turned_t *s = state;
    const rc_slots_t *slots = &s->plain.slots;
    const rc_c_sums_t sums = rc_c_sums_of(s->sums, &o->out);
    static void (*const strip[])(const rc_slots_t *, const rc_operands_t *, const rc_c_sums_t *,
        const rc_strip_t *, const rc_cpu_run_t *) = RC_INSTANCES_ANY(strip);
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
#pragma omp parallel for num_threads(slots->threads) schedule(static, 1)
    for (int t = 0; t < slots->threads; t++) {
        const rc_strip_t mine = rc_strip_of(o->out.cols, t, slots->threads);
        strip[s->plain.base.p.precision](slots, o, &sums, &mine, &run);
    }
    return RC_OK;
}

const rc_kernel_t rc_kernel_plain_spmm_t = {
    .name = "plain-spmm_t",
    .summary = "C = A' B, row-major: an entry at a time (the reference of the operation)",
    .source = "rowcast",
    .version = 1,
    .op = RC_OP_SPMM_T,
    .layout = RC_ROW_MAJOR,
    .c_orders = RC_STORES_ORIGINAL,
    RC_PLAIN_MEMBERS,
    .format = "slots",
    .analyse = analyse,
    .state_bytes = RC_STATE(turned_t),
    .build = rc_plain_build,
    .own = own,
    .run = run,
};
