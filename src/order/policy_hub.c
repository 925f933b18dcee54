/* hub: rows with many entries first (after the hub sorting and hub clustering of Balaji and Lucia
 * 2018, which renumber the vertices of a graph; here only rows are ordered) [chosen].
 *
 * A hub is a row of more than `times` times the mean entries of a row.  Hubs come first: with
 * `sort` longest first, equal ones in original order, else all in original order; then the other
 * rows in original order.  Groups: the hubs and the rest, as far as there are any.
 *
 * It gathers the long rows, which share the columns of hubs, and leaves alone whatever locality the
 * others have.  Memory beside the schedule: 4 bytes a row, and 4 while it sorts.  Cost O(rows). */
#include "config.h"
#include "base/alloc.h"
#include "order/policy.h"
#include "order/rows.h"

#include <stdlib.h>

enum { PARAM_TIMES, PARAM_SORT };

static int64_t length_of(const rc_csr_t *a, int64_t r)
{
    return a->row_ptr[r + 1] - a->row_ptr[r];
}

/* key[r] = 0 but for hubs.  \return how many hubs there are */
static int64_t find_hubs(const rc_order_input_t *in, int32_t *key)
{
    const rc_csr_t *a = in->a;
    int64_t bound = in->params->value[PARAM_TIMES] * a->nnz;
    int64_t hubs = 0;
#pragma omp parallel for num_threads(in->threads) schedule(static) reduction(+ : hubs)
    for (int64_t r = 0; r < a->rows; r++) {
        int is_hub = length_of(a, r) * a->rows > bound;
        hubs += is_hub;
        key[r] = !is_hub ? 0 : in->params->value[PARAM_SORT] ? (int32_t)length_of(a, r) : 1;
    }
    return hubs;
}

static rc_status_t add_groups(int64_t hubs, rc_schedule_t *s, rc_err_t *err)
{
    int64_t *ptr = rc_alloc0(3, sizeof *ptr, "groups", err);
    int64_t count = 0;
    if (!ptr)
        return RC_ENOMEM;
    if (hubs > 0)
        ptr[++count] = hubs;
    if (s->slots > hubs)
        ptr[++count] = s->slots;
    return rc_schedule_add_groups(s, "hub_ptr", count, ptr, err);
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    int64_t n = in->a->rows;
    int32_t *key = rc_alloc((size_t)n, sizeof *key, "keys of rows", err);
    if (!key)
        return RC_ENOMEM;
    int64_t hubs = find_hubs(in, key);
    rc_status_t st = rc_schedule_alloc(n, n, out, err);
    for (int64_t r = 0; st == RC_OK && r < n; r++)
        out->row[r] = (int32_t)r;
    if (st == RC_OK)
        st = rc_sort_by_key(key, 1, n, out->row, err);
    if (st == RC_OK)
        st = add_groups(hubs, out, err);
    rc_fact_number(in->facts, "hubs", hubs);
    free(key);
    return st;
}

const rc_policy_t rc_policy_hub = {
    .name = "hub",
    .summary = "rows with many entries first",
    .source = "Balaji and Lucia 2018, section III; choices at the top of src/order/policy_hub.c",
    .version = 1,
    .on_request = 1,
    .param = {{"times", "the mean entries of a row that a hub has more of", 1, 0, 1 << 20, 0},
        {"sort", "1: hubs longest first", 1, 0, 1, 0}},
    .build = build,
};
