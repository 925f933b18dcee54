#include "config.h"
#include "sparse/tile_groups.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/tally.h"

#include <string.h>

static int64_t smaller(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* ----------------------------------------------------------------- measure */

/* Distinct dense columns of slots [s, end).  A column of the tally counts the last group that had
 * it. */
static int64_t columns_of(const rc_csr_t *a, const int32_t *row, int64_t s, int64_t end,
    int32_t number, const rc_tally_t *tally)
{
    int64_t n = 0;
    for (; s < end; s++) {
        int64_t r = row[s];
        for (int64_t e = r < 0 ? 0 : a->row_ptr[r]; r >= 0 && e < a->row_ptr[r + 1]; e++) {
            rc_tally_slot_t *c = rc_tally_at(tally, a->col_idx[e]);
            n += c->col >= 0 && c->count != number;
            if (c->col >= 0)
                c->count = number;
        }
    }
    return n;
}

rc_status_t rc_tile_groups_measure(const rc_csr_t *a, const rc_schedule_t *order,
    const rc_tiles_t *t, int64_t rows, rc_tile_group_size_t *out, rc_err_t *err)
{
    rc_tile_group_size_t n = {.rows = rows};
    rc_tally_t tally = {0};
    rc_status_t st = RC_OK;
    for (int64_t p = 0; p < t->panels; p++) {
        int64_t cols = t->col_ptr[p + 1] - t->col_ptr[p];
        int64_t first = p * t->rule.panel;
        int64_t end = smaller(first + t->rule.panel, order->slots);
        int32_t number = 1; /* what rc_tally_add leaves */
        if (cols == 0)
            continue;
        RC_TRY(rc_tally_reset(&tally, cols, err));
        for (int64_t i = t->col_ptr[p]; i < t->col_ptr[p + 1]; i++)
            rc_tally_add(&tally, t->col[i]);
        n.ptrs += (end - first + rows - 1) / rows *
                  (int64_t)rc_tiles_of((int32_t)cols, t->rule.tile_cols);
        for (int64_t s = first; s < end; s += rows)
            n.columns += columns_of(a, order->row, s, smaller(s + rows, end), ++number, &tally);
    }
    *out = n;
done:
    rc_tally_free(&tally);
    return st;
}

/* ------------------------------------------------------------------- build */

/* The rows of a group in one tile. */
typedef struct heads {
    int count;
    int64_t at[RC_TILE_GROUP_MAX]; /* entry that is next */
    int64_t end[RC_TILE_GROUP_MAX];
} heads_t;

/* The least column of the matrix that is next in any row.  \return its local number, -1: there is
 * none */
static int32_t next_column(const rc_tile_parts_t *p, const int32_t *tile_col, const heads_t *h)
{
    int32_t best = -1;
    for (int i = 0; i < h->count; i++)
        if (h->at[i] < h->end[i] && (best < 0 || tile_col[p->col[h->at[i]]] < tile_col[best]))
            best = p->col[h->at[i]];
    return best;
}

/* Write the columns of a group in a tile from `at` on.  \return the place behind them */
static int64_t merge(
    const rc_tile_parts_t *p, const int32_t *tile_col, heads_t *h, int64_t at, rc_tile_groups_t *g)
{
    for (;;) {
        int32_t c = next_column(p, tile_col, h);
        if (c < 0)
            return at;
        g->col[at] = (uint16_t)c;
        for (int i = 0; i < h->count; i++)
            if (h->at[i] < h->end[i] && p->col[h->at[i]] == c)
                rc_tile_move(g->val, at * g->size.rows + i, p->val, h->at[i]++, p->value_bytes);
        at++;
    }
}

rc_status_t rc_tile_groups_build(const rc_tile_parts_t *p, const rc_tile_rule_t *rule,
    const int32_t *tile_col, const rc_tile_group_size_t *size, rc_tile_groups_t *out, rc_err_t *err)
{
    rc_tile_groups_t g = {.size = *size};
    rc_pool_t *pool = &g.pool;
    int64_t at = 0;
    int64_t ptr = 0;
    g.panel = rc_pool_get(pool, (size_t)p->size.panels, sizeof *g.panel);
    g.ptr = rc_pool_get(pool, (size_t)size->ptrs + 1, sizeof *g.ptr);
    g.col = rc_pool_get(pool, (size_t)size->columns, sizeof *g.col);
    g.val = rc_pool_get0(pool, (size_t)(size->columns * size->rows), (size_t)p->value_bytes);
    if (rc_pool_check(pool, "groups of rows", err) < 0) {
        rc_tile_groups_free(&g);
        return RC_ENOMEM;
    }
    for (int64_t i = 0; i < p->size.panels; i++) {
        const rc_tile_panel_t *from = &p->panel[i];
        int64_t tiles = rc_tiles_of(from->cols, rule->tile_cols);
        int64_t slots = smaller(p->slots - from->slot, rule->panel);
        g.panel[i] = *from;
        g.panel[i].ptr = (int32_t)ptr;
        for (int64_t s = 0; s < slots; s += size->rows)
            for (int64_t t = 0; t < tiles; t++) {
                heads_t h = {.count = (int)smaller(size->rows, slots - s)};
                for (int r = 0; r < h.count; r++) {
                    h.at[r] = p->ptr[from->ptr + (s + r) * tiles + t];
                    h.end[r] = p->ptr[from->ptr + (s + r) * tiles + t + 1];
                }
                g.ptr[ptr++] = at;
                at = merge(p, tile_col + from->col + t * rule->tile_cols, &h, at, &g);
            }
    }
    g.ptr[ptr] = at;
    *out = g;
    return RC_OK;
}

void rc_tile_groups_free(rc_tile_groups_t *g)
{
    rc_pool_free(&g->pool);
    *g = (rc_tile_groups_t){.panel = NULL};
}
