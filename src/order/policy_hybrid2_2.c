/* hybrid2.2: as cta, equally close rows by distance within the warp (Mehrabi et al. 2021, section
 * III-C).  Among the unplaced rows closest to slot p - 1, the one whose mask is closest to that of
 * slot p - N_w; [chosen] then the smallest index, which alone decides while p < N_w.  Exact.
 * Cost: see order/nearest.h, with two reference rows. */
#include "config.h"
#include "order/greedy.h"
#include "order/policy.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_greedy_rule_t rule = {.by_warp = 0, .tie = RC_NEAREST_SECOND};
    return rc_greedy_build(in, &rule, -1, out, err);
}

const rc_policy_t rc_policy_hybrid2_2 = {
    .name = "hybrid2.2",
    .summary = "as cta, ties by likeness to the row before in the warp",
    .source = "Mehrabi et al. 2021, section III-C",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
