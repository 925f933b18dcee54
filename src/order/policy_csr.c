/* csr: the original row order, the baseline of every comparison (Mehrabi et al. 2021, section
 * II-A).  Slot p holds row p; no pads.  Cost O(rows).
 *
 * dcsr: the original row order with the empty rows left out, as in densified CSR (Mehrabi et al.
 * 2021, section II-A; Hong et al. 2018).  No pads; fewer slots than rows when rows are empty.
 * Cost O(rows). */
#include "config.h"
#include "base/error.h"
#include "order/policy.h"

static rc_status_t build_csr(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return rc_schedule_original(in->a, out, err);
}

const rc_policy_t rc_policy_csr = {
    .name = "csr",
    .summary = "original row order",
    .source = "Mehrabi et al. 2021, section II-A",
    .version = 1,
    .build = build_csr,
};

static rc_status_t build_dcsr(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    int64_t slots = 0;
    for (int64_t r = 0; r < a->rows; r++)
        slots += a->row_ptr[r + 1] > a->row_ptr[r];
    RC_PASS(rc_schedule_alloc(slots, a->rows, out, err));
    int64_t p = 0;
    for (int64_t r = 0; r < a->rows; r++)
        if (a->row_ptr[r + 1] > a->row_ptr[r])
            out->row[p++] = (int32_t)r;
    return RC_OK;
}

const rc_policy_t rc_policy_dcsr = {
    .name = "dcsr",
    .summary = "original row order without the empty rows",
    .source = "Mehrabi et al. 2021, section II-A",
    .version = 1,
    .rows_only = 1,
    .build = build_dcsr,
};
