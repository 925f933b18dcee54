/* hybrid2.3: as warp, equally close rows by warp load (Mehrabi et al. 2021, section III-C).
 * [chosen] Among the unplaced rows closest to slot p - N_w, the one whose warp load is nearest to
 * that of slot p - 1 (its neighbour in time), then the smallest index; the first N_w slots as in
 * warp. Exact.  Cost: see order/nearest.h. */
#include "config.h"
#include "order/greedy.h"
#include "order/policy.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_greedy_rule_t rule = {.by_warp = 1, .tie = RC_NEAREST_LOAD};
    return rc_greedy_build(in, &rule, -1, out, err);
}

const rc_policy_t rc_policy_hybrid2_3 = {
    .name = "hybrid2.3",
    .summary = "as warp, ties by nearest warp load",
    .source = "Mehrabi et al. 2021, section III-C",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
