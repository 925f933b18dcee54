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

#include <string.h>

extern const rc_policy_t rc_policy_cells;

enum { TABLE = 2 * RC_LOCAL_RUN * RC_LOCAL_LOOK };

/* 1: the column is new in the table. */
static int enter(int32_t *table, int32_t col)
{
    uint32_t at = rc_local_hash((uint32_t)col) % TABLE;
    while (table[at] >= 0 && table[at] != col)
        at = (at + 1) % TABLE;
    int is_new = table[at] < 0;
    table[at] = col;
    return is_new;
}

/* \param[in] order  [rows], NULL: the original one */
static void count_runs(
    const rc_order_input_t *in, const int32_t *order, int64_t *entries, int64_t *distinct)
{
    const rc_csr_t *a = in->a;
    int64_t runs = rc_local_runs(a->rows);
    int64_t e = 0;
    int64_t d = 0;
#pragma omp parallel for num_threads(in->threads) schedule(dynamic, 8) reduction(+ : e, d)
    for (int64_t i = 0; i < runs; i++) {
        int32_t table[TABLE];
        int64_t first = rc_local_run(i, runs, a->rows);
        memset(table, 0xff, sizeof table);
        for (int64_t p = first; p < first + RC_LOCAL_RUN; p++) {
            int64_t r = order ? order[p] : p;
            int length = rc_local_length(a->row_ptr[r], a->row_ptr[r + 1]);
            e += length;
            for (int j = 0; j < length; j++)
                d += enter(table, a->col_idx[a->row_ptr[r] + j]);
        }
    }
    *entries = e;
    *distinct = d;
}

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
    int64_t before[2]; /* entries, distinct columns */
    int64_t after[2] = {0, 0};
    int cells = 0;
    rc_status_t st = RC_OK;
    count_runs(in, NULL, &before[0], &before[1]);
    int tried = rc_local_apart(before[0], before[1]);
    if (tried) {
        st = build_cells(in, out, err);
        if (st < 0)
            return st;
        count_runs(in, out->row, &after[0], &after[1]);
        cells = rc_local_better(before[0], before[1], after[0], after[1]);
    } else
        st = rc_schedule_alloc(n, n, out, err);
    for (int64_t r = 0; !cells && st == RC_OK && r < n; r++)
        out->row[r] = (int32_t)r;
    rc_fact_text(in->facts, "chosen", "%s", cells ? "cells" : "csr");
    rc_fact_number(in->facts, "entries", before[0]);
    rc_fact_number(in->facts, "distinct", before[1]);
    rc_fact_number(in->facts, "entries_cells", after[0]);
    rc_fact_number(in->facts, "distinct_cells", after[1]);
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
