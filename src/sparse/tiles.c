#include "config.h"
#include "sparse/tiles.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/ranked.h"
#include "sparse/csr.h"
#include "sparse/similarity.h"
#include "sparse/tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An order cut into panels. */
typedef struct cut {
    const rc_csr_t *a;
    const int32_t *row; /* [slots]; NULL: the original order */
    int64_t slots;
    int64_t panel; /* slots */
    int64_t panels;
    int threads;
} cut_t;

static cut_t cut_into(const rc_csr_t *a, const rc_schedule_t *order, int64_t panel, int threads)
{
    enum { alone = 1 << 18 }; /* below it a team costs more than it brings */
    cut_t c = {.a = a, .slots = a->rows, .panel = panel};
    if (order) {
        c.row = order->row;
        c.slots = order->slots;
    }
    c.panels = c.slots / panel + (c.slots % panel != 0);
    int64_t most = a->nnz + c.slots < alone ? 1 : c.panels;
    c.threads = most < threads ? (int)(most > 0 ? most : 1) : threads;
    return c;
}

/* The slots of a panel: [*first, result). */
static int64_t slots_of(const cut_t *c, int64_t p, int64_t *first)
{
    *first = p * c->panel;
    return c->slots - *first < c->panel ? c->slots : *first + c->panel;
}

/* The entries of a slot: [*first, result). */
static int64_t entries_of(const cut_t *c, int64_t slot, int64_t *first)
{
    int64_t r = c->row ? c->row[slot] : slot;
    *first = r < 0 ? 0 : c->a->row_ptr[r];
    return r < 0 ? 0 : c->a->row_ptr[r + 1];
}

static int64_t entries_of_panel(const cut_t *c, int64_t p)
{
    int64_t s;
    int64_t e;
    int64_t n = 0;
    if (!c->row) {
        int64_t end = slots_of(c, p, &s);
        return c->a->row_ptr[end] - c->a->row_ptr[s];
    }
    for (int64_t end = slots_of(c, p, &s); s < end; s++)
        n += entries_of(c, s, &e) - e;
    return n;
}

