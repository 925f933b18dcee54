/* csr: the original row order, the baseline of every comparison (Mehrabi et al. 2021, section
 * II-A).  Slot p holds row p; no pads.  Cost O(rows). */
#include "config.h"
#include "order/policy.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    rc_status_t st = rc_schedule_alloc(a->rows, a->rows, out, err);
    for (int64_t r = 0; st == RC_OK && r < a->rows; r++)
        out->row[r] = (int32_t)r;
    return st;
}

const rc_policy_t rc_policy_csr = {
    .name = "csr",
    .summary = "original row order",
    .source = "Mehrabi et al. 2021, section II-A",
    .version = 1,
    .build = build,
};
