#include "config.h"
#include "cost.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/map.h"
#include "base/rng.h"
#include "store/h5.h"
#include "table/features_read.h"
#include "table/view.h"

#include <stdlib.h>
#include <string.h>

/* A result row's place in a journal. */
typedef struct place {
    int32_t run;
    int32_t rank;
    int64_t seq;
    int64_t i;
} place_t;

static int by_place(const void *a, const void *b)
{
    const place_t *x = a;
    const place_t *y = b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static rc_status_t count_row(
    sim_cost_t *c, const rc_row_result_t *row, rc_map_t *groups, rc_err_t *err)
{
    rc_digest_t key = rc_view_group(row);
    key.hi ^= (uint64_t)row->run * UINT64_C(0x9e3779b97f4a7c15);
    key.lo ^= (uint64_t)row->c_order + 1;
    c->rows++;
    if (rc_map_get(groups, key, 0))
        return RC_OK;
    c->blocks++;
    return rc_map_set(groups, key, 1, err);
}

/* Time on the device: from the stamps, journal by journal. */
static rc_status_t add_results(const rc_view_t *v, sim_cost_t *cost, rc_err_t *err)
{
    int64_t n = rc_view_count(v);
    rc_map_t groups = {0};
    place_t *p = rc_alloc((size_t)n, sizeof *p, "places of results", err);
    rc_status_t st = p ? RC_OK : RC_ENOMEM;
    for (int64_t i = 0; p && i < n; i++) {
        const rc_row_result_t *row = rc_view_result(v, i);
        p[i] = (place_t){row->run, row->rank, row->seq, i};
    }
    if (p)
        qsort(p, (size_t)n, sizeof *p, by_place);
    int64_t before_ns = -1; /* nothing is before the first matrix of a journal: its rows count nowhere */
    for (int64_t i = 0; st == RC_OK && i < n; i++) {
        const rc_row_result_t *row = rc_view_result(v, p[i].i);
        const rc_row_result_t *next = i + 1 < n ? rc_view_result(v, p[i + 1].i) : NULL;
        int same = next && next->run == row->run && next->rank == row->rank;
        if (before_ns >= 0)
            st = count_row(&cost[row->matrix], row, &groups, err);
        if (same && next->matrix == row->matrix)
            continue;
        if (before_ns >= 0)
            cost[row->matrix].measure_s += (double)(row->utc_ns - before_ns) * 1e-9;
        before_ns = same ? row->utc_ns : -1;
    }
    rc_map_free(&groups);
    free(p);
    return st;
}

static rc_digest_t order_key(const rc_row_order_t *o)
{
    const int64_t key[] = {o->matrix, o->policy, o->nw, o->nt, o->line};
    return rc_digest(key, sizeof key);
}

/* One sweep builds an order of a matrix and a geometry once, whatever sweeps the store is of: the mean of the builds. */
static rc_status_t add_orders(const char *store, int32_t matrices, sim_cost_t *cost, rc_err_t *err)
{
    rc_h5_t h;
    void *rows = NULL;
    int64_t n = 0;
    rc_map_t builds = {0}; /* of the same order */
    rc_status_t st = rc_h5_open(store, 0, &h, err);
    if (st < 0)
        return st;
    st = rc_h5_read(&h, &rc_schema[RC_T_ORDER], &rows, &n, err);
    const rc_row_order_t *o = rows;
    for (int64_t i = 0; st == RC_OK && i < n; i++)
        st = rc_map_set(&builds, order_key(&o[i]), rc_map_get(&builds, order_key(&o[i]), 0) + 1, err);
    for (int64_t i = 0; st == RC_OK && i < n; i++)
        if (o[i].matrix >= 0 && o[i].matrix < matrices) {
            double builds_of = (double)rc_map_get(&builds, order_key(&o[i]), 1);
            cost[o[i].matrix].prepare_s += (double)o[i].order_ns * 1e-9 / builds_of;
        }
    free(rows);
    rc_map_free(&builds);
    (void)rc_h5_close(&h, NULL);
    return st;
}

static rc_status_t add_features(const char *store, int32_t matrices, sim_cost_t *cost, rc_err_t *err)
{
    rc_words_t sets = {0};
    rc_status_t st = rc_feature_tables(store, &sets, err);
    for (int s = 0; s < sets.count && st == RC_OK; s++) {
        rc_feature_table_t t = {0};
        st = rc_feature_table_read(store, sets.word[s], &t, err);
        for (int64_t i = 0; st == RC_OK && i < t.rows; i++)
            if (t.row[i].matrix >= 0 && t.row[i].matrix < matrices)
                cost[t.row[i].matrix].prepare_s += (double)t.row[i].feature_ns * 1e-9;
        rc_feature_table_free(&t);
    }
    rc_words_free(&sets);
    return st;
}

static int64_t keep_measured(sim_cost_t *cost, int32_t matrices)
{
    int64_t kept = 0;
    for (int32_t m = 0; m < matrices; m++)
        if (cost[m].rows > 0 && cost[m].measure_s > 0)
            cost[kept++] = cost[m];
    return kept;
}

rc_status_t sim_costs_read(const char *store, sim_cost_t **out, int64_t *count, rc_err_t *err)
{
    rc_view_t *v = NULL;
    sim_cost_t *cost = NULL;
    rc_status_t st = rc_view_read(store, &v, err);
    if (st < 0)
        return st;
    int32_t matrices = rc_view_matrices(v);
    cost = rc_alloc0((size_t)matrices, sizeof *cost, "costs", err);
    st = cost ? add_results(v, cost, err) : RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < rc_view_sources(v); i++) {
        rc_source_row_t row;
        rc_view_source(v, i, &row);
        if (row.matrix >= 0)
            cost[row.matrix].load_s = (double)row.load_ns * 1e-9;
    }
    if (st == RC_OK)
        st = add_orders(store, matrices, cost, err);
    if (st == RC_OK)
        st = add_features(store, matrices, cost, err);
    rc_view_free(v);
    if (st == RC_OK) {
        *count = keep_measured(cost, matrices);
        if (*count == 0)
            st = rc_fail(err, RC_EINVAL, "%s: no matrix in it was measured after another", store);
    }
    if (st < 0) {
        free(cost);
        return st;
    }
    *out = cost;
    return RC_OK;
}

static int longest_first(const void *a, const void *b)
{
    const sim_cost_t *x = a;
    const sim_cost_t *y = b;
    return (x->measure_s < y->measure_s) - (x->measure_s > y->measure_s);
}

rc_status_t sim_costs_draw(const sim_cost_t *from, int64_t count, int64_t items, uint64_t seed,
    int sorted, sim_cost_t **out, rc_err_t *err)
{
    rc_rng_t r;
    sim_cost_t *cost = rc_alloc((size_t)items, sizeof *cost, "costs", err);
    if (!cost)
        return RC_ENOMEM;
    rc_rng_seed(&r, seed);
    for (int64_t i = 0; i < items; i++)
        cost[i] = from[rc_rng_below(&r, (uint64_t)count)];
    if (sorted)
        qsort(cost, (size_t)items, sizeof *cost, longest_first);
    *out = cost;
    return RC_OK;
}
