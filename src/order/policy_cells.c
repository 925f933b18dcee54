/* cells: rows by cells of neighbouring rows, cells by cells of cells [our own rule].
 *
 * h is the finaliser of MurmurHash3 (order/local.h); only the first 64 entries of a row count.
 *
 * Cells of rows.  There are ceil(rows / s) cells, s = max(size, ceil(rows / 2^23)).  Cell k begins
 * with row k s + h(k) mod min(s, rows - k s), if that has entries.  All cells grow together: in
 * every round each column of a row reached last that is of no cell yet becomes one of its cell,
 * then each row not yet reached that holds a column of a cell joins that cell; of several cells,
 * the one of the smallest number.  It ends when a round reaches no row, and after 254 rounds.
 *
 * Cells of cells.  A reached row r of m entries that count links its cell with the cell of one of
 * its columns: the first column of another cell, from entry h(r) mod m on and around.  While there
 * are more than `branch` cells, every `branch` of them by number get one seed, chosen as above with
 * s = branch, and the cells grow over the links, in both directions, round by round as above; a
 * cell that is not reached belongs to seed number floor(cell / branch).  The links stay, between
 * the larger cells, but of level l (cells of rows: 0) only those of rows whose number is a multiple
 * of max(1, floor(branch / 2))^l.
 *
 * Cells are ranked from the top: by the rank of the cell that they belong to, then by number.  Rows
 * come by (rank of the cell, smallest column, row number), last those that were not reached, as if
 * of one cell.  Inside of a cell the smallest column brings those few rows together that a CTA or a
 * thread has at a time.
 *
 * Then `rounds` rounds of label propagation (policy_labels.c): the label of a row begins as the
 * slot of the first row of its cell, that of a row that was not reached as its own slot.  Rows are
 * sorted by label, equal ones stay in the order before.  That gathers communities, which cells
 * alone do not.
 *
 * It goes through columns, not through the graph of A: so it takes rectangular matrices and rows
 * and columns numbered apart, for one more look at a row until it is reached.
 *
 * Memory beside the schedule: 8 bytes a row and 4 a column (with `rounds` 8), 12 a cell, and 4 a
 * row while it sorts.
 * Cost O((1 + rounds) nnz + rounds of the search x rows). */
#include "config.h"
#include "base/error.h"
#include "order/cells.h"
#include "order/policy.h"
#include "order/rows.h"

enum { PARAM_SIZE, PARAM_BRANCH, PARAM_ROUNDS };

/* rank[k] of the cells of rows, in the memory of `at`; the order of a level in that of `key`. */
static rc_status_t rank_cells(const rc_cell_search_t *c, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int32_t *rank = (int32_t *)c->at;
    int32_t *order = (int32_t *)c->key;
    for (int64_t k = 0; k < c->count; k++)
        rank[k] = (int32_t)k; /* right for the top */
    for (int l = c->levels - 1; l >= 0 && st == RC_OK; l--) {
        for (int64_t k = 0; k < c->n[l]; k++) {
            c->up[l][k] = rank[c->up[l][k]];
            order[k] = (int32_t)k;
        }
        st = rc_sort_by_key(c->up[l], 0, c->n[l], order, err);
        for (int64_t p = 0; p < c->n[l]; p++)
            rank[order[p]] = (int32_t)p;
    }
    return st;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const int64_t *params = in->params->value;
    rc_cell_search_t c;
    rc_status_t st;
    RC_TRY(rc_cells_grow(in, params[PARAM_SIZE], &c, err));
    RC_TRY(rc_cells_join(&c, params[PARAM_BRANCH], params[PARAM_BRANCH], err));
    RC_TRY(rank_cells(&c, err));
    st = rc_cells_place(&c, (int)params[PARAM_ROUNDS], out, err);
done:
    rc_pool_free(&c.pool);
    return st;
}

const rc_policy_t rc_policy_cells = {
    .name = "cells",
    .summary = "rows by cells of neighbouring rows, and cells of cells",
    .source = "our own rule, at the top of src/order/policy_cells.c",
    .version = 2, /* 1: other ties inside and among cells */
    .on_request = 1,
    .param = {{"size", "rows a cell, about", 64, 2, 65536, 0},
        {"branch", "cells a larger cell, about", 16, 2, 256, 0},
        {"rounds", "of label propagation at the end", 2, 0, 100, 0}},
    .build = build,
};
