/* blk: blocks of rows that share columns [our own rule].  A block begins with a row and grows by
 * the row that brings the fewest new columns, among the unplaced rows that have a column of the
 * block in common with it; where there is none, by the first unplaced row.  Equal rows: the smaller
 * number.  A row that would take the block beyond `cols` distinct columns begins the next one; so
 * does the first row of all, and a row of more columns than that is a block of its own.
 * Columns of more than `hub` entries count nowhere: nearly every block has them.
 * Rows only; rows come in the order in which they were taken, groups are the blocks.
 *
 * More than 2^18 rows are numbered by the order `auto` (policy_auto.c), others as they are.  The
 * numbers are cut into P = min(16, ceil(rows / 2^18)) parts, part k from number floor(k rows / P)
 * on; each is a matrix by itself, but for hubs, and the order is part after part.
 *
 * A heap holds the rows that share a column with the block, by new columns and number; taking a row
 * visits the other rows of its new columns.  Cost that of `auto`, and O(log rows) for every entry
 * of every column of every block: about linear in nnz, where columns have about the same length; a
 * thread a part.  Memory beside the matrix and the schedule: 12 bytes a row and 4 a column, and for
 * each thread 4 a column, and 20 a row, 12 a column and 8 an entry of a part. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/parts.h"
#include "order/policy.h"
#include "sparse/csr.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PARAM_COLS, PARAM_HUB };
/* a block that meets the end of its part is small: fewer rows cost columns */
enum { PART_ROWS = 1 << 18 };
enum { OUTSIDE = -1, PLACED = -2 }; /* of a row, instead of its place in the heap */

/* A part. */
typedef struct blk {
    rc_pool_t pool;   /* of the arrays, but for bound */
    rc_csr_t a;       /* its rows; columns without hubs, numbered as they come; no values */
    rc_csr_t rows_of; /* of every column */
    int32_t *block;   /* [cols] last block that has the column, -1: none */
    int32_t *fresh;   /* [rows] columns that the block does not have */
    int32_t *heap;    /* [rows] rows that share a column with the block */
    int32_t *at;      /* [rows] place in the heap, or OUTSIDE, PLACED */
    int64_t heaped;
    int64_t first;    /* no row before this one is unplaced */
    int64_t distinct; /* columns of the block */
    int64_t *bound;   /* [rows] slots at which blocks begin; borrowed */
    int64_t blocks;
    int64_t columns; /* of all blocks */
} blk_t;

/* All parts. */
typedef struct parts {
    const rc_order_input_t *in;
    rc_schedule_t number; /* the row that has a number; none: as they are */
    int32_t *count;       /* [cols] entries of a column, hub + 1 at most */
    int64_t *bound;       /* [rows + 1] slots at which blocks begin, those of a part from its first
                             slot on */
    int64_t *blocks;      /* [parts] */
    _Atomic int64_t columns;
    int64_t parts;
    int32_t *slot; /* [rows] */
} parts_t;

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

