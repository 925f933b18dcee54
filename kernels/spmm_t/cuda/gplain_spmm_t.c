/* C = alpha A^T B + beta C: C is scaled in a first launch, then every entry adds a multiple of a row
 * of B to a row of C.  The additions are atomic and come in any order, so that the sums of two runs
 * may differ in their last bits. */
#include "config.h"
#include "kernels/kernel.h"
#include "device/cuda/scale.h"
#include "kernels/testing/gplain.h"

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_gplain_t *s = state;
    int before = rc_cuda_enter(s->x);
    rc_status_t st = rc_cuda_scale(s->x, &o->out, NULL, o->out.rows, beta, err);
    if (st == RC_OK)
        st = rc_gplain_spmm_t(s, o, alpha, err);
    rc_cuda_leave(s->x, before);
    return st;
}

const rc_kernel_t rc_kernel_gplain_spmm_t = {
    .name = "gplain-spmm_t",
    .summary = "plain transposed sparse x dense on a GPU, row-major, atomic additions: sums of two "
               "runs may differ in their last bits",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMM_T,
    .layout = RC_ROW_MAJOR,
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 1,
    .strict = rc_kernel_always,
    .analyse = rc_cuda_slots_analyse,
    .geometry = rc_cuda_geometry,
    .prepare = rc_gplain_prepare,
    .run = run,
    .release = rc_gplain_release,
    .values = rc_gplain_values,
};
