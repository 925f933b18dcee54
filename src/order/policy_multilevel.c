/* multilevel: cells of neighbouring rows along a space-filling curve through smoothed positions
 * [our own rule; that smoothed random vectors tell where a node is: Koren, Carmel and Harel 2002,
 * doi:10.1109/INFVIS.2002.1173159, ACE].
 *
 * Cells of rows, and the links of rows, are those of policy_cells.c, of about `size` rows.  While a
 * level has n > 512 cells, they join to ceil(n / b) larger ones, b = min(128, ceil(n / 512)), as
 * there (where b is `branch`), by the links of every s-th row; s = 1 for the cells of rows, and
 * max(1, floor(b / 2)) times as much after each joining.
 *
 * Positions of the top level, of n <= 512 cells.  Two cells are neighbours that a link of an s-th
 * row joins; of the neighbours of a cell the 32 of the smallest numbers count.  Coordinate d < 3 of
 * cell k begins as floor(h(3 k + d) / 2^12) - 2^19, h the finaliser of MurmurHash3.  80 times each
 * coordinate becomes the mean of those of the cell and its neighbours.  In the beginning and after
 * 40 and 80 times they are made independent: each coordinate x in turn is levelled, then for each
 * one y before it loses y q / 2^10, q = 2^10 <x, y> / <y, y> (nothing, if that is 0 / 0), then is
 * levelled again.  Levelling: x loses its mean over the cells, then, where the sum S of its
 * magnitudes is not 0, it becomes 2^18 n x / S, cut off at -2^20 and 2^20.  In the end a coordinate
 * becomes 2^20 rank / n, by its rank among the cells, equal ones by number.
 *
 * Down to the cells of rows, level by level: a cell begins where the larger one is that it belongs
 * to.  3 times it goes to the mean of itself and, for each link of every 8 s-th row that joins it
 * with another cell, in either direction, that one.
 *
 * All of it is in integers; a quotient loses its fraction (towards 0).  Cells of rows are ranked
 * along a Hilbert curve, by the ten highest bits of the 20 of each coordinate (order/curve.h),
 * equal ones by number.  Then as in policy_cells.c: rows by (rank of the cell, smallest column, row
 * number), and `rounds` of label propagation.
 *
 * Memory beside the schedule: 12 bytes a row and 4 a column (with `rounds` 8), 60 a cell, and 4 a
 * row while it sorts.
 * Cost O((1 + rounds) nnz + rounds of the search x rows). */
#include "config.h"
#include "base/error.h"
#include "order/cells.h"
#include "order/curve.h"
#include "order/policy.h"
#include "order/rows.h"

#include <string.h>

enum { PARAM_SIZE, PARAM_ROUNDS };
enum { TOP = RC_CURVE_TOP, NEAR = RC_CURVE_NEAR, DIMS = RC_CURVE_DIMS };

/* A place of a cell. */
typedef struct place {
    int32_t x[DIMS];
} place_t;

typedef struct sums {
    int64_t x[DIMS];
    int64_t count;
} sums_t;

typedef struct state {
    rc_cell_search_t cells;
    place_t *place; /* [count] of the present level */
    place_t *above; /* [count] of the one above */
    sums_t *sums;   /* [count] */
} state_t;

/* The top level. */
typedef struct top {
    int n;
    uint8_t joined[TOP][TOP];
    int degree[TOP];
    int16_t near[TOP][NEAR];
    int32_t x[DIMS][TOP];
    int32_t next[TOP];
} top_t;

/* The cells that the link of a row joins, at the level of cells->at.  \return 0: none, or one and
 * the same */
static int ends_of(const rc_cell_search_t *c, int64_t r, uint32_t *x, uint32_t *y)
{
    if (c->link[r] == RC_LOCAL_NONE)
        return 0;
    *x = c->at[rc_local_cell(c->row[r])];
    *y = c->at[c->link[r]];
    return *x != *y;
}

/* ----------------------------------------------------------------- the top */

static void find_neighbours(const state_t *s, top_t *t)
{
    uint32_t x;
    uint32_t y;
    for (int64_t r = 0; r < s->cells.in->a->rows; r += s->cells.step[s->cells.levels])
        if (ends_of(&s->cells, r, &x, &y))
            t->joined[x][y] = t->joined[y][x] = 1;
    for (int k = 0; k < t->n; k++)
        for (int j = 0; j < t->n && t->degree[k] < NEAR; j++)
            if (t->joined[k][j])
                t->near[k][t->degree[k]++] = (int16_t)j;
}

static void level(int32_t *x, int n)
{
    int64_t sum = 0;
    int64_t size = 0;
    for (int k = 0; k < n; k++)
        sum += x[k];
    for (int k = 0; k < n; k++) {
        x[k] -= (int32_t)(sum / n);
        size += x[k] < 0 ? -x[k] : x[k];
    }
    for (int k = 0; k < n && size > 0; k++)
        x[k] = rc_curve_level(x[k], n, size);
}

static void make_independent(top_t *t)
{
    for (int d = 0; d < DIMS; d++) {
        level(t->x[d], t->n);
        for (int before = 0; before < d; before++) {
            int64_t both = 0;
            int64_t own = 0;
            const int32_t *y = t->x[before];
            for (int k = 0; k < t->n; k++) {
                both += (int64_t)t->x[d][k] * y[k];
                own += (int64_t)y[k] * y[k];
            }
            for (int k = 0; k < t->n && own > 0; k++)
                t->x[d][k] = rc_curve_without(t->x[d][k], y[k], both, own);
        }
        level(t->x[d], t->n);
    }
}

