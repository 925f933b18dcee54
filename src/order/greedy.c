#include "config.h"
#include "order/greedy.h"
#include "order/policy.h"
#include "order/rows.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct greedy {
    const rc_order_input_t *in;
    const rc_greedy_rule_t *rule;
    const rc_nearest_tuning_t *tuning;
    int threads;
    _Atomic int64_t *placed;
    int64_t nw;
    int64_t rows;
    int32_t *load;
    rc_schedule_t number; /* of a limited search: the row of the matrix that has a number; else none */
    int32_t *left; /* rows for the engine, increasing */
    rc_masks_t masks;
    rc_nearest_maps_t maps;
} greedy_t;

/* Fill slots [p, p + n) with the n rows of `rows`; slot p has a predecessor. */
static rc_status_t chain(
    greedy_t *g, const int32_t *rows, int64_t n, int32_t *slot, int64_t p, rc_err_t *err)
{
    enum { asked = 256 }; /* slots from one question whether to go on to the next */
    const rc_nearest_tuning_t lists = {.dense_lines = 0, .parallel_ns = -1};
    int64_t look = g->rule->look;
    rc_nearest_t *nn = NULL;
    rc_status_t st = rc_nearest_create(&g->masks, g->load, g->rule->tie, rows, n,
        look ? 1 : g->threads, look ? &lists : g->tuning, &g->maps, &nn, err);
    if (st < 0)
        return st;
    if (look)
        st = rc_nearest_limit(nn, look, g->number.row, err);
    for (int64_t end = p + n; st == RC_OK && p < end; p++) {
        if (p % asked == 0)
            st = rc_order_go_on(g->in, err);
        int32_t ref = slot[g->rule->by_warp ? p - g->nw : p - 1];
        slot[p] = rc_nearest_take(nn, ref, g->load[slot[p - 1]], p >= g->nw ? slot[p - g->nw] : -1);
        if (g->placed)
            atomic_store_explicit(g->placed, p + 1, memory_order_relaxed);
    }
    rc_nearest_free(nn);
    return st;
}

/* The seeds are the rows of lowest load; the rest follows in one chain. */
static rc_status_t build_from_lowest(greedy_t *g, int32_t *slot, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int64_t i = 0; i < g->rows; i++)
        slot[g->number.row ? g->number.row[i] : i] = (int32_t)i;
    st = rc_sort_by_key(g->load, 0, g->rows, slot, err);
    if (st < 0)
        return st;
    int64_t seeds = g->rule->by_warp ? g->nw : 1;
    if (seeds > g->rows)
        seeds = g->rows;
    for (int64_t r = 0; r < g->rows; r++)
        g->left[r] = 1;
    for (int64_t p = 0; p < seeds; p++)
        g->left[slot[p]] = 0;
    int64_t n = 0;
    for (int64_t r = 0; r < g->rows; r++)
        if (g->left[r])
            g->left[n++] = (int32_t)r; /* n <= r: not read again */
    return n ? chain(g, g->left, n, slot, seeds, err) : RC_OK;
}

/* One chain per load, each going on from the last row of the one before. */
static rc_status_t build_by_load(greedy_t *g, int32_t *slot, rc_err_t *err)
{
    rc_status_t st = rc_rows_by_load(g->load, 1, g->rows, g->left, err);
    if (st < 0 || g->rows == 0)
        return st;
    slot[0] = g->left[0];
    for (int64_t p = 1; st == RC_OK && p < g->rows;) {
        int64_t end = p + 1;
        while (end < g->rows && g->load[g->left[end]] == g->load[g->left[p]])
            end++;
        st = chain(g, g->left + p, end - p, slot, p, err);
        p = end;
    }
    return st;
}

extern const rc_policy_t rc_policy_auto;

/* Have the rows numbered by `auto` where the search is limited. */
static rc_status_t number_rows(greedy_t *g, const rc_order_input_t *in, rc_err_t *err)
{
    rc_order_input_t of_auto = *in;
    of_auto.facts = NULL;
    of_auto.placed = NULL;
    rc_status_t st = rc_policy_auto.build(&of_auto, &g->number, err);
    if (st < 0)
        return st;
    for (int64_t i = 0; i < g->rows; i++)
        g->left[i] = g->load[g->number.row[i]];
    int32_t *load = g->load;
    g->load = g->left;
    g->left = load;
    return RC_OK;
}

rc_status_t rc_greedy_build(const rc_order_input_t *in, const rc_greedy_rule_t *rule,
    const rc_nearest_tuning_t *tuning, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    const rc_geometry_t *geometry = in->geometry;
    rc_status_t st;
    rc_schedule_t s = {0};
    greedy_t g = {.in = in,
        .rule = rule,
        .tuning = tuning,
        .threads = in->threads,
        .placed = in->placed,
        .nw = geometry->nw,
        .rows = a->rows};
    RC_TRY(rc_schedule_alloc(a->rows, a->rows, &s, err));
    RC_TRY(rc_row_loads(a, geometry->nt, in->threads, &g.load, err));
    g.left = rc_alloc((size_t)a->rows, sizeof *g.left, "row order", err);
    if (!g.left) {
        st = RC_ENOMEM;
        goto done;
    }
    if (rule->look)
        RC_TRY(number_rows(&g, in, err));
    RC_TRY(rc_masks_build(a, g.number.row, geometry->line, in->threads, &g.masks, err));
    RC_TRY(rc_nearest_maps_alloc(&g.masks, &g.maps, err));
    RC_TRY(rule->within_load ? build_by_load(&g, s.row, err) : build_from_lowest(&g, s.row, err));
    for (int64_t p = 0; g.number.row && p < a->rows; p++)
        s.row[p] = g.number.row[s.row[p]];
    *out = s;
    s = (rc_schedule_t){0};
done:
    rc_schedule_free(&s);
    rc_schedule_free(&g.number);
    free(g.load);
    free(g.left);
    rc_masks_free(&g.masks);
    rc_nearest_maps_free(&g.maps);
    return st;
}
