/* y = alpha A x + beta y with a few lanes per row. */
#include "config.h"
#include "kernels/kernel.h"
#include "kernels/testing/gplain.h"

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_gplain_t *s = state;
    int before = rc_cuda_enter(s->x);
    rc_status_t st = rc_gplain_spmv(s, o, alpha, beta, err);
    if (st == RC_OK)
        st = rc_cuda_slots_absent(s->x, &s->slots, &o->out, beta, err);
    rc_cuda_leave(s->x, before);
    return st;
}

const rc_kernel_t rc_kernel_gplain_spmv = {
    .name = "gplain-spmv",
    .summary = "plain sparse x vector on a GPU: 8 lanes per row",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .strict = rc_kernel_always,
    .deterministic = rc_kernel_always,
    .analyse = rc_cuda_slots_analyse,
    .geometry = rc_cuda_geometry,
    .prepare = rc_gplain_prepare,
    .run = run,
    .release = rc_gplain_release,
    .values = rc_gplain_values,
};
