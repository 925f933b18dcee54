/* The plain product with a vector: a row at a time.  What other kernels are checked against. */
#include "config.h"
#include "kernels/cpu/plain.h"

#define VALUE float
#define NAME(x) x##_f32
#include "kernels/cpu/plain_spmv.inc"
#define VALUE double
#define NAME(x) x##_f64
#include "kernels/cpu/plain_spmv.inc"

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rc_plain_t *s = state;
    if (s->precision == RC_FP32)
        product_f32(&s->slots, o->in[0].data, o->out.data, (float)alpha, (float)beta);
    else
        product_f64(&s->slots, o->in[0].data, o->out.data, alpha, beta);
    rc_slots_scale_absent(&s->slots, &o->out, beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_plain_spmv = {
    .name = "plain-spmv",
    .summary = "y = A x, a row at a time (the reference of the operation)",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CPU,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .analyse = rc_slots_analyse,
    .geometry = rc_cpu_geometry,
    .prepare = rc_plain_prepare,
    .run = run,
    .release = rc_plain_release,
};
