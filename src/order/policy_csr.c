/* csr: the original row order, the baseline of every comparison (Mehrabi et al. 2021, section
 * II-A).  Slot p holds row p; no pads.  Cost O(rows). */
#include "config.h"
#include "order/policy.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return rc_schedule_original(in->a, out, err);
}

const rc_policy_t rc_policy_csr = {
    .name = "csr",
    .summary = "original row order",
    .source = "Mehrabi et al. 2021, section II-A",
    .version = 1,
    .build = build,
};
