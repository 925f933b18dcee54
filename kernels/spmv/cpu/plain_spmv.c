/* The plain product with a vector: a row at a time.  What other kernels are checked against. */
#include "config.h"
#include "kernels/cpu/plain.h"

#define INSTANCES "kernels/spmv/cpu/plain_spmv.inc"
#include "device/cpu/instances.inc"

void rc_plain_rows(const rc_slots_t *slots, rc_precision_t precision, int64_t p0, int64_t p1,
    const rc_cpu_run_t *run)
{
    static void (*const rows[])(const rc_slots_t *, int64_t, int64_t, const rc_cpu_run_t *) =
        RC_INSTANCES(rows);
    rows[precision](slots, p0, p1, run);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    enum { chunk = 256 };
    (void)err;
    const rc_plain_t *s = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    const int64_t n = s->slots.slots;
#pragma omp parallel for num_threads(s->slots.threads) schedule(dynamic, 1)
    for (int64_t p = 0; p < n; p += chunk)
        rc_plain_rows(&s->slots, s->base.p.precision, p, p + chunk < n ? p + chunk : n, &run);
    rc_slots_scale_absent(&s->slots, &o->out, beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_plain_spmv = {
    .name = "plain-spmv",
    .summary = "y = A x, a row at a time (the reference of the operation)",
    .source = "rowcast",
    .version = 1,
    .layout = RC_COL_MAJOR,
    RC_PLAIN_SPMV,
    RC_PLAIN_STATE,
    .run = run,
};
