/* cells: rows by cells of neighbouring rows, cells by cells of cells [our own rule].
 *
 * h is the finaliser of MurmurHash3 (order/local.h); only the first 64 entries of a row count.
 *
 * Cells of rows.  There are ceil(rows / s) cells, s = max(size, ceil(rows / 2^23)).  Cell k begins with
 * row k s + h(k) mod min(s, rows - k s), if that has entries.  All cells grow together: in every round
 * each column of a row reached last that is of no cell yet becomes one of its cell, then each row not yet
 * reached that holds a column of a cell joins that cell; of several cells, the one of the smallest number.
 * It ends when a round reaches no row, and after 254 rounds.
 *
 * Cells of cells.  A reached row r of m entries that count links its cell with the cell of one of its
 * columns: the first column of another cell, from entry h(r) mod m on and around.  While there are more
 * than `branch` cells, every `branch` of them by number get one seed, chosen as above with s = branch, and
 * the cells grow over the links, in both directions, round by round as above; a cell that is not reached
 * belongs to seed number floor(cell / branch).  The links stay, between the larger cells, but of level l (cells of
 * rows: 0) only those of rows whose number is a multiple of max(1, floor(branch / 2))^l.
 *
 * Cells are ranked from the top: by the rank of the cell that they belong to, then by number.  Rows come by
 * (rank of the cell, smallest column, row number), last those that were not reached, as if of one cell.
 * Inside of a cell the smallest column brings those few rows together that a CTA or a thread has at a time.
 *
 * Then `rounds` rounds of label propagation (policy_labels.c): the label of a row begins as the slot of the
 * first row of its cell, that of a row that was not reached as its own slot.  Rows are sorted by label,
 * equal ones stay in the order before.  That gathers communities, which cells alone do not.
 *
 * It goes through columns, not through the graph of A: so it takes rectangular matrices and rows and columns
 * numbered apart, for one more look at a row until it is reached.
 *
 * Memory beside the schedule: 8 bytes a row and 4 a column (with `rounds` 8), 12 a cell, and 4 a row while
 * it sorts.
 * Cost O((1 + rounds) nnz + rounds of the search x rows). */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/policy.h"
#include "order/rows.h"
#include "order/steps.h"

#include <stdlib.h>

enum { PARAM_SIZE, PARAM_BRANCH, PARAM_ROUNDS };
enum { CHUNK = 4096, LEVELS = 32 };

typedef struct cells {
    const rc_order_input_t *in;
    int64_t size;
    int64_t branch;
    int64_t count;
    uint32_t *row;  /* [rows] round and cell, or RC_LOCAL_NONE */
    uint32_t *col;  /* [cols] the same */
    uint32_t *link; /* [rows] the cell that a row links its own with, or RC_LOCAL_NONE */
    uint32_t *at;   /* [count] the cell of the present level that a cell of rows is in */
    uint32_t *key;  /* [count] round and cell of the next level */
    int32_t *up[LEVELS]; /* [cells of level l] the cell of level l + 1 */
    int64_t n[LEVELS];   /* cells of level l */
    int levels;
} cells_t;

static uint32_t peek(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* ----------------------------------------------------------- cells of rows */

/* The columns of a row become those of its cell. */
static void push(const cells_t *c, int64_t r, uint32_t key)
{
    const rc_csr_t *a = c->in->a;
    int length = rc_local_length(a->row_ptr[r], a->row_ptr[r + 1]);
    for (int e = 0; e < length; e++)
        rc_local_min(&c->col[a->col_idx[a->row_ptr[r] + e]], key);
}

static void plant(const cells_t *c)
{
    const rc_csr_t *a = c->in->a;
#pragma omp parallel num_threads(c->in->threads)
    {
#pragma omp for schedule(static)
        for (int64_t j = 0; j < a->cols; j++)
            c->col[j] = RC_LOCAL_NONE;
#pragma omp for schedule(static)
        for (int64_t r = 0; r < a->rows; r++)
            c->row[r] = RC_LOCAL_NONE;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < c->count; k++) {
            int64_t r = rc_local_seed(k, c->size, a->rows);
            if (a->row_ptr[r] == a->row_ptr[r + 1])
                continue;
            c->row[r] = rc_local_key(0, (uint32_t)k);
            push(c, r, c->row[r]);
        }
    }
}

