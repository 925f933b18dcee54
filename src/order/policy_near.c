/* warp-near, cta-near, hybrid1-near, hybrid2.1-near, hybrid2.2-near, hybrid2.3-near: the greedy
 * orders of Mehrabi et al. 2021, section III, with a bounded search for each slot [our own rule].
 *
 * Rows are numbered by the order `auto` (policy_auto.c), which brings rows together that share
 * columns.  They are cut into P = min(16, ceil(rows / 65536)) parts, part k from number floor(k
 * rows / P) on (hybrid1: from that place of all rows by decreasing load, then number).  The order
 * is part after part; each is that of its rows alone, as if no other rows and slots were there.  In
 * a part: A unit is the unplaced rows of one mask (hybrid2.1 and 2.3: and of one load; hybrid1:
 * only of the load whose turn it is).  Units are in the order of the smallest number of a row of
 * the mask, then of the load.  Only the first row of a unit, in the original order, is ever taken.
 *
 * First rows (but slot 0 of hybrid1: the smallest number of the largest load), reference row R of a
 * slot, distance and tie value are those of the exact order (policy_warp.c and so on); but the row
 * that is taken is the best, by (distance, tie value, number), of few:
 *
 * - Where there are units of the mask of R, those.  Otherwise:
 * - The first row, in the original order, of those of the fewest lines (hybrid2.1 and 2.3: of each
 * load
 *   among them), as if it shared no line with R, nor with the second reference.
 * - From lists.  Each line has the list of its units, in their order.  A unit without rows stays in
 * it until
 *   a search passes it.  Let E be the entries of the lists of the lines of R, |R| the number of
 *   these lines, and m = max(look, floor(2^27 / rows)).  The lists are walked from their beginning,
 *   the shortest first (of equal ones that of the line that had more units at first, then of the
 *   line that comes first when the units are gone through), until m entries of units with rows were
 *   counted.  Let f be the lists with any, c(S) those in which unit S was counted, and |S| the
 *   lines of S.  Looked at are the 16 units with c(S) > 0 of the smallest |S| f - 2 c(S) |R|, or
 *   |S| - 2 c(S) where E <= m; of equal ones the first.
 * - Where E > m, the 8 units with rows on either side of R, in the order of units.
 *
 * So a search counts at most m entries and computes at most 32 distances, and where E <= m it finds
 * the smallest one.  A row of more lines than R by more than the best distance so far is left out,
 * hence none has more than twice the lines of R and those of the shortest row.  The floor of m lets
 * a matrix of few rows be searched almost exactly, for about a second at most.
 *
 * Parts are what threads share out, and small enough for a cache; 16, because rows of equal masks
 * by chance come apart with more (data/results/notebook/orders.md).
 *
 * Cost: that of `auto`, and O(nnz log(lines of a row) + rows x (m + 32 x lines of a row)), a thread
 * a part.  Memory beside the matrix, the schedule included: about 50 bytes a row and 4 a line of a
 * row, and for each thread 4 bytes a row and line of the matrix, and 130 a row and 4 a line of a
 * row of a part. */
#include "config.h"
#include "order/greedy.h"
#include "order/parts.h"
#include "order/policy.h"

enum { PARAM_LOOK };
enum { PART_ROWS = 1 << 16 };

static rc_status_t build(
    const rc_order_input_t *in, rc_greedy_rule_t rule, rc_schedule_t *out, rc_err_t *err)
{
    const int64_t total = INT64_C(1) << 27; /* entries that a small matrix is allowed */
    int64_t rows = in->a->rows;
    rule.look = in->params->value[PARAM_LOOK];
    if (rows > 0 && rule.look < total / rows)
        rule.look = total / rows;
    rule.parts = rc_parts_of(rows, PART_ROWS);
    return rc_greedy_build(in, &rule, -1, out, err);
}

static rc_status_t build_warp(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return build(in, (rc_greedy_rule_t){.by_warp = 1, .tie = RC_NEAREST_INDEX}, out, err);
}

static rc_status_t build_cta(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return build(in, (rc_greedy_rule_t){.tie = RC_NEAREST_INDEX}, out, err);
}

static rc_status_t build_hybrid1(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return build(in, (rc_greedy_rule_t){.within_load = 1, .tie = RC_NEAREST_INDEX}, out, err);
}

static rc_status_t build_hybrid2_1(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return build(in, (rc_greedy_rule_t){.tie = RC_NEAREST_LOAD}, out, err);
}

static rc_status_t build_hybrid2_2(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return build(in, (rc_greedy_rule_t){.tie = RC_NEAREST_SECOND}, out, err);
}

static rc_status_t build_hybrid2_3(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return build(in, (rc_greedy_rule_t){.by_warp = 1, .tie = RC_NEAREST_LOAD}, out, err);
}

#define NEAR(exact, fn)                                                                            \
    {                                                                                              \
        .name = exact "-near", .summary = "as " exact ", by a bounded search",                     \
        .source = "Mehrabi et al. 2021, section III; our own search, at the top of "               \
                  "src/order/policy_near.c",                                                       \
        .version = 2, .needs_geometry = 1, .on_request = 1,                                        \
        .param = {{"look", "entries of lists a row at most, but 2^27 a matrix", 128, 1, 1 << 20,   \
            0}},                                                                                   \
        .build = fn                                                                                \
    }

const rc_policy_t rc_policy_warp_near = NEAR("warp", build_warp);
const rc_policy_t rc_policy_cta_near = NEAR("cta", build_cta);
const rc_policy_t rc_policy_hybrid1_near = NEAR("hybrid1", build_hybrid1);
const rc_policy_t rc_policy_hybrid2_1_near = NEAR("hybrid2.1", build_hybrid2_1);
const rc_policy_t rc_policy_hybrid2_2_near = NEAR("hybrid2.2", build_hybrid2_2);
const rc_policy_t rc_policy_hybrid2_3_near = NEAR("hybrid2.3", build_hybrid2_3);
