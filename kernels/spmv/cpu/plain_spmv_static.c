/* The plain product with a vector, the slots shared out among the threads in equal runs (static
 * schedule): the baseline of CSR-k, whose rows are the same sums. */
#include "config.h"
#include "kernels/cpu/plain.h"

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rc_plain_t *s = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    const int64_t n = s->slots.slots;
    const int64_t threads = s->slots.threads;
    const int64_t share = n > 0 ? (n - 1) / threads + 1 : 1;
#pragma omp parallel for num_threads(s->slots.threads) schedule(static, 1)
    for (int64_t p = 0; p < n; p += share)
        rc_plain_rows(&s->slots, s->base.p.precision, p, p + share < n ? p + share : n, &run);
    rc_slots_scale_absent(&s->slots, &o->out, beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_plain_spmv_static = {
    .name = "plain-spmv-static",
    .summary = "y = A x, a row at a time, rows shared out in equal runs",
    .source = "rowcast; the baseline of Lane and Booth 2022 on CPUs",
    .version = 1,
    .layout = RC_COL_MAJOR,
    RC_PLAIN_SPMV,
    RC_PLAIN_STATE,
    .run = run,
};
