#include "config.h"
#include "table/speedup.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "table/portfolio.h"
#include "table/split_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A result in a group: a setting, kernel, layout and geometry. */
typedef struct entry {
    int64_t row;
    int32_t group;
    int32_t matrix;
    int32_t policy; /* id in the view; -1: the original order */
    int own;        /* 1: measured in the setting, not only its baseline */
} entry_t;

typedef struct maker {
    const rc_counted_t *all;
    entry_t *entry; /* [all->rows] */
    rc_speedup_table_t *table;
    size_t tables;
    size_t capacity;
    rc_map_t group_of;
    rc_err_t *err;
} maker_t;

/* ------------------------------------------------------------------- groups */

static rc_status_t find_group(maker_t *m, const rc_counted_row_t *e, int32_t *out)
{
    const rc_row_result_t *r = rc_view_result(m->all->view, e->row);
    const int64_t words[] = {e->setting, r->kernel, r->layout, r->nw, r->nt, r->line};
    rc_digest_t key = rc_digest(words, sizeof words);
    int64_t at = rc_map_get(&m->group_of, key, -1);
    if (at < 0) {
        at = (int64_t)m->tables;
        rc_status_t st = RC_GROW(m->table, m->capacity, m->tables + 1, "settings", m->err);
        if (st == RC_OK)
            st = rc_map_set(&m->group_of, key, at, m->err);
        if (st < 0)
            return st;
        m->table[m->tables++] = (rc_speedup_table_t){
            .row = e->row, .setting = m->all->setting[e->setting], .policies = 1};
    }
    *out = (int32_t)at;
    return RC_OK;
}

static rc_status_t collect(maker_t *m)
{
    const rc_counted_t *all = m->all;
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < all->rows; i++) {
        const rc_counted_row_t *e = &all->row[i];
        const rc_row_result_t *r = rc_view_result(all->view, e->row);
        m->entry[i] = (entry_t){.row = e->row,
            .matrix = e->matrix,
            .policy = rc_view_is_csr(all->view, r) ? -1 : e->policy,
            .own = r->c_order == all->setting[e->setting].c_order};
        st = find_group(m, e, &m->entry[i].group);
    }
    return st;
}

static int by_group_matrix_policy(const void *a, const void *b)
{
    const entry_t *x = a;
    const entry_t *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->matrix != y->matrix)
        return x->matrix < y->matrix ? -1 : 1;
    if (x->policy != y->policy)
        return x->policy < y->policy ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* ------------------------------------------------------------------ figures */

static void describe(const double *gain, int64_t n, double *scratch, rc_speedup_t *out)
{
    rc_stats_t s;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(gain[i])) {
            out->over5 += gain[i] > 1.05;
            scratch[count++] = gain[i];
        }
    out->matrices = count;
    out->max = out->mean = out->geomean = out->median = out->min = NAN;
    if (count == 0)
        return;
    rc_stats_compute(scratch, count, &s);
    out->max = s.max;
    out->mean = s.mean;
    out->geomean = s.geomean;
    out->median = s.median;
    out->min = s.min;
}

/* What a table is computed from; gain[matrix * policies + policy] is NaN where it is missing, and
 * row is -1. */
typedef struct gains {
    double *gain;
    int64_t *row;     /* of the view */
    double *held_out; /* [policies][matrices] log costs of the portfolio */
    rc_halves_t halves;
    double *column; /* [matrices] scratch */
    double *best;   /* [matrices] */
    int *number;    /* [ids + 1] column of policy id - 1, -1 none; column 0 is the original order */
    int ids;
} gains_t;

/* The policies of entries in order of their ids, the original order first. */
static void number_policies(const entry_t *e, size_t count, gains_t *g, rc_speedup_table_t *t)
{
    for (int i = 0; i <= g->ids; i++)
        g->number[i] = -1;
    for (size_t i = 0; i < count; i++)
        g->number[e[i].policy + 1] = 1;
    g->number[0] = 0;
    for (int i = 1; i <= g->ids; i++)
        if (g->number[i] > 0)
            g->number[i] = t->policies++;
}

/* Entries of one matrix, [0, n): those of a matrix that has the original order, and any other that
 * was measured here, are a row of the table. */
static int is_row(const entry_t *e, size_t n)
{
    int own = 0;
    for (size_t i = 0; i < n; i++)
        own |= e[i].own;
    return own && e[0].policy < 0; /* sorted: csr comes first when it is there */
}

static void fill_gains(
    const maker_t *m, const entry_t *e, size_t count, const gains_t *g, rc_speedup_table_t *t)
{
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && e[end].matrix == e[i].matrix)
            end++;
        if (is_row(e + i, end - i)) {
            int64_t first = t->matrices++ * t->policies;
            for (int p = 0; p < t->policies; p++) {
                g->gain[first + p] = NAN;
                g->row[first + p] = -1;
            }
            for (; i < end; i++) {
                int64_t at = first + g->number[e[i].policy + 1];
                g->gain[at] = rc_view_speedup(m->all->view, e[i].row);
                g->row[at] = isnan(g->gain[at]) ? -1 : e[i].row;
            }
        }
        i = end;
    }
}

