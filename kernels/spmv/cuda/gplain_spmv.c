/* y = alpha A x + beta y with a few lanes per row. */
#include "config.h"
#include "kernels/testing/gplain.h"
#include "base/error.h"

static rc_status_t multiply(
    const rc_gplain_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    RC_PASS(rc_gplain_spmv(s, o, alpha, beta, err));
    return rc_cuda_slots_absent(s->base.memory.x, &s->slots, o, beta, err);
}

const rc_kernel_t rc_kernel_gplain_spmv = {
    .name = "gplain-spmv",
    .summary = "plain sparse x vector on a GPU: 8 lanes per row",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .c_orders = RC_STORES_ANY,
    .deterministic = rc_kernel_always,
    .analyse = rc_cuda_slots_analyse,
    RC_GPLAIN_MEMBERS(multiply),
    .build = rc_gplain_build,
};