static int64_t smaller(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* How often the columns of a panel occur.  Zero-initialise; free with free_counts. */
typedef struct counts {
    rc_tally_t tally;
    int32_t *often; /* columns that occur at least col_min times, in the order in which they came
                         to that */
    size_t room;
    int64_t dense;    /* of them */
    int64_t distinct; /* columns of the panel */
} counts_t;

static void free_counts(counts_t *n)
{
    rc_tally_free(&n->tally);
    free(n->often);
}

/* Count the columns of panel p. */
static rc_status_t count_panel(
    const cut_t *c, int64_t p, int32_t col_min, counts_t *n, rc_err_t *err)
{
    const int32_t *col = c->a->col_idx;
    int64_t entries = entries_of_panel(c, p);
    int64_t s;
    n->dense = n->distinct = 0;
    RC_PASS(rc_tally_reset(&n->tally, smaller(entries, c->a->cols), err));
    RC_PASS(RC_GROW(n->often, n->room, (size_t)(entries / col_min), "columns", err));
    for (int64_t end = slots_of(c, p, &s); s < end; s++) {
        int64_t e;
        for (int64_t stop = entries_of(c, s, &e); e < stop; e++) {
            int32_t now = rc_tally_add(&n->tally, col[e]);
            n->distinct += now == 1;
            if (now == col_min)
                n->often[n->dense++] = col[e];
        }
    }
    return RC_OK;
}

/* ------------------------------------------------------------------- tiles */

/* What a thread needs. */
typedef struct look {
    counts_t counts;
    rc_ranked_t *key; /* the dense columns of a panel: what their counts lack, then the column */
    size_t room;
} look_t;

/* The dense columns of panel p: their number goes to col_ptr[p + 1], that of their entries to
 * dense_ptr[p + 1].  \param[out] col  free with free(); NULL: there are none */
static rc_status_t look_at(
    const cut_t *c, int64_t p, look_t *l, rc_tiles_t *t, int32_t **col, rc_err_t *err)
{
    const rc_tile_rule_t *rule = &t->rule;
    RC_PASS(count_panel(c, p, rule->col_min, &l->counts, err));
    int64_t dense = l->counts.dense;
    int64_t kept = dense < rule->tile_min    ? 0
                   : dense > rule->tile_cols ? dense - dense % rule->tile_cols
                                             : dense;
    if (kept == 0)
        return RC_OK;
    RC_PASS(RC_GROW(l->key, l->room, (size_t)dense, "columns", err));
    RC_PASS(RC_NEW(*col, kept, "dense columns", err));
    for (int64_t i = 0; i < dense; i++) {
        int32_t often = l->counts.often[i];
        l->key[i] = (rc_ranked_t){
            (uint64_t)(INT32_MAX - rc_tally_at(&l->counts.tally, often)->count), (uint64_t)often};
    }
    rc_ranked_sort(l->key, dense, 1);
    for (int64_t i = 0; i < kept; i++) {
        (*col)[i] = (int32_t)l->key[i].tie;
        t->dense_ptr[p + 1] += INT32_MAX - (int64_t)l->key[i].key;
    }
    t->col_ptr[p + 1] = kept;
    return RC_OK;
}

/* \param[out] col  [panels] */
static rc_status_t look_at_all(const cut_t *c, rc_tiles_t *t, int32_t **col, rc_err_t *err)
{
    rc_status_t st = RC_OK;
#pragma omp parallel num_threads(c->threads)
    {
        look_t l = {.key = NULL};
        rc_err_t said = {0};
        rc_status_t s = RC_OK;
#pragma omp for schedule(dynamic, 8)
        for (int64_t p = 0; p < c->panels; p++)
            if (s == RC_OK)
                s = look_at(c, p, &l, t, &col[p], &said);
        free_counts(&l.counts);
        free(l.key);
        rc_err_keep(s, &said, &st, err);
    }
    return st;
}

/* The columns of all panels, one after the other. */
static rc_status_t gather(int32_t *const *col, rc_tiles_t *t, rc_err_t *err)
{
    for (int64_t p = 0; p < t->panels; p++) {
        int64_t n = t->col_ptr[p + 1];
        t->tiles += n / t->rule.tile_cols + (n % t->rule.tile_cols != 0);
        t->col_ptr[p + 1] += t->col_ptr[p];
        t->dense_ptr[p + 1] += t->dense_ptr[p];
    }
    RC_PASS(RC_NEW(t->col, t->col_ptr[t->panels], "dense columns", err));
    for (int64_t p = 0; p < t->panels; p++) {
        int64_t n = t->col_ptr[p + 1] - t->col_ptr[p];
        if (n > 0)
            memcpy(t->col + t->col_ptr[p], col[p], (size_t)n * sizeof *t->col);
    }
    return RC_OK;
}

static rc_status_t check_rule(const rc_tile_rule_t *r, rc_err_t *err)
{
    if (r->panel < 1 || r->col_min < 1 || r->tile_cols < 1 || r->tile_min < 1)
        return rc_fail(err, RC_EINVAL,
            "tiles: expected panel, col_min, tile_cols and tile_min from 1, found %" PRId32
            ", %" PRId32 ", %" PRId32 ", %" PRId32,
            r->panel, r->col_min, r->tile_cols, r->tile_min);
    return RC_OK;
}

rc_status_t rc_tiles_find(const rc_csr_t *a, const rc_schedule_t *order, const rc_tile_rule_t *rule,
    int threads, rc_tiles_t *out, rc_err_t *err)
{
    rc_status_t st;
    RC_PASS(check_rule(rule, err));
    cut_t c = cut_into(a, order, rule->panel, threads);
    rc_tiles_t t = {.rule = *rule, .panels = c.panels};
    t.col_ptr = rc_alloc0((size_t)c.panels + 1, sizeof *t.col_ptr, "tiles", err);
    t.dense_ptr = rc_alloc0((size_t)c.panels + 1, sizeof *t.dense_ptr, "tiles", err);
    int32_t **col = rc_alloc0((size_t)c.panels, sizeof *col, "tiles", err);
    RC_TRY(t.col_ptr && t.dense_ptr && col ? RC_OK : RC_ENOMEM);
    RC_TRY(look_at_all(&c, &t, col, err));
    RC_TRY(gather(col, &t, err));
    *out = t;
    t = (rc_tiles_t){0};
done:
    rc_tiles_free(&t);
    for (int64_t p = 0; col && p < c.panels; p++)
        free(col[p]);
    free(col);
    return st;
}

void rc_tiles_free(rc_tiles_t *t)
{
    free(t->col_ptr);
    free(t->dense_ptr);
    free(t->col);
    *t = (rc_tiles_t){0};
}

double rc_tiles_ratio(const rc_tiles_t *t, const rc_csr_t *a)
{
    return a->nnz > 0 ? (double)t->dense_ptr[t->panels] / (double)a->nnz : 0;
}

/* --------------------------------------------------------- the sparse part */

/* Write the rows of panel p from entry `at` on. */
static rc_status_t rest_of_panel(const cut_t *c, const rc_tiles_t *t, int64_t p, int64_t at,
    rc_tally_t *tally, rc_csr_t *b, rc_err_t *err)
{
    int64_t s;
    RC_PASS(rc_tally_reset(tally, t->col_ptr[p + 1] - t->col_ptr[p], err));
    for (int64_t i = t->col_ptr[p]; i < t->col_ptr[p + 1]; i++)
        rc_tally_add(tally, t->col[i]);
    for (int64_t end = slots_of(c, p, &s); s < end; s++) {
        int64_t e;
        for (int64_t stop = entries_of(c, s, &e); e < stop; e++)
            if (rc_tally_at(tally, c->a->col_idx[e])->col < 0)
                b->col_idx[at++] = c->a->col_idx[e];
        b->row_ptr[s + 1] = at;
    }
    return RC_OK;
}

/* \param[in] start  [panels] first entry of each panel in the sparse part */
static rc_status_t rest_of_all(
    const cut_t *c, const rc_tiles_t *t, const int64_t *start, rc_csr_t *b, rc_err_t *err)
{
    rc_status_t st = RC_OK;
#pragma omp parallel num_threads(c->threads)
    {
        rc_tally_t tally = {0};
        rc_err_t said = {0};
        rc_status_t s = RC_OK;
#pragma omp for schedule(dynamic, 8)
        for (int64_t p = 0; p < c->panels; p++)
            if (s == RC_OK)
                s = rest_of_panel(c, t, p, start[p], &tally, b, &said);
        rc_tally_free(&tally);
        rc_err_keep(s, &said, &st, err);
    }
    return st;
}

rc_status_t rc_tiles_rest(const rc_csr_t *a, const rc_schedule_t *order, const rc_tiles_t *t,
    int threads, rc_csr_t *out, rc_err_t *err)
{
    cut_t c = cut_into(a, order, t->rule.panel, threads);
    rc_csr_t b = {0};
    rc_status_t st;
    if (c.slots > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "the sparse part would have %" PRId64 " rows, at most %" PRId32, c.slots, INT32_MAX);
    int64_t *start = rc_alloc((size_t)c.panels, sizeof *start, "the sparse part", err);
    RC_TRY(start ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_csr_alloc_pattern(c.slots, a->cols, a->nnz - t->dense_ptr[t->panels], &b, err));
    int64_t before = 0;
    for (int64_t p = 0; p < c.panels; p++) {
        start[p] = before - t->dense_ptr[p];
        before += entries_of_panel(&c, p);
    }
    RC_TRY(rest_of_all(&c, t, start, &b, err));
    *out = b;
    b = (rc_csr_t){0};
done:
    free(start);
    rc_csr_free(&b);
    return st;
}

/* ----------------------------------------------------------------- figures */

rc_status_t rc_panel_reuse(const rc_csr_t *a, const rc_schedule_t *order, int32_t panel,
    int threads, double *out, rc_err_t *err)
{
    if (panel < 1)
        return rc_fail(err, RC_EINVAL, "expected a panel of 1 slot or more, found %" PRId32, panel);
    cut_t c = cut_into(a, order, panel, threads);
    int64_t loads = 0;
    rc_status_t st = RC_OK;
#pragma omp parallel num_threads(c.threads) reduction(+ : loads)
    {
        counts_t n = {0};
        rc_err_t said = {0};
        rc_status_t s = RC_OK;
#pragma omp for schedule(dynamic, 64)
        for (int64_t p = 0; p < c.panels; p++) {
            if (s < 0)
                continue;
            s = count_panel(&c, p, INT32_MAX, &n, &said);
            loads += n.distinct;
        }
        free_counts(&n);
        rc_err_keep(s, &said, &st, err);
    }
    *out = loads > 0 ? (double)a->nnz / (double)loads : 0;
    return st;
}

rc_status_t rc_tile_shares(const rc_csr_t *a, const rc_schedule_t *order,
    const rc_tile_rule_t *rule, int threads, rc_tile_figures_t *out, rc_err_t *err)
{
    rc_tiles_t t = {0};
    rc_csr_t rest = {0};
    rc_status_t st;
    RC_TRY(rc_tiles_find(a, order, rule, threads, &t, err));
    RC_TRY(rc_tiles_rest(a, order, &t, threads, &rest, err));
    *out = (rc_tile_figures_t){.panels = t.panels,
        .tiles = t.tiles,
        .dense_columns = t.col_ptr[t.panels],
        .nnz_dense = t.dense_ptr[t.panels],
        .dense_ratio = rc_tiles_ratio(&t, a)};
    st = rc_mean_similarity(&rest, NULL, threads, &out->rest_similarity, err);
done:
    rc_csr_free(&rest);
    rc_tiles_free(&t);
    return st;
}

rc_status_t rc_tile_figures(const rc_csr_t *a, const rc_schedule_t *order,
    const rc_tile_rule_t *rule, int threads, rc_tile_figures_t *out, rc_err_t *err)
{
    RC_PASS(rc_tile_shares(a, order, rule, threads, out, err));
    RC_PASS(rc_mean_similarity(a, order, threads, &out->similarity, err));
    RC_PASS(rc_panel_reuse(a, order, 8, threads, &out->panel_reuse_8, err));
    return rc_panel_reuse(a, order, 128, threads, &out->panel_reuse_128, err);
}
