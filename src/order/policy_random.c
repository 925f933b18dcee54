/* random: a uniformly random permutation of the rows, by the shuffle of Fisher and Yates (Knuth,
 * The Art of Computer Programming, volume 2, section 3.4.2), drawn from the project's generator:
 * the same for a seed on every machine.  Says what an order is worth against none.  Cost
 * O(rows). */
#include "config.h"
#include "base/error.h"
#include "base/rng.h"
#include "order/policy.h"

enum { PARAM_SEED };

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_rng_t rng;
    RC_PASS(rc_schedule_alloc(in->a->rows, in->a->rows, out, err));
    rc_rng_seed(&rng, (uint64_t)in->params->value[PARAM_SEED]);
    for (int64_t p = 0; p < out->slots; p++) {
        int64_t q = (int64_t)rc_rng_below(&rng, (uint64_t)p + 1);
        out->row[p] = out->row[q];
        out->row[q] = (int32_t)p;
    }
    return RC_OK;
}

const rc_policy_t rc_policy_random = {
    .name = "random",
    .summary = "rows in a random order",
    .source = "Knuth, The Art of Computer Programming 2, section 3.4.2",
    .version = 1,
    .on_request = 1,
    .param = {{"seed", "of the random numbers", 1, 0, INT64_MAX, 0}},
    .build = build,
};