/* Who is the fastest on a matrix, and who ties with that one. */
static void count_wins(const rc_view_t *v, const gains_t *g, int64_t i, rc_speedup_table_t *t)
{
    int n = t->policies;
    const double *gain = g->gain + i * n;
    const int64_t *row = g->row + i * n;
    int winner = 0;
    int ties = 0;
    for (int p = 1; p < n; p++)
        if (gain[p] > gain[winner])
            winner = p;
    t->speedup[winner].wins++;
    t->speedup[n].wins++;
    rc_timed_t best = rc_timed_of(v, row[winner]);
    for (int p = 0; p < n; p++) {
        if (p == winner || row[p] < 0)
            continue;
        rc_timed_t own = rc_timed_of(v, row[p]);
        if (rc_timed_tie(&best, &own)) {
            t->speedup[p].ties++;
            ties++;
        }
    }
    t->speedup[winner].ties += ties > 0;
    t->speedup[n].ties += ties > 0;
    t->speedup[winner].clear += ties == 0;
    t->speedup[n].clear += ties == 0;
}

static void fill_speedups(const rc_view_t *v, rc_speedup_table_t *t, const gains_t *g)
{
    int n = t->policies;
    for (int64_t i = 0; i < t->matrices; i++) {
        count_wins(v, g, i, t);
        g->best[i] = 1;
        for (int p = 1; p < n; p++)
            g->best[i] = fmax(g->best[i], g->gain[i * n + p]); /* NaN is passed over */
    }
    for (int p = 0; p < n; p++) {
        for (int64_t i = 0; i < t->matrices; i++)
            g->column[i] = g->gain[i * n + p];
        describe(g->column, t->matrices, g->column, &t->speedup[p]);
    }
    t->speedup[n].policy = "oracle";
    describe(g->best, t->matrices, g->column, &t->speedup[n]);
}

/* Costs in the halves: each policy over the csr that it is compared with, as its speedup is. */
static rc_status_t fill_halves(
    const rc_view_t *v, const rc_speedup_table_t *t, gains_t *g, rc_err_t *err)
{
    int n = t->policies;
    rc_status_t st = rc_halves_make(t->matrices, n, &g->halves, err);
    for (int64_t i = 0; st == RC_OK && i < t->matrices; i++)
        for (int p = 0; st == RC_OK && p < n; p++) {
            int64_t row = g->row[i * n + p];
            if (row < 0)
                continue;
            rc_timed_t own = rc_timed_of(v, row);
            rc_timed_t csr = rc_timed_of(v, p == 0 ? row : rc_view_csr_row(v, row));
            st = rc_halves_set(&g->halves, i, p, &own, &csr, err);
        }
    return st;
}

static void sum_held_out(const double *cost, int64_t n, double *geomean, double *mean)
{
    double sum = 0;
    double logs = 0;
    for (int64_t i = 0; i < n; i++) {
        logs -= cost[i];
        sum += exp(-cost[i]);
    }
    *geomean = exp(logs / (double)n);
    *mean = sum / (double)n;
}

static rc_status_t fill_held_out(
    const rc_view_t *v, rc_speedup_table_t *t, gains_t *g, rc_err_t *err)
{
    int n = t->policies;
    RC_PASS(fill_halves(v, t, g, err));
    RC_PASS(rc_halves_portfolio(&g->halves, 0, NULL, t->matrices, g->held_out, err));
    for (int p = 0; p < n; p++) {
        sum_held_out(g->held_out + p * t->matrices, t->matrices, &t->portfolio[p].geomean_held_out,
            &t->portfolio[p].mean_held_out);
        t->speedup[p].geomean_held_out = t->speedup[p].mean_held_out = NAN;
    }
    /* with all policies in it the portfolio is the oracle */
    t->speedup[n].geomean_held_out = t->portfolio[n - 1].geomean_held_out;
    t->speedup[n].mean_held_out = t->portfolio[n - 1].mean_held_out;
    return RC_OK;
}

/* The oracle over the first policies of a greedy portfolio that begins with the original order. */
static rc_status_t fill_portfolio(rc_speedup_table_t *t, const gains_t *g, rc_err_t *err)
{
    int n = t->policies;
    int count = 0;
    rc_portfolio_step_t *step = rc_alloc((size_t)n, sizeof *step, "a portfolio", err);
    RC_PASS(step ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < t->matrices; i++)
        for (int p = 0; p < n; p++)
            g->gain[i * n + p] = p == 0 ? 0 : -log(g->gain[i * n + p]);
    const rc_portfolio_costs_t costs = {.cost = g->gain,
        .rows = t->matrices,
        .columns = n,
        .first = 0,
        .most = n,
        .limit = -INFINITY};
    rc_status_t st = rc_portfolio_greedy(&costs, step, &count, err);
    for (int64_t i = 0; i < t->matrices; i++)
        g->best[i] = 0;
    for (int s = 0; st == RC_OK && s < count; s++) {
        double mean = 0;
        for (int64_t i = 0; i < t->matrices; i++) {
            g->best[i] = fmin(g->best[i], g->gain[i * n + step[s].added]);
            mean += exp(-g->best[i]);
        }
        t->portfolio[s].policy = t->speedup[step[s].added].policy;
        t->portfolio[s].geomean = exp(-step[s].sum / (double)t->matrices);
        t->portfolio[s].mean = mean / (double)t->matrices;
    }
    free(step);
    return st;
}