/* The smallest key of the columns of a row. */
static uint32_t pull(const cells_t *c, int64_t r)
{
    const rc_csr_t *a = c->in->a;
    int length = rc_local_length(a->row_ptr[r], a->row_ptr[r + 1]);
    uint32_t least = RC_LOCAL_NONE;
    for (int e = 0; e < length; e++) {
        uint32_t key = peek(&c->col[a->col_idx[a->row_ptr[r] + e]]);
        least = key < least ? key : least;
    }
    return least;
}

/* Columns that others reach in this round have a later key, and do not count yet. */
static int64_t grow_once(const cells_t *c, uint32_t round)
{
    int64_t rows = c->in->a->rows;
    int64_t found = 0;
#pragma omp parallel for num_threads(c->in->threads) schedule(dynamic, CHUNK) reduction(+ : found)
    for (int64_t r = 0; r < rows; r++) {
        if (c->row[r] != RC_LOCAL_NONE)
            continue;
        uint32_t least = pull(c, r);
        if (rc_local_round(least) > round)
            continue;
        c->row[r] = rc_local_key(round + 1, rc_local_cell(least));
        push(c, r, c->row[r]);
        found++;
    }
    return found;
}

static void grow(const cells_t *c)
{
    plant(c);
    for (uint32_t round = 0; round < RC_LOCAL_ROUNDS; round++)
        if (grow_once(c, round) == 0)
            break;
}

/* ---------------------------------------------------------- cells of cells */

static uint32_t link_of(const cells_t *c, int64_t r)
{
    const rc_csr_t *a = c->in->a;
    const int32_t *col = a->col_idx + a->row_ptr[r];
    int length = rc_local_length(a->row_ptr[r], a->row_ptr[r + 1]);
    if (c->row[r] == RC_LOCAL_NONE)
        return RC_LOCAL_NONE;
    uint32_t own = rc_local_cell(c->row[r]);
    int first = (int)(rc_local_hash((uint32_t)r) % (uint32_t)length);
    for (int e = 0; e < length; e++) {
        uint32_t cell = rc_local_cell(c->col[col[(first + e) % length]]);
        if (cell != own)
            return cell;
    }
    return RC_LOCAL_NONE;
}

/* One cell reaches the other. */
static int64_t reach(const cells_t *c, uint32_t from, uint32_t to, uint32_t round)
{
    uint32_t key = peek(&c->key[from]);
    if (rc_local_round(key) > round || rc_local_round(peek(&c->key[to])) <= round)
        return 0;
    rc_local_min(&c->key[to], rc_local_key(round + 1, rc_local_cell(key)));
    return 1;
}

static int64_t join_once(const cells_t *c, int64_t step, uint32_t round)
{
    int64_t rows = c->in->a->rows;
    int64_t found = 0;
#pragma omp parallel for num_threads(c->in->threads) schedule(static) reduction(+ : found)
    for (int64_t r = 0; r < rows; r += step) {
        if (c->link[r] == RC_LOCAL_NONE)
            continue;
        uint32_t x = c->at[rc_local_cell(c->row[r])];
        uint32_t y = c->at[c->link[r]];
        if (x != y)
            found += reach(c, x, y, round) + reach(c, y, x, round);
    }
    return found;
}

/* The cells of a level, of which there are n, get those of the next one, by the links of every step-th row. */
static void join(const cells_t *c, int64_t n, int64_t step, int32_t *up)
{
    for (int64_t k = 0; k < n; k++)
        c->key[k] = RC_LOCAL_NONE;
    for (int64_t k = 0; k * c->branch < n; k++)
        c->key[rc_local_seed(k, c->branch, n)] = rc_local_key(0, (uint32_t)k);
    for (uint32_t round = 0; round < RC_LOCAL_ROUNDS; round++)
        if (join_once(c, step, round) == 0)
            break;
    for (int64_t k = 0; k < n; k++)
        up[k] = (int32_t)(c->key[k] == RC_LOCAL_NONE ? k / c->branch : rc_local_cell(c->key[k]));
    for (int64_t k = 0; k < c->count; k++)
        c->at[k] = (uint32_t)up[c->at[k]];
}

