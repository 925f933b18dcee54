/* auto: the order `cells` (with its defaults) where it brings rows together, else the original one [our own
 * rule].
 *
 * What an order is worth is told by m = min(256, floor(rows / 64)) runs of 64 slots; run i begins at slot
 * floor(i rows / m).  Of the first 64 entries of the rows of a run, e counts all and d the distinct columns,
 * summed over the runs.
 * - No runs, or 4 e >= 5 d in the original order, whose rows share columns already: the original order.
 * - Else `cells`, if its runs have e' and d' with 9 e' d >= 10 e d', else the original order.
 * So it is decided by what the order does, not by features of the matrix: where rows share nothing (a
 * uniform random matrix), no run becomes better.
 *
 * Memory and cost: those of `cells`, but next to nothing where the original order is good. */
#include "config.h"
#include "base/param.h"
#include "order/local.h"
#include "order/policy.h"
#include "order/sample.h"

extern const rc_policy_t rc_policy_cells;

static rc_status_t build_cells(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_params_t params;
    rc_order_input_t of_cells = *in;
    rc_status_t st = rc_params_parse(rc_policy_cells.param, NULL, 0, &params, err);
    of_cells.params = &params;
    of_cells.facts = NULL;
    return st < 0 ? st : rc_policy_cells.build(&of_cells, out, err);
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    int64_t n = in->a->rows;
    rc_sharing_t before;
    rc_sharing_t after = {0, 0};
    int cells = 0;
    rc_status_t st = RC_OK;
    rc_sample_runs(in->a, NULL, in->threads, &before);
    int tried = rc_local_apart(before.entries, before.distinct);
    if (tried) {
        st = build_cells(in, out, err);
        if (st < 0)
            return st;
        rc_sample_runs(in->a, out->row, in->threads, &after);
        cells = rc_local_better(before.entries, before.distinct, after.entries, after.distinct);
    } else
        st = rc_schedule_alloc(n, n, out, err);
    for (int64_t r = 0; !cells && st == RC_OK && r < n; r++)
        out->row[r] = (int32_t)r;
    rc_fact_text(in->facts, "chosen", "%s", cells ? "cells" : "csr");
    rc_fact_number(in->facts, "entries", before.entries);
    rc_fact_number(in->facts, "distinct", before.distinct);
    rc_fact_number(in->facts, "entries_cells", after.entries);
    rc_fact_number(in->facts, "distinct_cells", after.distinct);
    return st;
}

const rc_policy_t rc_policy_auto = {
    .name = "auto",
    .summary = "cells where it brings rows together, else the original order",
    .source = "our own rule, at the top of src/order/policy_auto.c",
    .version = 2, /* with that of cells */
    .on_request = 1,
    .build = build,
};