/* One table from its entries, which are sorted by matrix and policy. */
static rc_status_t finish_table(
    const maker_t *m, rc_speedup_table_t *t, const entry_t *e, size_t count)
{
    rc_status_t st = RC_OK;
    gains_t g = {0};
    for (size_t i = 0; i < count; i++)
        g.ids = e[i].policy >= g.ids ? e[i].policy + 1 : g.ids;
    g.number = rc_alloc((size_t)g.ids + 1, sizeof *g.number, "policies", m->err);
    RC_PASS(g.number ? RC_OK : RC_ENOMEM);
    number_policies(e, count, &g, t);
    size_t n = (size_t)t->policies;
    g.gain = rc_alloc(n * count, sizeof *g.gain, "speedups", m->err);
    g.row = rc_alloc(n * count, sizeof *g.row, "speedups", m->err);
    g.held_out = rc_alloc(n * count, sizeof *g.held_out, "speedups", m->err);
    g.column = rc_alloc(count, sizeof *g.column, "speedups", m->err);
    g.best = rc_alloc(count, sizeof *g.best, "speedups", m->err);
    t->speedup = rc_alloc0(n + 1, sizeof *t->speedup, "speedups", m->err);
    t->portfolio = rc_alloc0(n, sizeof *t->portfolio, "portfolio", m->err);
    RC_TRY(g.gain && g.row && g.held_out && g.column && g.best && t->speedup && t->portfolio
               ? RC_OK
               : RC_ENOMEM);
    t->speedup[0].policy = "csr";
    for (int i = 1; i <= g.ids; i++)
        if (g.number[i] > 0)
            t->speedup[g.number[i]].policy = rc_view_policy(m->all->view, i - 1);
    fill_gains(m, e, count, &g, t);
    if (t->matrices > 0) {
        fill_speedups(m->all->view, t, &g);
        RC_TRY(fill_held_out(m->all->view, t, &g, m->err));
        RC_TRY(fill_portfolio(t, &g, m->err));
    }
done:
    free(g.number);
    free(g.gain);
    free(g.row);
    free(g.held_out);
    rc_halves_free(&g.halves);
    free(g.column);
    free(g.best);
    return st;
}

/* ------------------------------------------------------------------ sorting */

typedef struct sortable {
    const rc_view_t *v;
    rc_speedup_table_t t;
    size_t before;
} sortable_t;

/* Tables were found in the order of the settings. */
static int by_op_kernel_setting(const void *a, const void *b)
{
    const sortable_t *x = a;
    const sortable_t *y = b;
    const rc_row_result_t *p = rc_view_result(x->v, x->t.row);
    const rc_row_result_t *q = rc_view_result(y->v, y->t.row);
    if (p->op != q->op)
        return p->op < q->op ? -1 : 1;
    int c = strcmp(rc_view_kernel(x->v, p->kernel), rc_view_kernel(y->v, q->kernel));
    return c ? c : (x->before > y->before) - (x->before < y->before);
}

static rc_status_t sort_tables(maker_t *m)
{
    sortable_t *list = rc_alloc(m->tables, sizeof *list, "settings", m->err);
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < m->tables; i++)
        list[i] = (sortable_t){m->all->view, m->table[i], i};
    if (m->tables)
        qsort(list, m->tables, sizeof *list, by_op_kernel_setting);
    for (size_t i = 0; i < m->tables; i++)
        m->table[i] = list[i].t;
    free(list);
    return RC_OK;
}

rc_status_t rc_speedup_make(
    const rc_view_t *v, const rc_expr_t *where, rc_speedup_table_t **out, int *count, rc_err_t *err)
{
    rc_counted_t all = {0};
    maker_t m = {.all = &all, .err = err};
    rc_status_t st;
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &all, err));
    size_t n = (size_t)all.rows;
    m.entry = rc_alloc(n, sizeof *m.entry, "a summary", err);
    RC_TRY(m.entry ? RC_OK : RC_ENOMEM);
    RC_TRY(collect(&m));
    if (n)
        qsort(m.entry, n, sizeof *m.entry, by_group_matrix_policy);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && m.entry[end].group == m.entry[i].group)
            end++;
        RC_TRY(finish_table(&m, &m.table[m.entry[i].group], m.entry + i, end - i));
        i = end;
    }
    RC_TRY(sort_tables(&m));
    *out = m.table;
    *count = (int)m.tables;
    m.table = NULL;
done:
    rc_speedup_free(m.table, (int)m.tables);
    free(m.entry);
    rc_map_free(&m.group_of);
    rc_counted_free(&all);
    return st;
}

void rc_speedup_free(rc_speedup_table_t *t, int count)
{
    for (int i = 0; t && i < count; i++) {
        free(t[i].speedup);
        free(t[i].portfolio);
    }
    free(t);
}
