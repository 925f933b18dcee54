/* flipped: as plain (decreasing warp load, ties by index), with every second group of N_w slots
 * reversed, so that the first warp does not get the largest row of every group (Mehrabi et al.
 * 2021, section III-A).  Groups 1, 3, 5, ... counted from 0 are reversed; a last group of fewer
 * than N_w rows is reversed within itself [chosen].  Cost O(rows). */
#include "config.h"
#include "base/error.h"
#include "order/policy.h"

extern const rc_policy_t rc_policy_plain;

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    RC_PASS(rc_policy_plain.build(in, out, err));
    int64_t nw = in->geometry->nw;
    for (int64_t first = nw; first < a->rows; first += 2 * nw) {
        int64_t last = first + nw < a->rows ? first + nw - 1 : a->rows - 1;
        for (int64_t i = first; i < last; i++, last--) {
            int32_t swap = out->row[i];
            out->row[i] = out->row[last];
            out->row[last] = swap;
        }
    }
    return RC_OK;
}

const rc_policy_t rc_policy_flipped = {
    .name = "flipped",
    .summary = "as plain, every second group of nw slots reversed",
    .source = "Mehrabi et al. 2021, section III-A",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
