/* hybrid1: load balance first, locality among equals (Mehrabi et al. 2021, section III-C).  Rows by
 * decreasing warp load; among the unplaced rows of that load, slot p takes the one whose mask is
 * closest to that of the row in slot p - 1, also when that one has a larger load.  [chosen] Slot 0
 * and equally close rows: the smallest index.  Exact.  Cost: see order/nearest.h, over the rows of
 * each load. */
#include "config.h"
#include "order/greedy.h"
#include "order/policy.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_greedy_rule_t rule = {.within_load = 1, .tie = RC_NEAREST_INDEX};
    return rc_greedy_build(in, &rule, -1, out, err);
}

const rc_policy_t rc_policy_hybrid1 = {
    .name = "hybrid1",
    .summary = "rows by decreasing warp load, ties by likeness to the row before",
    .source = "Mehrabi et al. 2021, section III-C",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
