/* hybrid2.1: as cta, equally close rows by warp load (Mehrabi et al. 2021, section III-C). [chosen]
 * Among equally close rows the one whose warp load is nearest to that of slot p - 1, since the
 * paper says only 'based on warp load'; then the smallest index; slot 0 as in cta.  Exact.
 * Cost: see order/nearest.h. */
#include "config.h"
#include "order/greedy.h"
#include "order/policy.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_greedy_rule_t rule = {.by_warp = 0, .tie = RC_NEAREST_LOAD};
    return rc_greedy_build(in, &rule, -1, out, err);
}

const rc_policy_t rc_policy_hybrid2_1 = {
    .name = "hybrid2.1",
    .summary = "as cta, ties by nearest warp load",
    .source = "Mehrabi et al. 2021, section III-C",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
