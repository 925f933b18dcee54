#include "config.h"
#include "order/cells.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/curve.h"
#include "order/rows.h"
#include "order/steps.h"

#include <stdlib.h>

enum { CHUNK = 4096 };

static uint32_t peek(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* ----------------------------------------------------------- cells of rows */

static void plant(const rc_cell_search_t *c)
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
            rc_row_lower(a, r, c->row[r], c->col);
        }
    }
}

/* Columns that others reach in this round have a later key, and do not count yet. */
static int64_t grow_once(const rc_cell_search_t *c, uint32_t round)
{
    const rc_csr_t *a = c->in->a;
    int64_t found = 0;
#pragma omp parallel for num_threads(c->in->threads) schedule(dynamic, CHUNK) reduction(+ : found)
    for (int64_t r = 0; r < a->rows; r++) {
        if (c->row[r] != RC_LOCAL_NONE)
            continue;
        uint32_t least = rc_row_least(a, r, c->col);
        if (rc_local_round(least) > round)
            continue;
        c->row[r] = rc_local_key(round + 1, rc_local_cell(least));
        rc_row_lower(a, r, c->row[r], c->col);
        found++;
    }
    return found;
}

static void grow(const rc_cell_search_t *c)
{
    plant(c);
    for (uint32_t round = 0; round < RC_LOCAL_ROUNDS; round++)
        if (grow_once(c, round) == 0)
            break;
}

/* ---------------------------------------------------------- cells of cells */

static uint32_t link_of(const rc_cell_search_t *c, int64_t r)
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
static int64_t reach(const rc_cell_search_t *c, uint32_t from, uint32_t to, uint32_t round)
{
    uint32_t key = peek(&c->key[from]);
    if (rc_local_round(key) > round || rc_local_round(peek(&c->key[to])) <= round)
        return 0;
    rc_local_min(&c->key[to], rc_local_key(round + 1, rc_local_cell(key)));
    return 1;
}

static int64_t join_once(const rc_cell_search_t *c, int64_t step, uint32_t round)
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

/* Join the n cells of the present level to ceil(n / branch) larger ones, by the links of every
 * step-th row.  c->at becomes the cells of the next level.
 * \param[out] up  [n] the cell of the next level */
static void join(const rc_cell_search_t *c, int64_t n, int64_t branch, int64_t step, int32_t *up)
{
    for (int64_t k = 0; k < n; k++)
        c->key[k] = RC_LOCAL_NONE;
    for (int64_t k = 0; k * branch < n; k++)
        c->key[rc_local_seed(k, branch, n)] = rc_local_key(0, (uint32_t)k);
    for (uint32_t round = 0; round < RC_LOCAL_ROUNDS; round++)
        if (join_once(c, step, round) == 0)
            break;
    for (int64_t k = 0; k < n; k++)
        up[k] = (int32_t)(c->key[k] == RC_LOCAL_NONE ? k / branch : rc_local_cell(c->key[k]));
    for (int64_t k = 0; k < c->count; k++)
        c->at[k] = (uint32_t)up[c->at[k]];
}

rc_status_t rc_cells_join(rc_cell_search_t *c, int64_t most, int64_t branch, rc_err_t *err)
{
    c->n[0] = c->count;
    c->step[0] = 1;
    for (int l = 0; c->n[l] > most; l = c->levels) {
        int64_t size = branch > 0 ? branch : rc_curve_branch(c->n[l]);
        c->up[l] = rc_pool_get(&c->pool, (size_t)c->n[l], sizeof *c->up[l]);
        RC_PASS(rc_pool_check(&c->pool, "cells of cells", err));
        join(c, c->n[l], size, c->step[l], c->up[l]);
        c->levels = l + 1;
        c->n[l + 1] = (c->n[l] + size - 1) / size;
        c->step[l + 1] = c->step[l] * rc_local_thinning(size);
    }
    return RC_OK;
}

rc_status_t rc_cells_grow(
    const rc_order_input_t *in, int64_t size, rc_cell_search_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    const int64_t most = INT64_C(1) << RC_LOCAL_CELL_BITS;
    int64_t least = (a->rows + most - 1) / most;
    rc_cell_search_t *c = out;
    *c = (rc_cell_search_t){.in = in, .size = size < least ? least : size};
    c->count = (a->rows + c->size - 1) / c->size;
    c->row = rc_pool_get(&c->pool, (size_t)a->rows, sizeof *c->row);
    c->col = rc_pool_get(&c->pool, (size_t)a->cols, sizeof *c->col);
    c->link = rc_pool_get(&c->pool, (size_t)a->rows, sizeof *c->link);
    c->at = rc_pool_get(&c->pool, (size_t)c->count, sizeof *c->at);
    c->key = rc_pool_get(&c->pool, (size_t)c->count, sizeof *c->key);
    RC_PASS(rc_pool_check(&c->pool, "cells of cells", err));
    grow(c);
#pragma omp parallel for num_threads(in->threads) schedule(dynamic, CHUNK)
    for (int64_t r = 0; r < a->rows; r++)
        c->link[r] = link_of(c, r);
    for (int64_t k = 0; k < c->count; k++)
        c->at[k] = (uint32_t)k;
    return RC_OK;
}

/* ------------------------------------------------------------- the schedule */

/* Label propagation, from the cells on; ranks as in rc_cells_place. */
static rc_status_t gather(const rc_cell_search_t *c, int rounds, rc_schedule_t *s, rc_err_t *err)
{
    const int32_t *rank = (const int32_t *)c->row;
    uint32_t *label = c->link;
    uint32_t first = 0;
    uint32_t *column = rc_alloc((size_t)c->in->a->cols, sizeof *column, "labels of columns", err);
    RC_PASS(column ? RC_OK : RC_ENOMEM);
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

/* The ranks of their cells take the place of the cells of rows, smallest columns that of their
 * links. */
rc_status_t rc_cells_place(const rc_cell_search_t *c, int rounds, rc_schedule_t *out, rc_err_t *err)
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
    rc_status_t st = rc_schedule_by_keys(c->in, keys, 2, out, err);
    return st == RC_OK && rounds > 0 ? gather(c, rounds, out, err) : st;
}
