/* blk: blocks of rows that share columns [our own rule].  A block begins with a row and grows by the
 * row that brings the fewest new columns, among the unplaced rows that have a column of the block in
 * common with it; where there is none, by the first unplaced row.  Equal rows: the smaller number.
 * A row that would take the block beyond `cols` distinct columns begins the next one; so does the
 * first row of all, and a row of more columns than that is a block of its own.
 * Columns of more than `hub` entries count nowhere: nearly every block has them.
 * Rows only; rows come in the order in which they were taken, groups are the blocks.
 *
 * A heap holds the rows that share a column with the block, by new columns and number; taking a row
 * visits the other rows of its new columns.  Cost O(log rows) for every entry of every column of every
 * block: about linear in nnz, where columns have about the same length. */
#include "config.h"
#include "base/alloc.h"
#include "order/graph.h"
#include "order/policy.h"

#include <stdlib.h>

enum { PARAM_COLS, PARAM_HUB };
enum { OUTSIDE = -1, PLACED = -2 }; /* of a row, instead of its place in the heap */

typedef struct blk {
    const rc_csr_t *a;
    int64_t hub;
    int64_t *ptr;   /* [cols + 2] rows of every column */
    int32_t *idx;   /* [nnz] */
    int32_t *block; /* [cols] last block that has the column, -1: none */
    int32_t *all;   /* [rows] columns of a row */
    int32_t *fresh; /* [rows] those that the block does not have */
    int32_t *heap;  /* [rows] rows that share a column with the block */
    int32_t *at;    /* [rows] place in the heap, or OUTSIDE, PLACED */
    int64_t heaped;
    int64_t first;    /* no row before this one is unplaced */
    int64_t distinct; /* columns of the block */
    int64_t *bound;   /* [rows + 1] slots at which blocks begin */
    int64_t blocks;
    int64_t columns; /* of all blocks */
} blk_t;

static int is_hub(const blk_t *b, int32_t col)
{
    return b->ptr[col + 1] - b->ptr[col] > b->hub;
}

/* -------------------------------------------------------------------- heap */

static int before(const blk_t *b, int32_t x, int32_t y)
{
    return b->fresh[x] < b->fresh[y] || (b->fresh[x] == b->fresh[y] && x < y);
}

static void put(blk_t *b, int64_t at, int32_t row)
{
    b->heap[at] = row;
    b->at[row] = (int32_t)at;
}

