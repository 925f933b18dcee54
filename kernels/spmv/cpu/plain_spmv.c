/* The plain product with a vector, a row at a time: what other kernels are checked against, and,
 * with the slots shared out among the threads in equal runs (static schedule), the baseline of
 * CSR-k, whose rows are the same sums. */
#include "config.h"
#include "kernels/cpu/plain.h"

#define INSTANCES "kernels/spmv/cpu/plain_spmv.inc"
#define COMPLEX
#include "device/cpu/instances.inc"

rc_status_t rc_plain_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_plain_t *s = state;
    rc_status_t st = rc_slots_build(&s->base.memory, p, &s->slots, err);
    s->base.val = s->slots.val;
    s->base.stored = p->a->nnz;
    return st;
}

void rc_plain_rows(const rc_slots_t *slots, rc_precision_t precision, int64_t p0, int64_t p1,
    const rc_cpu_run_t *run)
{
    static void (*const rows[])(const rc_slots_t *, int64_t, int64_t, const rc_cpu_run_t *) =
        RC_INSTANCES_ANY(rows);
    rows[precision](slots, p0, p1, run);
}

/* The next so many slots from p on. */
static void take(const rc_plain_t *s, int64_t p, int64_t chunk, const rc_cpu_run_t *run)
{
    const int64_t n = s->slots.slots;
    rc_plain_rows(&s->slots, s->base.p.precision, p, p + chunk < n ? p + chunk : n, run);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    enum { chunk = 256 };
    (void)err;
    const rc_plain_t *s = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
#pragma omp parallel for num_threads(s->slots.threads) schedule(dynamic, 1)
    for (int64_t p = 0; p < s->slots.slots; p += chunk)
        take(s, p, chunk, &run);
    rc_slots_scale_absent(&s->slots, &o->out, run.beta);
    return RC_OK;
}

static rc_status_t run_static(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rc_plain_t *s = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    const int64_t n = s->slots.slots;
    const int64_t share = n > 0 ? (n - 1) / s->slots.threads + 1 : 1;
#pragma omp parallel for num_threads(s->slots.threads) schedule(static, 1)
    for (int64_t p = 0; p < n; p += share)
        take(s, p, share, &run);
    rc_slots_scale_absent(&s->slots, &o->out, run.beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_plain_spmv = {
    .name = "plain-spmv",
    .summary = "y = A x, a row at a time (the reference of the operation)",
    .source = "rowcast",
    .version = 1,
    RC_PLAIN_SPMV,
    RC_PLAIN_STATE,
    .run = run,
};

const rc_kernel_t rc_kernel_plain_spmv_static = {
    .name = "plain-spmv-static",
    .summary = "y = A x, a row at a time, rows shared out in equal runs",
    .source = "rowcast; the baseline of Lane and Booth 2022 on CPUs",
    .version = 1,
    RC_PLAIN_SPMV,
    RC_PLAIN_STATE,
    .run = run_static,
};
