/* The plain transposed product: every entry adds a multiple of a row of B to a row of C.  A thread
 * owns columns of C, so nothing is added by two threads, and the sums have one order. */
#include "config.h"
#include "kernels/cpu/plain.h"

#define INSTANCES "kernels/spmm_t/cpu/plain_spmm_t.inc"
#include "device/cpu/instances.inc"
#include "kernels/kernel.h"

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rc_plain_t *s = state;
    static void (*const strip[])(const rc_slots_t *, const rc_operands_t *, int64_t, int64_t,
        double, double) = RC_INSTANCES(strip);
    int64_t k = o->out.cols;
    int64_t width = (k + s->slots.threads - 1) / s->slots.threads;
#pragma omp parallel for num_threads(s->slots.threads) schedule(static, 1)
    for (int t = 0; t < s->slots.threads; t++) {
        int64_t j0 = t * width < k ? t * width : k;
        int64_t j1 = j0 + width < k ? j0 + width : k;
        strip[s->precision](&s->slots, o, j0, j1, alpha, beta);
    }
    return RC_OK;
}

const rc_kernel_t rc_kernel_plain_spmm_t = {
    .name = "plain-spmm_t",
    .summary = "C = A' B, row-major: an entry at a time (the reference of the operation)",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CPU,
    .op = RC_OP_SPMM_T,
    .layout = RC_ROW_MAJOR,
    .format = "slots",
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 1,
    .strict = rc_kernel_always,
    .deterministic = rc_kernel_always,
    .analyse = rc_slots_analyse,
    .geometry = rc_cpu_geometry,
    .prepare = rc_plain_prepare,
    .run = run,
    .release = rc_plain_release,
};
