/* C = alpha A^T B + beta C: C is scaled in a first launch, then every entry adds a multiple of a
 * row of B to a row of C.  The additions are atomic and come in any order, so that the sums of
 * two runs may differ in their last bits.  No types of 16 bits: each addition would round. */
#include "config.h"
#include "device/cuda/scale.h"
#include "base/error.h"
#include "kernels/testing/gplain.h"

static rc_status_t multiply(
    const rc_gplain_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const double by[2] = {beta, o->beta_im};
    RC_PASS(rc_cuda_scale(s->base.memory.x, &o->out, NULL, o->out.rows, by, err));
    return rc_gplain_spmm_t(s, o, alpha, err);
}

const rc_kernel_t rc_kernel_gplain_spmm_t = {
    .name = "gplain-spmm_t",
    .summary = "plain transposed sparse x dense on a GPU, row-major, atomic additions: sums of two "
               "runs may differ in their last bits",
    .source = "rowcast",
    .op = RC_OP_SPMM_T,
    .layout = RC_ROW_MAJOR,
    .types = RC_TYPES_WHOLE,
    .c_orders = RC_STORES_ORIGINAL,
    .analyse = rc_cuda_slots_analyse,
    RC_GPLAIN_MEMBERS(multiply),
    .build = rc_gplain_build,
};
