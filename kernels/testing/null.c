/* Does nothing: what the harness measures with it is the harness.  For testing. */
#include "config.h"
#include "format/slots.h"
#include "kernels/prepared.h"

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    (void)p;
    (void)err;
    *out = (rc_analysis_t){.fill = 1};
    return RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)state;
    (void)o;
    (void)alpha;
    (void)beta;
    (void)err;
    return RC_OK;
}

const rc_kernel_t rc_kernel_null = {
    .name = "null",
    .summary = "does nothing, to time the harness itself (for testing)",
    RC_TESTING_MEMBERS,
    .device = RC_DEVICE_CPU,
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 0,
    .analyse = analyse,
    .geometry = rc_cpu_geometry,
    .state_bytes = RC_STATE(rc_prepared_t),
    .run = run,
};
