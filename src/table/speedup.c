#include "config.h"
#include "table/speedup.h"
#include "base/alloc.h"
#include "base/stats.h"
#include "table/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row that takes part, with the number of its setting and of its policy there. */
typedef struct entry {
    int64_t row;
    int setting;
    int policy;
    int32_t matrix;
} entry_t;

typedef struct maker {
    const rc_view_t *v;
    entry_t *entry;
    size_t entries;
    size_t entry_capacity;
    rc_speedup_table_t *setting;
    const char *(*policy)[RC_SUMMARY_POLICIES_MAX];
    size_t settings;
    size_t setting_capacity;
    size_t policy_capacity;
    rc_map_t setting_of; /* key of a setting -> its number */
    rc_err_t *err;
} maker_t;

static rc_digest_t setting_key(const rc_row_result_t *r, int is_n, int32_t c_order)
{
    const int64_t key[] = {r->kernel, is_n ? -1 : r->k, r->precision, r->layout, r->op, c_order,
        r->cache, r->nw, r->nt, r->line, r->device};
    return rc_digest(key, sizeof key);
}

static rc_status_t find_setting(maker_t *m, int64_t row, int is_n, int *out)
{
    const rc_row_result_t *r = rc_view_result(m->v, row);
    rc_digest_t key = setting_key(r, is_n, r->c_order);
    int64_t at = rc_map_get(&m->setting_of, key, -1);
    if (at < 0) {
        void *settings = m->setting;
        void *policies = m->policy;
        rc_status_t st = rc_grow(&settings, &m->setting_capacity, m->settings + 1,
            sizeof *m->setting, "settings", m->err);
        m->setting = settings;
        if (st == RC_OK)
            st = rc_grow(&policies, &m->policy_capacity, m->settings + 1, sizeof *m->policy,
                "settings", m->err);
        m->policy = policies;
        if (st == RC_OK)
            st = rc_map_set(&m->setting_of, key, (int64_t)m->settings, m->err);
        if (st < 0)
            return st;
        at = (int64_t)m->settings++;
        memset(&m->setting[at], 0, sizeof m->setting[at]);
        m->setting[at].row = row;
        m->setting[at].is_n = is_n;
        m->setting[at].policies = 1;
        m->policy[at][0] = "csr";
    }
    *out = (int)at;
    return RC_OK;
}

static int find_policy(maker_t *m, int setting, const char *name)
{
    rc_speedup_table_t *s = &m->setting[setting];
    for (int i = 0; i < s->policies; i++)
        if (strcmp(m->policy[setting][i], name) == 0)
            return i;
    if (s->policies == RC_SUMMARY_POLICIES_MAX)
        return -1;
    m->policy[setting][s->policies] = name;
    return s->policies++;
}

static rc_status_t add_entry(maker_t *m, int64_t row, int setting)
{
    const rc_row_result_t *r = rc_view_result(m->v, row);
    entry_t e = {.row = row, .matrix = r->matrix, .setting = setting};
    void *p = m->entry;
    e.policy = find_policy(m, setting, rc_view_policy(m->v, r->policy));
    if (e.policy < 0)
        return RC_OK;
    rc_status_t st =
        rc_grow(&p, &m->entry_capacity, m->entries + 1, sizeof *m->entry, "a summary", m->err);
    m->entry = p;
    if (st == RC_OK)
        m->entry[m->entries++] = e;
    return st;
}

/* A matrix in a setting. */
static rc_digest_t pair_key(int64_t setting, int32_t matrix)
{
    return (rc_digest_t){(uint64_t)setting, (uint64_t)matrix};
}

