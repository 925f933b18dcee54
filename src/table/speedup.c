#include "config.h"
#include "table/speedup.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/portfolio.h"
#include "table/split_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A result by what it is sorted by; the first of these make the group that a table is of. */
enum { SETTING, KERNEL, LAYOUT, NW, NT, LINE, MATRIX, POLICY, ROW, KEYS };
typedef struct entry {
    int64_t key[KEYS]; /* POLICY: id in the view, -1: the original order */
    int64_t at;        /* among those that count */
    int own;           /* 1: measured in the setting, not only its baseline */
} entry_t;

static int by_keys(const void *a, const void *b)
{
    return rc_compare_lists(((const entry_t *)a)->key, ((const entry_t *)b)->key, KEYS);
}

static void collect(const rc_counted_t *all, entry_t *entry)
{
    for (int64_t i = 0; i < all->rows; i++) {
        const rc_counted_row_t *e = &all->row[i];
        const rc_row_result_t *r = rc_view_result(all->view, e->row);
        const int is_csr = rc_view_is_csr(all->view, r);
        entry[i] = (entry_t){.key = {e->setting, r->kernel, r->layout, r->nw, r->nt, r->line,
                                 e->matrix, is_csr ? -1 : e->policy, e->row},
            .at = i,
            .own = r->c_order == all->setting[e->setting].c_order};
    }
    if (all->rows)
        qsort(entry, (size_t)all->rows, sizeof *entry, by_keys);
}

/* Behind the last entry that is like the first of [0, n) in so many keys. */
static size_t end_of(const entry_t *e, size_t n, int keys)
{
    size_t end = 1;
    while (end < n && rc_compare_lists(e[end].key, e->key, keys) == 0)
        end++;
    return end;
}

/* ------------------------------------------------------------------ figures */

static void describe(const double *gain, int64_t n, double *scratch, rc_speedup_t *out)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(gain[i])) {
            out->over5 += gain[i] > 1.05;
            scratch[count++] = gain[i];
        }
    rc_stats_compute(scratch, count, &out->gain);
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
        g->number[e[i].key[POLICY] + 1] = 1;
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
    return own && e[0].key[POLICY] < 0; /* sorted: csr comes first when it is there */
}

static void fill_gains(
    const rc_view_t *v, const entry_t *e, size_t count, const gains_t *g, rc_speedup_table_t *t)
{
    for (size_t i = 0, end; i < count; i = end) {
        end = i + end_of(e + i, count - i, MATRIX + 1);
        if (!is_row(e + i, end - i))
            continue;
        const int64_t first = t->matrices * t->policies;
        int others = 0; /* orders that csr is compared with */
        for (int p = 0; p < t->policies; p++) {
            g->gain[first + p] = NAN;
            g->row[first + p] = -1;
        }
        for (size_t k = i; k < end; k++) {
            int64_t at = first + g->number[e[k].key[POLICY] + 1];
            g->gain[at] = rc_view_speedup(v, e[k].key[ROW]);
            g->row[at] = isnan(g->gain[at]) ? -1 : e[k].key[ROW];
            others += at > first && g->row[at] >= 0;
        }
        t->matrices += others > 0;
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
    const rc_counted_t *all, const entry_t *e, size_t count, rc_speedup_table_t *t, rc_err_t *err)
{
    const entry_t *found = e; /* first */
    rc_status_t st = RC_OK;
    gains_t g = {0};
    for (size_t i = 0; i < count; i++) {
        g.ids = e[i].key[POLICY] >= g.ids ? (int)e[i].key[POLICY] + 1 : g.ids;
        found = e[i].at < found->at ? &e[i] : found;
    }
    *t = (rc_speedup_table_t){.setting = all->setting[e->key[SETTING]],
        .kernel = rc_view_kernel(all->view, (int32_t)e->key[KERNEL]),
        .row = found->key[ROW],
        .first = found->at,
        .policies = 1};
    RC_PASS(RC_NEW(g.number, (size_t)g.ids + 1, "orders", err));
    number_policies(e, count, &g, t);
    size_t n = (size_t)t->policies;
    RC_TRY(RC_NEW(g.gain, n * count, "speedups", err));
    RC_TRY(RC_NEW(g.row, n * count, "speedups", err));
    RC_TRY(RC_NEW(g.held_out, n * count, "speedups", err));
    RC_TRY(RC_NEW(g.column, count, "speedups", err));
    RC_TRY(RC_NEW(g.best, count, "speedups", err));
    RC_TRY(RC_NEW0(t->speedup, n + 1, "speedups", err));
    RC_TRY(RC_NEW0(t->portfolio, n, "portfolio", err));
    t->speedup[0].policy = "csr";
    for (int i = 1; i <= g.ids; i++)
        if (g.number[i] > 0)
            t->speedup[g.number[i]].policy = rc_view_policy(all->view, i - 1);
    fill_gains(all->view, e, count, &g, t);
    if (t->matrices > 0) {
        fill_speedups(all->view, t, &g);
        RC_TRY(fill_held_out(all->view, t, &g, err));
        RC_TRY(fill_portfolio(t, &g, err));
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

static int by_op_kernel_setting(const void *a, const void *b)
{
    const rc_speedup_table_t *x = a;
    const rc_speedup_table_t *y = b;
    if (x->setting.op != y->setting.op)
        return x->setting.op < y->setting.op ? -1 : 1;
    int c = strcmp(x->kernel, y->kernel);
    return c ? c : (x->first > y->first) - (x->first < y->first);
}

rc_status_t rc_speedup_make(
    const rc_view_t *v, const rc_expr_t *where, rc_speedup_table_t **out, int *count, rc_err_t *err)
{
    rc_counted_t all = {0};
    entry_t *entry = NULL;
    rc_speedup_table_t *table = NULL;
    size_t capacity = 0;
    int tables = 0;
    rc_status_t st;
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &all, err));
    size_t n = (size_t)all.rows;
    RC_TRY(RC_NEW(entry, n, "a summary", err));
    collect(&all, entry);
    for (size_t i = 0, end; i < n; i = end) {
        end = i + end_of(entry + i, n - i, LINE + 1);
        RC_TRY(RC_GROW(table, capacity, (size_t)tables + 1, "settings", err));
        RC_TRY(finish_table(&all, entry + i, end - i, &table[tables++], err));
    }
    if (tables)
        qsort(table, (size_t)tables, sizeof *table, by_op_kernel_setting);
    *out = table;
    *count = tables;
    table = NULL;
done:
    rc_speedup_free(table, tables);
    free(entry);
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
