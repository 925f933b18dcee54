/* auto: the order `mincol`, `multilevel` or `labels` (with its defaults) where it brings rows
 * together, else the original one [our own rule].
 *
 * What an order is worth is told by m = min(256, floor(rows / 64)) runs of 64 slots; run i begins
 * at slot floor(i rows / m).  Of the first 64 entries of the rows of a run, e counts all and d the
 * distinct columns, summed over the runs.  An order with e' and d' is better than one with e and d
 * if 9 e' d >= 10 e d'.
 * - No runs, or 4 e >= 5 d in the original order, whose rows share columns already: the original
 * order.
 * - If the longest row has more than floor(128 nnz / rows) entries: `mincol`, if it is better than
 *   the original order, and e' d'' >= e'' d' for the sums e'' and d'' of the samples of balls, and
 *   for those of columns (sample.h).  Such graphs have few neighbourhoods to find, and many rows
 *   that share their largest hubs.
 * - Else `multilevel`, if it is better than the original order, which it is else.
 * - But `labels` in its place, if the longest row has no more entries than that, balls are not
 *   better than `multilevel`, and 20 e' d >= 21 e d' for the sums e' and d' of `labels` and e and d
 *   of `multilevel`.  On a mesh a ball shares half as much again as a run; communities it leaves.
 *
 * So it is decided by what the orders do: where rows share nothing (a uniform random matrix), no
 * run becomes better.
 *
 * Memory and cost: those of `multilevel`, but next to nothing where the original order is good; of
 * skewed matrices those of all samples and of `mincol` first, of communities those of `labels`. */
#include "config.h"
#include "base/error.h"
#include "base/param.h"
#include "order/local.h"
#include "order/policy.h"
#include "order/sample.h"
#include "sparse/csr.h"

extern const rc_policy_t rc_policy_multilevel;
extern const rc_policy_t rc_policy_mincol;
extern const rc_policy_t rc_policy_labels;

/* The order of a policy with its defaults, and what its runs share. */
static rc_status_t try_policy(const rc_policy_t *policy, const rc_order_input_t *in,
    rc_schedule_t *out, rc_sharing_t *runs, rc_err_t *err)
{
    rc_params_t params;
    rc_order_input_t of = *in;
    rc_status_t st = rc_params_parse(policy->param, NULL, 0, &params, err);
    of.policy = policy;
    of.params = &params;
    of.watch.facts = NULL;
    if (st == RC_OK)
        st = policy->build(&of, out, err);
    if (st == RC_OK)
        rc_sample_runs(in->a, out->row, in->threads, runs);
    return st;
}

/* *chosen: `mincol`, as far as it is tried, or NULL.  \param[in] before  runs of the original
 * order */
static rc_status_t try_mincol(const rc_order_input_t *in, const rc_sharing_t *before,
    const char **chosen, rc_schedule_t *out, rc_sharing_t *after, rc_err_t *err)
{
    rc_local_samples_t all = {.run = *before, .longest = rc_csr_longest(in->a, in->threads)};
    if (!rc_local_skewed(in->a->rows, in->a->nnz, all.longest))
        return RC_OK;
    rc_sample_balls(in->a, in->threads, &all.ball);
    rc_status_t st = rc_sample_columns(in->a, in->threads, &all.column, err);
    if (st == RC_OK)
        st = try_policy(&rc_policy_mincol, in, out, after, err);
    if (st == RC_OK && rc_local_mincol(&all, after))
        *chosen = rc_policy_mincol.name;
    else
        rc_schedule_free(out);
    return st;
}

/* `multilevel`, and `labels` in its place; *chosen: whichever brings rows together, or NULL. */
static rc_status_t try_near(const rc_order_input_t *in, const rc_sharing_t *before,
    const char **chosen, rc_schedule_t *out, rc_sharing_t *after, rc_err_t *err)
{
    rc_sharing_t ball;
    rc_sharing_t runs;
    rc_schedule_t other = {0};
    int64_t longest = rc_csr_longest(in->a, in->threads);
    RC_PASS(try_policy(&rc_policy_multilevel, in, out, after, err));
    if (!rc_local_better(before->entries, before->distinct, after->entries, after->distinct))
        return RC_OK;
    *chosen = rc_policy_multilevel.name;
    rc_sample_balls(in->a, in->threads, &ball);
    if (rc_local_skewed(in->a->rows, in->a->nnz, longest) || !rc_local_leaks(after, &ball))
        return RC_OK;
    RC_PASS(try_policy(&rc_policy_labels, in, &other, &runs, err));
    if (!rc_local_labels(after, &runs)) {
        rc_schedule_free(&other);
        return RC_OK;
    }
    rc_schedule_free(out);
    *out = other;
    *after = runs;
    *chosen = rc_policy_labels.name;
    return RC_OK;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    int64_t n = in->a->rows;
    rc_sharing_t before;
    rc_sharing_t after = {0, 0};
    const char *chosen = NULL;
    rc_status_t st = RC_OK;
    rc_sample_runs(in->a, NULL, in->threads, &before);
    if (rc_local_apart(before.entries, before.distinct)) {
        st = try_mincol(in, &before, &chosen, out, &after, err);
        if (st == RC_OK && !chosen)
            st = try_near(in, &before, &chosen, out, &after, err);
        if (st < 0)
            return st;
    } else
        st = rc_schedule_alloc(n, n, out, err);
    for (int64_t r = 0; !chosen && st == RC_OK && r < n; r++)
        out->row[r] = (int32_t)r;
    rc_fact_text(in->watch.facts, "chosen", "%s", chosen ? chosen : "csr");
    rc_fact_number(in->watch.facts, "entries", before.entries);
    rc_fact_number(in->watch.facts, "distinct", before.distinct);
    rc_fact_number(in->watch.facts, "entries_tried", after.entries);
    rc_fact_number(in->watch.facts, "distinct_tried", after.distinct);
    return st;
}

const rc_policy_t rc_policy_auto = {
    .name = "auto",
    .summary =
        "mincol, multilevel or labels where it brings rows together, else the original order",
    .source = "our own rule, at the top of src/order/policy_auto.c",
    .version = 4, /* 2: with that of cells; 3: mincol, multilevel; 4: labels */
    .on_request = 1,
    .build = build,
};