static rc_status_t collect(maker_t *m, const rc_expr_t *where)
{
    rc_summary_row_t *row = NULL;
    int64_t rows = 0;
    rc_map_t pairs = {0};
    rc_status_t st = rc_summary_rows(m->v, where, &row, &rows, m->err);
    for (int64_t i = 0; st == RC_OK && i < rows; i++) {
        int setting = 0;
        st = find_setting(m, row[i].row, row[i].is_n, &setting);
        if (st == RC_OK)
            st = add_entry(m, row[i].row, setting);
        if (st == RC_OK)
            st = rc_map_set(
                &pairs, pair_key(setting, rc_view_result(m->v, row[i].row)->matrix), 1, m->err);
    }
    /* the original order has no C in schedule order: it is the baseline of that setting too, for
     * the matrices that were measured in it */
    for (int64_t i = 0; st == RC_OK && i < rows; i++) {
        const rc_row_result_t *r = rc_view_result(m->v, row[i].row);
        int64_t setting = rc_map_get(&m->setting_of, setting_key(r, row[i].is_n, 1), -1);
        if (setting >= 0 && rc_summary_is_csr(m->v, r) &&
            rc_map_get(&pairs, pair_key(setting, r->matrix), 0))
            st = add_entry(m, row[i].row, (int)setting);
    }
    rc_map_free(&pairs);
    free(row);
    return st;
}

static int by_setting_matrix_policy(const void *a, const void *b)
{
    const entry_t *x = a;
    const entry_t *y = b;
    if (x->setting != y->setting)
        return x->setting < y->setting ? -1 : 1;
    if (x->matrix != y->matrix)
        return x->matrix < y->matrix ? -1 : 1;
    if (x->policy != y->policy)
        return x->policy < y->policy ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

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

/* gain[policy * n + matrix]: speedup over csr, NaN where missing. */
static void fill_speedups(rc_speedup_table_t *s, const char *const *policy, const double *gain,
    int64_t n, double *best, double *scratch)
{
    for (int64_t i = 0; i < n; i++) {
        int winner = 0;
        best[i] = 1;
        for (int p = 1; p < s->policies; p++)
            if (gain[p * n + i] > best[i]) {
                best[i] = gain[p * n + i];
                winner = p;
            }
        s->speedup[winner].wins++;
    }
    for (int p = 0; p < s->policies; p++) {
        s->speedup[p].policy = policy[p];
        describe(gain + p * n, n, scratch, &s->speedup[p]);
    }
    s->speedup[s->policies].policy = "oracle";
    s->speedup[s->policies].wins = n;
    describe(best, n, scratch, &s->speedup[s->policies]);
}

/* Greedy: each step adds the policy that raises the geometric mean of the oracle most. */
static void fill_portfolio(
    rc_speedup_table_t *s, const char *const *policy, const double *gain, int64_t n, double *best)
{
    int used[RC_SUMMARY_POLICIES_MAX] = {1};
    for (int64_t i = 0; i < n; i++)
        best[i] = 1;
    s->portfolio[0] = (rc_portfolio_t){policy[0], 1, 1};
    for (int step = 1; step < s->policies; step++) {
        int pick = 0; /* csr, which is used, until a first one is found */
        double pick_log = -INFINITY;
        for (int p = 1; p < s->policies; p++) {
            double sum = 0;
            for (int64_t i = 0; i < n && !used[p]; i++)
                sum += log(gain[p * n + i] > best[i] ? gain[p * n + i] : best[i]);
            if (!used[p] && (pick == 0 || sum > pick_log)) {
                pick = p;
                pick_log = sum;
            }
        }
        double mean = 0;
        used[pick] = 1;
        for (int64_t i = 0; i < n; i++) {
            if (gain[pick * n + i] > best[i])
                best[i] = gain[pick * n + i];
            mean += best[i];
        }
        s->portfolio[step] =
            (rc_portfolio_t){policy[pick], exp(pick_log / (double)n), mean / (double)n};
    }
}

/* One setting from its entries, which are sorted by matrix. */
static rc_status_t finish_setting(maker_t *m, int setting, const entry_t *e, size_t count)
{
    rc_speedup_table_t *s = &m->setting[setting];
    rc_status_t st = RC_OK;
    size_t n = 0;
    size_t policies = (size_t)s->policies;
    double *gain = rc_alloc(policies * (count ? count : 1), sizeof *gain, "speedups", m->err);
    double *best = rc_alloc(count, 2 * sizeof *best, "speedups", m->err);
    s->speedup = rc_alloc0(policies + 1, sizeof *s->speedup, "speedups", m->err);
    s->portfolio = rc_alloc0(policies, sizeof *s->portfolio, "portfolio", m->err);
    if (!gain || !best || !s->speedup || !s->portfolio) {
        st = RC_ENOMEM;
        goto done;
    }
    /* how many matrices have csr */
    for (size_t i = 0; i < count; i++)
        n += e[i].policy == 0;
    for (size_t i = 0; i < policies * n; i++)
        gain[i] = NAN;
    size_t at = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && e[end].matrix == e[i].matrix)
            end++;
        if (e[i].policy == 0) { /* sorted: csr comes first when it is there */
            for (size_t k = i; k < end; k++)
                gain[(size_t)e[k].policy * n + at] = rc_view_speedup(m->v, e[k].row);
            at++;
        }
        i = end;
    }
    s->matrices = (int64_t)n;
    if (n > 0) {
        fill_speedups(s, m->policy[setting], gain, (int64_t)n, best, best + count);
        fill_portfolio(s, m->policy[setting], gain, (int64_t)n, best);
    }