/* Nothing is shared with a new block. */
static void begin_block(blk_t *b, int64_t slot)
{
    for (int64_t i = 0; i < b->heaped; i++) {
        b->at[b->heap[i]] = OUTSIDE;
        b->fresh[b->heap[i]] = (int32_t)rc_csr_length(&b->a, b->heap[i]);
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
    for (int64_t i = b->rows_of.row_ptr[col]; i < b->rows_of.row_ptr[col + 1]; i++) {
        int32_t row = b->rows_of.col_idx[i];
        if (b->at[row] == PLACED)
            continue;
        b->fresh[row]--;
        lift(b, b->at[row] == OUTSIDE ? b->heaped++ : b->at[row], row);
    }
}

static void take(blk_t *b, int32_t row)
{
    b->at[row] = PLACED;
    for (int64_t e = b->a.row_ptr[row]; e < b->a.row_ptr[row + 1]; e++)
        if (b->block[b->a.col_idx[e]] != b->blocks - 1)
            add_column(b, b->a.col_idx[e]);
}

static int32_t next_row(blk_t *b)
{
    if (b->heaped > 0)
        return pop(b);
    while (b->at[b->first] == PLACED)
        b->first++;
    return (int32_t)b->first;
}

static rc_status_t fill(blk_t *b, const rc_order_input_t *in, int32_t *slot, rc_err_t *err)
{
    enum { REPORT = 1024, ASKED = 256 };
    const int64_t cols = in->params->value[PARAM_COLS];
    for (int64_t p = 0; p < b->a.rows; p++) {
        RC_PASS(p % ASKED == 0 ? rc_order_go_on(in, err) : RC_OK);
        int32_t row = next_row(b);
        if (p == 0 || b->distinct + b->fresh[row] > cols) {
            begin_block(b, p);
            b->fresh[row] = (int32_t)rc_csr_length(&b->a, row);
        }
        take(b, row);
        slot[p] = row;
        if (in->watch.placed && (p + 1) % REPORT == 0)
            atomic_fetch_add_explicit(in->watch.placed, REPORT, memory_order_relaxed);
    }
    b->columns += b->distinct;
    return RC_OK;
}

/* ------------------------------------------------------------------- parts */

static int64_t row_of(const parts_t *all, int64_t number)
{
    return all->number.row ? all->number.row[number] : number;
}

/* Copy the rows of a part from number `begin` on.  \param[in,out] local  [cols] -1, and so again on
 * return */
static void copy_rows(const parts_t *all, int64_t begin, blk_t *b, int32_t *local)
{
    const rc_csr_t *a = all->in->a;
    int64_t n = 0;
    for (int64_t r = 0; r < b->a.rows; r++) {
        int64_t row = row_of(all, begin + r);
        b->a.row_ptr[r] = n;
        for (int64_t e = a->row_ptr[row]; e < a->row_ptr[row + 1]; e++) {
            int32_t col = a->col_idx[e];
            if (all->count[col] > all->in->params->value[PARAM_HUB])
                continue;
            if (local[col] < 0)
                local[col] = (int32_t)b->a.cols++;
            b->a.col_idx[n++] = local[col];
        }
    }
    b->a.row_ptr[b->a.rows] = b->a.nnz = n;
    for (int64_t r = 0; r < b->a.rows; r++) {
        int64_t row = row_of(all, begin + r);
        for (int64_t e = a->row_ptr[row]; e < a->row_ptr[row + 1]; e++)
            local[a->col_idx[e]] = -1;
    }
}

static rc_status_t prepare(
    const parts_t *all, int64_t begin, int32_t *local, blk_t *b, rc_err_t *err)
{
    size_t rows = (size_t)b->a.rows;
    size_t nnz = 0;
    for (int64_t r = begin; r < begin + b->a.rows; r++) {
        int64_t row = row_of(all, r);
        nnz += (size_t)rc_csr_length(all->in->a, row);
    }
    b->a.row_ptr = rc_pool_get(&b->pool, rows + 1, sizeof *b->a.row_ptr);
    b->a.col_idx = rc_pool_get(&b->pool, nnz, sizeof *b->a.col_idx);
    b->fresh = rc_pool_get(&b->pool, rows, sizeof *b->fresh);
    b->heap = rc_pool_get(&b->pool, rows, sizeof *b->heap);
    b->at = rc_pool_get(&b->pool, rows, sizeof *b->at);
    RC_PASS(rc_pool_check(&b->pool, "rows for blocks", err));
    copy_rows(all, begin, b, local);
    b->block = rc_pool_get(&b->pool, (size_t)b->a.cols, sizeof *b->block);
    RC_PASS(rc_pool_check(&b->pool, "rows for blocks", err));
    for (int64_t c = 0; c < b->a.cols; c++)
        b->block[c] = -1;
    for (int64_t r = 0; r < b->a.rows; r++) {
        b->at[r] = OUTSIDE;
        b->fresh[r] = (int32_t)rc_csr_length(&b->a, r);
    }
    return rc_csr_transpose(&b->a, &b->rows_of, err);
}

/* \return RC_OK, RC_ENOMEM or RC_EINTR */
static rc_status_t build_part(parts_t *all, int64_t k, int32_t *local, rc_err_t *err)
{
    int64_t rows = all->in->a->rows;
    int64_t begin = rc_part_begin(rows, all->parts, k);
    blk_t b = {.bound = all->bound + begin};
    b.a.rows = rc_part_begin(rows, all->parts, k + 1) - begin;
    int32_t *slot = all->slot + begin;
    rc_status_t st = prepare(all, begin, local, &b, err);
    if (st == RC_OK)
        st = fill(&b, all->in, slot, err);
    if (st == RC_OK) {
        for (int64_t p = 0; p < b.a.rows; p++)
            slot[p] = (int32_t)row_of(all, begin + slot[p]);
        all->blocks[k] = b.blocks;
        all->columns += b.columns;
    }
    rc_pool_free(&b.pool);
    rc_csr_free(&b.rows_of);
    return st;
}

static rc_status_t take_parts(void *of, _Atomic int64_t *next, rc_err_t *err)
{
    parts_t *all = of;
    int64_t cols = all->in->a->cols;
    int32_t *local = rc_alloc((size_t)cols, sizeof *local, "columns of blocks", err);
    rc_status_t st = local ? RC_OK : RC_ENOMEM;
    for (int64_t c = 0; local && c < cols; c++)
        local[c] = -1;
    for (int64_t k = (*next)++; st == RC_OK && k < all->parts; k = (*next)++)
        st = build_part(all, k, local, err);
    free(local);
    return st;
}

/* ------------------------------------------------------------------- build */

/* Number the rows, and count the entries of columns up to one more than tells a hub. */
static rc_status_t prepare_parts(parts_t *all, rc_err_t *err)
{
    const rc_csr_t *a = all->in->a;
    int64_t hub = all->in->params->value[PARAM_HUB];
    all->parts = rc_parts_of(a->rows, PART_ROWS);
    all->count = rc_alloc0((size_t)a->cols, sizeof *all->count, "columns of blocks", err);
    all->bound = rc_alloc((size_t)a->rows + 1, sizeof *all->bound, "blocks", err);
    all->blocks = rc_alloc0((size_t)all->parts, sizeof *all->blocks, "blocks", err);
    RC_PASS(all->count && all->bound && all->blocks ? RC_OK : RC_ENOMEM);
    for (int64_t e = 0; e < a->nnz; e++)
        all->count[a->col_idx[e]] += all->count[a->col_idx[e]] <= hub;
    return all->parts > 1 ? rc_parts_number(all->in, &all->number, err) : RC_OK;
}

/* The bounds of all parts, one after the other, go to the schedule. */
static rc_status_t add_groups(parts_t *all, rc_schedule_t *out, rc_err_t *err)
{
    int64_t *bound = all->bound;
    int64_t blocks = 0;
    for (int64_t k = 0; k < all->parts; k++) {
        int64_t begin = rc_part_begin(out->slots, all->parts, k);
        for (int64_t i = 0; i < all->blocks[k]; i++)
            bound[blocks++] = begin + bound[begin + i];
    }
    bound[blocks] = out->slots;
    all->bound = NULL;
    rc_fact_number(all->in->watch.facts, "blocks", blocks);
    rc_fact_number(all->in->watch.facts, "columns", all->columns);
    return rc_schedule_add_groups(out, "block_ptr", blocks, bound, err);
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    parts_t all = {.in = in};
    rc_schedule_t s = {0};
    rc_status_t st;
    RC_TRY(prepare_parts(&all, err));
    RC_TRY(rc_schedule_alloc(in->a->rows, in->a->rows, &s, err));
    all.slot = s.row;
    RC_TRY(rc_parts_share(all.parts, in->threads, take_parts, &all, err));
    RC_TRY(add_groups(&all, &s, err));
    *out = s;
    s = (rc_schedule_t){0};
done:
    rc_schedule_free(&s);
    rc_schedule_free(&all.number);
    free(all.count);
    free(all.bound);
    free(all.blocks);
    return st;
}

const rc_policy_t rc_policy_blk = {
    .name = "blk",
    .summary = "blocks of rows with few distinct columns",
    .source = "rowcast",
    .version = 2, /* 2: large matrices in parts */
    .on_request = 1,
    .param = {{"cols", "distinct columns of a block at most", 432, 1, INT32_MAX, 0},
        {"hub", "entries of a column beyond which it is not looked at", 1024, 1, INT32_MAX, 0}},
    .build = build,
};
