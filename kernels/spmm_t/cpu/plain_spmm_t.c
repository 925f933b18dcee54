/* The plain transposed product: every entry adds a multiple of a row of B to a row of C.  A thread
 * owns columns of C, so nothing is added by two threads, and the sums have one order. */
#include "config.h"
#include "kernels/cpu/plain.h"

#define INSTANCES "kernels/spmm_t/cpu/plain_spmm_t.inc"
#include "device/cpu/instances.inc"

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rc_plain_t *s = state;
    static void (*const strip[])(const rc_slots_t *, const rc_operands_t *, int64_t, int64_t,
        double, double) = RC_INSTANCES(strip);
#pragma omp parallel for num_threads(s->slots.threads) schedule(static, 1)
    for (int t = 0; t < s->slots.threads; t++) {
        const rc_strip_t own = rc_strip_of(o->out.cols, t, s->slots.threads);
        strip[s->base.p.precision](&s->slots, o, own.begin, own.end, alpha, beta);
    }
    return RC_OK;
}

const rc_kernel_t rc_kernel_plain_spmm_t = {
    .name = "plain-spmm_t",
    .summary = "C = A' B, row-major: an entry at a time (the reference of the operation)",
    .source = "rowcast",
    .version = 1,
    .op = RC_OP_SPMM_T,
    .layout = RC_ROW_MAJOR,
    .c_orders = RC_STORES_ORIGINAL,
    RC_PLAIN_MEMBERS,
    RC_PLAIN_STATE,
    .run = run,
};