static void smooth(top_t *t)
{
    for (int d = 0; d < DIMS; d++) {
        for (int k = 0; k < t->n; k++) {
            int32_t sum = t->x[d][k];
            for (int i = 0; i < t->degree[k]; i++)
                sum += t->x[d][t->near[k][i]];
            t->next[k] = sum / (t->degree[k] + 1);
        }
        memcpy(t->x[d], t->next, sizeof t->next);
    }
}

static int rank_of(const int32_t *x, int n, int k)
{
    int rank = 0;
    for (int j = 0; j < n; j++)
        rank += x[j] < x[k] || (x[j] == x[k] && j < k);
    return rank;
}

static void place_top(const state_t *s, top_t *t)
{
    t->n = (int)s->cells.n[s->cells.levels];
    find_neighbours(s, t);
    for (int d = 0; d < DIMS; d++)
        for (int k = 0; k < t->n; k++)
            t->x[d][k] = rc_curve_begin(k, d);
    make_independent(t);
    for (int i = 1; i <= RC_CURVE_TIMES; i++) {
        smooth(t);
        if (i % RC_CURVE_EVERY == 0)
            make_independent(t);
    }
    for (int d = 0; d < DIMS; d++)
        for (int k = 0; k < t->n; k++)
            s->place[k].x[d] = rc_curve_rank(rank_of(t->x[d], t->n, k), t->n);
}

/* ----------------------------------------------------------- below the top */

static void add(sums_t *to, const place_t *p)
{
    for (int d = 0; d < DIMS; d++)
        to->x[d] += p->x[d];
    to->count++;
}

static void refine(const state_t *s, int l)
{
    int64_t step = s->cells.step[l] * RC_CURVE_THINNING;
    uint32_t x;
    uint32_t y;
    memset(s->sums, 0, (size_t)s->cells.n[l] * sizeof *s->sums);
    for (int64_t k = 0; k < s->cells.n[l]; k++)
        add(&s->sums[k], &s->place[k]);
    for (int64_t r = 0; r < s->cells.in->a->rows; r += step)
        if (ends_of(&s->cells, r, &x, &y)) {
            add(&s->sums[x], &s->place[y]);
            add(&s->sums[y], &s->place[x]);
        }
    for (int64_t k = 0; k < s->cells.n[l]; k++)
        for (int d = 0; d < DIMS; d++)
            s->place[k].x[d] = (int32_t)(s->sums[k].x[d] / s->sums[k].count);
}

/* cells->at becomes the cells of level l. */
static void descend(const state_t *s, int l)
{
    memcpy(s->above, s->place, (size_t)s->cells.n[l + 1] * sizeof *s->place);
    for (int64_t k = 0; k < s->cells.n[l]; k++)
        s->place[k] = s->above[s->cells.up[l][k]];
    for (int64_t k = 0; k < s->cells.count; k++) {
        s->cells.at[k] = (uint32_t)k;
        for (int i = 0; i < l; i++)
            s->cells.at[k] = (uint32_t)s->cells.up[i][s->cells.at[k]];
    }
    for (int i = 0; i < RC_CURVE_REFINE; i++)
        refine(s, l);
}

static rc_status_t place_cells(state_t *s, rc_err_t *err)
{
    size_t n = (size_t)s->cells.count;
    rc_pool_t *pool = &s->cells.pool;
    top_t *top = rc_pool_get0(pool, 1, sizeof *top);
    s->place = rc_pool_get(pool, n, sizeof *s->place);
    s->above = rc_pool_get(pool, n, sizeof *s->above);
    s->sums = rc_pool_get(pool, n, sizeof *s->sums);
    RC_PASS(rc_pool_check(pool, "places of cells", err));
    if (n > 0)
        place_top(s, top);
    for (int l = s->cells.levels - 1; l >= 0; l--)
        descend(s, l);
    return RC_OK;
}

/* cells->at becomes the ranks of the cells of rows. */
static rc_status_t rank_cells(state_t *s, rc_err_t *err)
{
    int64_t n = s->cells.count;
    int32_t *key = (int32_t *)s->cells.key;
    int32_t *order = rc_pool_get(&s->cells.pool, (size_t)n, sizeof *order);
    RC_PASS(rc_pool_check(&s->cells.pool, "places of cells", err));
    for (int64_t k = 0; k < n; k++) {
        key[k] = (int32_t)rc_curve_key(s->place[k].x);
        order[k] = (int32_t)k;
    }
    RC_PASS(rc_sort_by_key(key, 0, n, order, err));
    for (int64_t p = 0; p < n; p++)
        s->cells.at[order[p]] = (uint32_t)p;
    return RC_OK;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    state_t s;
    rc_status_t st;
    RC_TRY(rc_cells_grow(in, in->params->value[PARAM_SIZE], &s.cells, err));
    RC_TRY(rc_cells_join(&s.cells, TOP, 0, err));
    RC_TRY(place_cells(&s, err));
    RC_TRY(rank_cells(&s, err));
    st = rc_cells_place(&s.cells, (int)in->params->value[PARAM_ROUNDS], out, err);
done:
    rc_pool_free(&s.cells.pool);
    return st;
}

const rc_policy_t rc_policy_multilevel = {
    .name = "multilevel",
    .summary = "rows by cells of neighbouring rows, along a curve through smoothed positions",
    .source = "our own rule, at the top of src/order/policy_multilevel.c",
    .version = 1,
    .on_request = 1,
    .param = {{"size", "rows a cell, about", 64, 2, 65536, 0},
        {"rounds", "of label propagation at the end", 2, 0, 100, 0}},
    .build = build,
};
