/* The plain transposed product: every entry adds a multiple of a row of B to a row of C.  A thread
 * owns columns of C, so nothing is added by two threads, and the sums have one order. */
#include "config.h"
#include "kernels/cpu/plain.h"

#define VALUE float
#define NAME(x) x##_f32
#include "kernels/cpu/plain_spmm_t.inc"
#define VALUE double
#define NAME(x) x##_f64
#include "kernels/cpu/plain_spmm_t.inc"

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rc_plain_t *s = state;
    int64_t k = o->out.cols;
    int64_t width = (k + s->slots.threads - 1) / s->slots.threads;
#pragma omp parallel for num_threads(s->slots.threads) schedule(static, 1)
    for (int t = 0; t < s->slots.threads; t++) {
        int64_t j0 = t * width < k ? t * width : k;
        int64_t j1 = j0 + width < k ? j0 + width : k;
        if (s->precision == RC_FP32)
            strip_f32(&s->slots, o, j0, j1, (float)alpha, (float)beta);
        else
            strip_f64(&s->slots, o, j0, j1, alpha, beta);
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
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .analyse = rc_slots_analyse,
    .geometry = rc_cpu_geometry,
    .prepare = rc_plain_prepare,
    .run = run,
    .release = rc_plain_release,
};
