/* y = A x of CSR-2 (Lane and Booth 2022, Listing 1 without its outer level): the super-rows are shared out
 * among the threads in equal runs (static schedule), a row is a plain sum, y is stored once.  Works under any
 * order: super-rows are the groups sr_ptr of the order, or slots cut to size. */
#include "config.h"
#include "kernels/cpu/super_rows.h"

enum { LEVELS = 1 };

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    return rc_csrk_analyse(p, LEVELS, out, err);
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    (void)analysis;
    return rc_csrk_new(x, p, LEVELS, state, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rc_csrk_t *k = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    rc_csrk_product(k, &run);
    rc_slots_scale_absent(&k->slots, &o->out, beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_csr2 = {
    .name = "csr2",
    .summary = "y = A x: super-rows shared out in equal runs (CSR-2)",
    .source = "Lane and Booth 2022, Listing 1",
    .version = 2, /* 1: a call for each super-row */
    .device = RC_DEVICE_CPU,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_SRS_PARAM},
    .analyse = analyse,
    .geometry = rc_cpu_geometry,
    .prepare = prepare,
    .run = run,
    .release = rc_csrk_release,
};
