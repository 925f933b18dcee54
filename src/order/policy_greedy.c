/* The greedy orders of Mehrabi et al. 2021.  Masks are compared by Hamming distance; empty rows
 * have an empty mask.
 *
 * warp: warp-aware sort (section III-B).  The first N_w slots take the rows of lowest warp
 * load, ties by index; then slot p takes the unplaced row whose mask is closest to that of the
 * row in slot p - N_w, so that a warp finds its lines of B in cache.  [chosen] The paper does
 * not say which of equally close rows: the smallest index.
 *
 * cta: CTA-aware sort (section III-B).  [chosen] Slot 0 takes the row of lowest warp load, ties
 * by index: the paper does not name the first row.  Then slot p takes the unplaced row whose
 * mask is closest to that of the row in slot p - 1, so that warps that run side by side share
 * lines of B; [chosen] ties by smallest index.
 *
 * hybrid1: load balance first, locality among equals (section III-C).  Rows by decreasing warp
 * load; among the unplaced rows of that load, slot p takes the one whose mask is closest to
 * that of the row in slot p - 1, also when that one has a larger load.  [chosen] Slot 0 and
 * equally close rows: the smallest index.
 *
 * hybrid2.1: as cta, equally close rows by warp load (section III-C).  [chosen] Among equally
 * close rows the one whose warp load is nearest to that of slot p - 1, since the paper says
 * only 'based on warp load'; then the smallest index; slot 0 as in cta.
 *
 * hybrid2.2: as cta, equally close rows by distance within the warp (section III-C).  Among the
 * unplaced rows closest to slot p - 1, the one whose mask is closest to that of slot p - N_w;
 * [chosen] then the smallest index, which alone decides while p < N_w.
 *
 * hybrid2.3: as warp, equally close rows by warp load (section III-C).  [chosen] Among the
 * unplaced rows closest to slot p - N_w, the one whose warp load is nearest to that of slot p -
 * 1 (its neighbour in time), then the smallest index; the first N_w slots as in warp.
 *
 * All of these are exact, at the cost of order/nearest.h, hybrid1 over the rows of each load.
 *
 * warp-near, cta-near, hybrid1-near, hybrid2.1-near, hybrid2.2-near, hybrid2.3-near: the same
 * with a bounded search for each slot [our own rule].
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
 * slot, distance and tie value are those of the exact order; but the row that is taken is the best,
 * by (distance, tie value, number), of few:
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

enum { PARAM_LOOK }; /* 0 of the exact orders, which have no parameters */
enum { PART_ROWS = 1 << 16 };

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const int64_t total = INT64_C(1) << 27; /* entries that a small matrix is allowed */
    int64_t rows = in->a->rows;
    rc_greedy_rule_t rule = *(const rc_greedy_rule_t *)in->policy->rule;
    rule.look = in->params->value[PARAM_LOOK];
    if (rule.look > 0) {
        if (rows > 0 && rule.look < total / rows)
            rule.look = total / rows;
        rule.parts = rc_parts_of(rows, PART_ROWS);
    }
    return rc_greedy_build(in, &rule, -1, out, err);
}

static const rc_greedy_rule_t by_warp = {.by_warp = 1, .tie = RC_NEAREST_INDEX};
static const rc_greedy_rule_t by_row = {.tie = RC_NEAREST_INDEX};
static const rc_greedy_rule_t by_load = {.within_load = 1, .tie = RC_NEAREST_INDEX};
static const rc_greedy_rule_t row_load = {.tie = RC_NEAREST_LOAD};
static const rc_greedy_rule_t row_warp = {.tie = RC_NEAREST_SECOND};
static const rc_greedy_rule_t warp_load = {.by_warp = 1, .tie = RC_NEAREST_LOAD};

#define EXACT(exact, part, of, text)                                                               \
    {                                                                                              \
        .name = exact, .summary = text, .source = "Mehrabi et al. 2021, section III-" part,        \
        .version = 1, .needs_geometry = 1, .build = build, .rule = &of                             \
    }

const rc_policy_t rc_policy_warp =
    EXACT("warp", "B", by_warp, "each row like the one before it in its warp");
const rc_policy_t rc_policy_cta = EXACT("cta", "B", by_row, "each row like the one before it");
const rc_policy_t rc_policy_hybrid1 = EXACT(
    "hybrid1", "C", by_load, "rows by decreasing warp load, ties by likeness to the row before");
const rc_policy_t rc_policy_hybrid2_1 =
    EXACT("hybrid2.1", "C", row_load, "as cta, ties by nearest warp load");
const rc_policy_t rc_policy_hybrid2_2 =
    EXACT("hybrid2.2", "C", row_warp, "as cta, ties by likeness to the row before in the warp");
const rc_policy_t rc_policy_hybrid2_3 =
    EXACT("hybrid2.3", "C", warp_load, "as warp, ties by nearest warp load");

#define NEAR(exact, of)                                                                            \
    {                                                                                              \
        .name = exact "-near", .summary = "as " exact ", by a bounded search",                     \
        .source = "Mehrabi et al. 2021, section III; our own search, at the top of "               \
                  "src/order/policy_greedy.c",                                                     \
        .version = 2, .needs_geometry = 1, .on_request = 1,                                        \
        .param = {{"look", "entries of lists a row at most, but 2^27 a matrix", 128, 1, 1 << 20,   \
            0}},                                                                                   \
        .build = build, .rule = &of                                                                \
    }

const rc_policy_t rc_policy_warp_near = NEAR("warp", by_warp);
const rc_policy_t rc_policy_cta_near = NEAR("cta", by_row);
const rc_policy_t rc_policy_hybrid1_near = NEAR("hybrid1", by_load);
const rc_policy_t rc_policy_hybrid2_1_near = NEAR("hybrid2.1", row_load);
const rc_policy_t rc_policy_hybrid2_2_near = NEAR("hybrid2.2", row_warp);
const rc_policy_t rc_policy_hybrid2_3_near = NEAR("hybrid2.3", warp_load);