done:
    free(gain);
    free(best);
    return st;
}

typedef struct sortable {
    const rc_view_t *v;
    rc_speedup_table_t s;
} sortable_t;

static int by_kernel_precision_k(const void *a, const void *b)
{
    const sortable_t *x = a;
    const sortable_t *y = b;
    const rc_row_result_t *p = rc_view_result(x->v, x->s.row);
    const rc_row_result_t *q = rc_view_result(y->v, y->s.row);
    int c = strcmp(rc_view_kernel(x->v, p->kernel), rc_view_kernel(y->v, q->kernel));
    if (c)
        return c;
    if (p->precision != q->precision)
        return p->precision < q->precision ? -1 : 1;
    if (x->s.is_n != y->s.is_n)
        return x->s.is_n - y->s.is_n;
    if (!x->s.is_n && p->k != q->k)
        return p->k < q->k ? -1 : 1;
    return (x->s.row > y->s.row) - (x->s.row < y->s.row);
}

static rc_status_t sort_settings(maker_t *m)
{
    sortable_t *list = rc_alloc(m->settings, sizeof *list, "settings", m->err);
    if (!list)
        return RC_ENOMEM;
    for (size_t i = 0; i < m->settings; i++)
        list[i] = (sortable_t){m->v, m->setting[i]};
    if (m->settings)
        qsort(list, m->settings, sizeof *list, by_kernel_precision_k);
    for (size_t i = 0; i < m->settings; i++)
        m->setting[i] = list[i].s;
    free(list);
    return RC_OK;
}

rc_status_t rc_speedup_make(
    const rc_view_t *v, const rc_expr_t *where, rc_speedup_table_t **out, int *count, rc_err_t *err)
{
    maker_t m = {.v = v, .err = err};
    rc_status_t st = collect(&m, where);
    if (st == RC_OK && m.entries)
        qsort(m.entry, m.entries, sizeof *m.entry, by_setting_matrix_policy);
    for (size_t i = 0; st == RC_OK && i < m.entries;) {
        size_t end = i;
        while (end < m.entries && m.entry[end].setting == m.entry[i].setting)
            end++;
        st = finish_setting(&m, m.entry[i].setting, m.entry + i, end - i);
        i = end;
    }
    if (st == RC_OK)
        st = sort_settings(&m);
    if (st == RC_OK) {
        *out = m.setting;
        *count = (int)m.settings;
    } else
        rc_speedup_free(m.setting, (int)m.settings);
    free(m.entry);
    free(m.policy);
    rc_map_free(&m.setting_of);
    return st;
}

void rc_speedup_free(rc_speedup_table_t *s, int count)
{
    for (int i = 0; s && i < count; i++) {
        free(s[i].speedup);
        free(s[i].portfolio);
    }
    free(s);
}