/* A row whose key became smaller, or that is new at place `at`. */
static void lift(blk_t *b, int64_t at, int32_t row)
{
    while (at > 0 && before(b, row, b->heap[(at - 1) / 2])) {
        put(b, at, b->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(b, at, row);
}

static int32_t pop(blk_t *b)
{
    int32_t top = b->heap[0];
    int32_t row = b->heap[--b->heaped];
    int64_t at = 0;
    for (int64_t child = 1; child < b->heaped; child = 2 * at + 1) {
        if (child + 1 < b->heaped && before(b, b->heap[child + 1], b->heap[child]))
            child++;
        if (!before(b, b->heap[child], row))
            break;
        put(b, at, b->heap[child]);
        at = child;
    }
    if (b->heaped > 0)
        put(b, at, row);
    b->at[top] = OUTSIDE;
    return top;
}

/* ------------------------------------------------------------------ blocks */

static int32_t columns_of(const blk_t *b, int64_t row)
{
    int32_t n = 0;
    for (int64_t e = b->a->row_ptr[row]; e < b->a->row_ptr[row + 1]; e++)
        n += !is_hub(b, b->a->col_idx[e]);
    return n;
}

/* Nothing is shared with a new block. */
static void begin_block(blk_t *b, int64_t slot)
{
    for (int64_t i = 0; i < b->heaped; i++) {
        b->at[b->heap[i]] = OUTSIDE;
        b->fresh[b->heap[i]] = b->all[b->heap[i]];
    }
    b->heaped = 0;
    b->columns += b->distinct;
    b->distinct = 0;
    b->bound[b->blocks++] = slot;
}

/* The block has a column: the rows that have it need one column less. */
static void add_column(blk_t *b, int32_t col)
{
    b->block[col] = (int32_t)(b->blocks - 1);
    b->distinct++;
    for (int64_t i = b->ptr[col]; i < b->ptr[col + 1]; i++) {
        int32_t row = b->idx[i];
        if (b->at[row] == PLACED)
            continue;
        b->fresh[row]--;
        lift(b, b->at[row] == OUTSIDE ? b->heaped++ : b->at[row], row);
    }
}

static void take(blk_t *b, int32_t row)
{
    b->at[row] = PLACED;
    for (int64_t e = b->a->row_ptr[row]; e < b->a->row_ptr[row + 1]; e++) {
        int32_t col = b->a->col_idx[e];
        if (!is_hub(b, col) && b->block[col] != b->blocks - 1)
            add_column(b, col);
    }
}

static int32_t next_row(blk_t *b)
{
    if (b->heaped > 0)
        return pop(b);
    while (b->at[b->first] == PLACED)
        b->first++;
    return (int32_t)b->first;
}

static void fill(blk_t *b, int64_t cols, _Atomic int64_t *placed, int32_t *slot)
{
    enum { REPORT = 1024 };
    for (int64_t p = 0; p < b->a->rows; p++) {
        int32_t row = next_row(b);
        if (p == 0 || b->distinct + b->fresh[row] > cols) {
            begin_block(b, p);
            b->fresh[row] = b->all[row];
        }
        take(b, row);
        slot[p] = row;
        if (placed && p % REPORT == 0)
            *placed = p;
    }
    b->columns += b->distinct;
}

/* ------------------------------------------------------------------- build */

static rc_status_t prepare(blk_t *b, rc_err_t *err)
{
    size_t rows = (size_t)b->a->rows;
    size_t cols = (size_t)b->a->cols;
    rc_status_t st = rc_pattern_transpose(b->a, &b->ptr, &b->idx, err);
    if (st < 0)
        return st;
    b->block = rc_alloc(cols, sizeof *b->block, "columns of blocks", err);
    b->all = rc_alloc(rows, sizeof *b->all, "rows for blocks", err);
    b->fresh = rc_alloc(rows, sizeof *b->fresh, "rows for blocks", err);
    b->heap = rc_alloc(rows, sizeof *b->heap, "rows for blocks", err);
    b->at = rc_alloc(rows, sizeof *b->at, "rows for blocks", err);
    b->bound = rc_alloc(rows + 1, sizeof *b->bound, "blocks", err);
    if (!b->block || !b->all || !b->fresh || !b->heap || !b->at || !b->bound)
        return RC_ENOMEM;
    for (size_t c = 0; c < cols; c++)
        b->block[c] = -1;
    for (size_t r = 0; r < rows; r++) {
        b->at[r] = OUTSIDE;
        b->all[r] = b->fresh[r] = columns_of(b, (int64_t)r);
    }
    return RC_OK;
}

/* The bounds go to the schedule, which has no group for no rows. */
static rc_status_t add_groups(blk_t *b, rc_schedule_t *out, rc_err_t *err)
{
    int64_t *bound = b->bound;
    b->bound = NULL;
    bound[b->blocks] = out->slots;
    return rc_schedule_add_groups(out, "block_ptr", b->blocks, bound, err);
}

static void drop(blk_t *b)
{
    free(b->ptr);
    free(b->idx);
    free(b->block);
    free(b->all);
    free(b->fresh);
    free(b->heap);
    free(b->at);
    free(b->bound);
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    blk_t b = {.a = in->a, .hub = in->params->value[PARAM_HUB]};
    rc_status_t st = prepare(&b, err);
    if (st == RC_OK)
        st = rc_schedule_alloc(in->a->rows, in->a->rows, out, err);
    if (st == RC_OK) {
        fill(&b, in->params->value[PARAM_COLS], in->placed, out->row);
        rc_fact_number(in->facts, "blocks", b.blocks);
        rc_fact_number(in->facts, "columns", b.columns);
        st = add_groups(&b, out, err);
        if (st < 0)
            rc_schedule_free(out);
    }
    drop(&b);
    return st;
}

const rc_policy_t rc_policy_blk = {
    .name = "blk",
    .summary = "blocks of rows with few distinct columns",
    .source = "rowcast",
    .version = 1,
    .on_request = 1,
    .param = {{"cols", "distinct columns of a block at most", 432, 1, INT32_MAX, 0},
        {"hub", "entries of a column beyond which it is not looked at", 1024, 1, INT32_MAX, 0}},
    .build = build,
};
