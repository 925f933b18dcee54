/* labels: communities by label propagation through columns (after Raghavan, Albert and Kumara 2007,
 * in synchronous rounds) [the rest is our own rule].
 *
 * The label of a row begins as its number.  In a round every column takes the label of one of the
 * rows that hold it, the one with the smallest h(row + round 0x9e3779b9), h the finaliser of
 * MurmurHash3 (order/local.h), rounds from 0, 32-bit arithmetic; then every row with entries takes
 * the label that most of its votes have, ties: the one with the smallest h(label).  Only the first
 * 64 entries of a row count; all of them vote in a row of up to 32, else entries floor(v length /
 * 32), v = 0 to 31.  Rows are sorted by label after `rounds` rounds, equal ones by row number.  As
 * columns need no numbers of their own, the matrix may be rectangular, and rows and columns
 * numbered apart.
 *
 * Memory beside the schedule: 4 bytes a row and 4 a column, and 4 a row while it sorts.  Cost
 * O(rounds nnz). */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/policy.h"
#include "order/steps.h"

#include <stdlib.h>

enum { PARAM_ROUNDS };

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    uint32_t *label = rc_alloc((size_t)in->a->rows, sizeof *label, "labels of rows", err);
    const int32_t *const keys[] = {(const int32_t *)label};
    RC_PASS(label ? RC_OK : RC_ENOMEM);
    rc_status_t st = rc_vote(in, (int)in->params->value[PARAM_ROUNDS], label, err);
    if (st == RC_OK)
        st = rc_schedule_by_keys(in, keys, 1, out, err);
    free(label);
    return st;
}

const rc_policy_t rc_policy_labels = {
    .name = "labels",
    .summary = "community after community, by label propagation",
    .source = "Raghavan, Albert and Kumara 2007; choices at the top of src/order/policy_labels.c",
    .version = 1,
    .on_request = 1,
    .param = {{"rounds", "of propagation", 8, 0, 100, 0}},
    .build = build,
};
