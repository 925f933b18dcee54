/* plain: rows by warp load L(R) = ceil(nnz_R / N_t) (Mehrabi et al. 2021, section III-A).
 * [chosen] Decreasing, because the text says that plain sort gives the largest load of each group
 * of N_w rows to the first warp.  Equal loads keep the original order; empty rows (L = 0) come
 * last.  Cost O(rows). */
#include "config.h"
#include "order/policy.h"
#include "order/rows.h"

#include <stdlib.h>

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    int32_t *load = NULL;
    rc_status_t st = rc_row_loads(a, in->geometry->nt, in->threads, &load, err);
    if (st == RC_OK)
        st = rc_schedule_alloc(a->rows, a->rows, out, err);
    if (st == RC_OK)
        st = rc_rows_by_load(load, 1, a->rows, out->row, err);
    free(load);
    return st;
}

const rc_policy_t rc_policy_plain = {
    .name = "plain",
    .summary = "rows by decreasing warp load",
    .source = "Mehrabi et al. 2021, section III-A",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
