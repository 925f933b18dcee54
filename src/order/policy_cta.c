/* cta: CTA-aware sort (Mehrabi et al. 2021, section III-B).  [chosen] Slot 0 takes the row of
 * lowest warp load, ties by index: the paper does not name the first row.  Then slot p takes the
 * unplaced row whose mask is closest (Hamming distance) to that of the row in slot p - 1, so that
 * warps that run side by side share lines of B; [chosen] ties by smallest index.  Empty rows are
 * rows with an empty mask.  Exact.  Cost: see order/nearest.h. */
#include "config.h"
#include "order/greedy.h"
#include "order/policy.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_greedy_rule_t rule = {.by_warp = 0, .tie = RC_NEAREST_INDEX};
    return rc_greedy_build(in, &rule, -1, out, err);
}

const rc_policy_t rc_policy_cta = {
    .name = "cta",
    .summary = "each row like the one before it",
    .source = "Mehrabi et al. 2021, section III-B",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
