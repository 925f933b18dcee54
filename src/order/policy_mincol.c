/* mincol: rows by their smallest column, rows of the same one and rows without entries in original
 * order, the latter last [our own rule].  The cheapest order that brings rows together that share a
 * column, and the one to beat.  Memory beside the schedule: 8 bytes a row.  Cost O(rows). */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/policy.h"
#include "order/steps.h"

#include <stdlib.h>

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    int32_t *key = rc_alloc((size_t)in->a->rows, sizeof *key, "smallest columns", err);
    RC_PASS(key ? RC_OK : RC_ENOMEM);
    const int32_t *keys[] = {key};
    rc_first_columns(in, key);
    rc_status_t st = rc_schedule_by_keys(in, keys, 1, out, err);
    free(key);
    return st;
}

const rc_policy_t rc_policy_mincol = {
    .name = "mincol",
    .summary = "rows by their smallest column",
    .source = "our own rule, at the top of src/order/policy_mincol.c",
    .version = 1,
    .on_request = 1,
    .build = build,
};
