/* warp: warp-aware sort (Mehrabi et al. 2021, section III-B).  The first N_w slots take the rows of
 * lowest warp load, ties by index; then slot p takes the unplaced row whose mask is closest
 * (Hamming distance) to that of the row in slot p - N_w, so that a warp finds its lines of B in
 * cache.  [chosen] The paper does not say which of equally close rows: the smallest index.  Empty
 * rows are rows with an empty mask.  Exact.  Cost: see order/nearest.h. */
#include "config.h"
#include "order/greedy.h"
#include "order/policy.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_greedy_rule_t rule = {.by_warp = 1, .tie = RC_NEAREST_INDEX};
    return rc_greedy_build(in, &rule, -1, out, err);
}

const rc_policy_t rc_policy_warp = {
    .name = "warp",
    .summary = "each row like the one before it in its warp",
    .source = "Mehrabi et al. 2021, section III-B",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