static rc_status_t join_all(cells_t *c, rc_err_t *err)
{
    int64_t rows = c->in->a->rows;
    int64_t n = c->count;
    int64_t step = 1;
#pragma omp parallel for num_threads(c->in->threads) schedule(dynamic, CHUNK)
    for (int64_t r = 0; r < rows; r++)
        c->link[r] = link_of(c, r);
    for (int64_t k = 0; k < c->count; k++)
        c->at[k] = (uint32_t)k;
    for (; n > c->branch; n = (n + c->branch - 1) / c->branch, step *= rc_local_thinning(c->branch)) {
        int32_t *up = rc_alloc((size_t)n, sizeof *up, "cells of cells", err);
        if (!up)
            return RC_ENOMEM;
        join(c, n, step, up);
        c->n[c->levels] = n;
        c->up[c->levels++] = up;
    }
    return RC_OK;
}

/* rank[k] of the cells of rows, in the memory of `at`; the order of a level in that of `key`. */
static rc_status_t rank_cells(cells_t *c, rc_err_t *err)
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

/* ------------------------------------------------------------- the schedule */

/* The ranks of their cells take the place of the cells of rows, smallest columns that of their links. */
static rc_status_t place(const cells_t *c, rc_schedule_t *out, rc_err_t *err)
{
    int64_t rows = c->in->a->rows;
    int32_t *first = (int32_t *)c->link;
    int32_t *rank = (int32_t *)c->row;
    const int32_t *const keys[] = {first, rank};
    rc_first_columns(c->in, first);
#pragma omp parallel for num_threads(c->in->threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        uint32_t x = c->row[r];
        rank[r] = (int32_t)(x == RC_LOCAL_NONE ? c->count : c->at[rc_local_cell(x)]);
    }
    return rc_schedule_by_keys(c->in, keys, 2, out, err);
}

/* Label propagation, from the cells on; ranks as place left them. */
static rc_status_t gather(const cells_t *c, rc_schedule_t *s, rc_err_t *err)
{
    const int32_t *rank = (const int32_t *)c->row;
    uint32_t *label = c->link;
    int rounds = (int)c->in->params->value[PARAM_ROUNDS];
    uint32_t first = 0;
    uint32_t *column = rc_alloc((size_t)c->in->a->cols, sizeof *column, "labels of columns", err);
    if (!column)
        return RC_ENOMEM;
    for (int64_t p = 0; p < s->slots; p++) {
        int32_t x = rank[s->row[p]];
        if (p == 0 || x == c->count || x != rank[s->row[p - 1]])
            first = (uint32_t)p;
        label[s->row[p]] = first;
    }
    for (int round = 0; round < rounds; round++)
        rc_vote_round(c->in, round, column, label);
    rc_status_t st = rc_sort_by_key((const int32_t *)label, 0, s->slots, s->row, err);
    free(column);
    return st;
}

static void cells_free(cells_t *c)
{
    free(c->row);
    free(c->col);
    free(c->link);
    free(c->at);
    free(c->key);
    for (int l = 0; l < c->levels; l++)
        free(c->up[l]);
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    const int64_t most = INT64_C(1) << RC_LOCAL_CELL_BITS;
    int64_t least = (a->rows + most - 1) / most;
    cells_t c = {.in = in, .size = in->params->value[PARAM_SIZE], .branch = in->params->value[PARAM_BRANCH]};
    c.size = c.size < least ? least : c.size;
    c.count = (a->rows + c.size - 1) / c.size;
    rc_status_t st = RC_OK;
    c.row = rc_alloc((size_t)a->rows, sizeof *c.row, "cells of rows", err);
    c.col = rc_alloc((size_t)a->cols, sizeof *c.col, "cells of columns", err);
    c.link = rc_alloc((size_t)a->rows, sizeof *c.link, "links of cells", err);
    c.at = rc_alloc((size_t)c.count, sizeof *c.at, "cells", err);
    c.key = rc_alloc((size_t)c.count, sizeof *c.key, "cells", err);
    RC_TRY(c.row && c.col && c.link && c.at && c.key ? RC_OK : RC_ENOMEM);
    grow(&c);
    RC_TRY(join_all(&c, err));
    RC_TRY(rank_cells(&c, err));
    RC_TRY(place(&c, out, err));
    if (in->params->value[PARAM_ROUNDS] > 0)
        st = gather(&c, out, err);
done:
    cells_free(&c);
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
