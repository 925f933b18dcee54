/* bandk: Band-k, the symmetric order of CSR-k (Lane and Booth 2022, Listing 2).
 *
 * G_0 is the pattern of A + A' without the diagonal, edge weight = entries of A between the two (1
 * or 2) [chosen].  G_1 are groups of at most `srs` vertices of G_0 (super-rows), G_2, unless `ssrs`
 * is 0, groups of at most `ssrs` vertices of G_1 (super-super-rows) [chosen: the loops of the
 * listing fit no k; its text and Figure 2 give this]; a group is numbered by the rank of its
 * smallest vertex.  The coarsest graph is ordered by weighted reverse Cuthill-McKee (order/rcm.h),
 * then level by level each group is replaced by its members.  The members' runs are the groups
 * sr_ptr and ssr_ptr of the schedule.
 *
 * Coarsening [chosen; the paper says graph coarsening and no more]: `heavy` (order/coarsen.h,
 * rc_group_heavy) of the Cuthill-McKee order of the level, or `band`: consecutive vertices of its
 * reverse, the full size at a time.
 *
 * Inside a group [chosen]: breadth first in the subgraph of the members, neighbours by (degree,
 * index) of the whole level; it starts from the member with the earliest placed neighbour in
 * another group (none: last; then degree, index), and again for members not reached.
 *
 * Memory beside A, at the peak: 9 bytes an end of an edge and 20 a row; where the graph of groups
 * has as many edges as that of the rows, up to 14 an end.  Measured: 2.9 patterns of A + A' at
 * most; see data/results/notebook/orders.md.  Cost: O(nnz) but for sorting. */
#include "config.h"
#include "order/bandk.h"
#include "order/policy.h"

enum { PARAM_SRS, PARAM_SSRS, PARAM_COARSEN };

static rc_bandk_rule_t rule_of(const rc_params_t *p)
{
    return (rc_bandk_rule_t){.srs = p->value[PARAM_SRS],
        .ssrs = p->value[PARAM_SSRS],
        .band = p->value[PARAM_COARSEN] == 1};
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_bandk_rule_t rule = rule_of(in->params);
    rc_status_t st = rc_bandk(in->a, &rule, in->threads, NULL, out, err);
    for (int l = 0; st == RC_OK && l < out->levels; l++)
        rc_fact_number(
            in->watch.facts, l == 0 ? "super_rows" : "super_super_rows", out->group[l].count);
    return st;
}

static rc_status_t stages(const rc_order_input_t *in, rc_order_stages_t *out, rc_err_t *err)
{
    const rc_bandk_rule_t rule = rule_of(in->params);
    rc_schedule_t whole = {0};
    rc_status_t st = rc_bandk(in->a, &rule, in->threads, out, &whole, err);
    rc_schedule_free(&whole);
    return st;
}

static const char *const coarsenings[] = {"heavy", "band", NULL};

const rc_policy_t rc_policy_bandk = {
    .name = "bandk",
    .summary = "Band-k: super-rows and super-super-rows near the diagonal, for CSR-k",
    .source = "Lane and Booth 2022, Listing 2; choices at the top of src/order/policy_bandk.c",
    .version = 1,
    .columns = 1,
    .on_request = 1,
    .param = {{"srs", "rows of a super-row at most", 8, 1, INT32_MAX, 0},
        {"ssrs", "super-rows of a super-super-row at most; 0: none (CSR-2)", 8, 0, INT32_MAX, 0},
        {.name = "coarsen",
            .help = "along heavy edges, or runs of the reverse Cuthill-McKee order",
            .type = RC_PARAM_CHOICE,
            .choices = coarsenings}},
    .build = build,
    .stages = stages,
};
