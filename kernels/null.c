/* Does nothing: what the harness measures with it is the harness.  For testing. */
#include "config.h"
#include "kernels/cpu/slots.h"

static int64_t no_bytes(const rc_problem_t *p)
{
    (void)p;
    return 0;
}

static rc_status_t prepare(rc_device_t *d, const rc_problem_t *p, void **state, rc_err_t *err)
{
    (void)d;
    (void)p;
    (void)err;
    *state = NULL;
    return RC_OK;
}

static rc_status_t run(void *state, const void *b, void *c, rc_err_t *err)
{
    (void)state;
    (void)b;
    (void)c;
    (void)err;
    return RC_OK;
}

static void release(void *state)
{
    (void)state;
}

const rc_kernel_t rc_kernel_null = {
    .name = "null",
    .summary = "does nothing, to time the harness itself (for testing)",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CPU,
    .layout = RC_COL_MAJOR,
    .computes = 0,
    .for_testing = 1,
    .supports = rc_cpu_supports,
    .geometry = rc_cpu_geometry,
    .bytes_min = no_bytes,
    .bytes_device = no_bytes,
    .prepare = prepare,
    .run = run,
    .release = release,
};
