#include "config.h"
#include "table/reorder.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_reorder_set_names[] = {"limits", "smaller", "generated", NULL};

rc_reorder_set_t rc_reorder_set_of(const rc_view_t *v, int32_t matrix)
{
    const rc_row_matrix_t *m = rc_view_matrix(v, matrix);
    if (rc_view_is_generated(v, matrix))
        return RC_REORDER_GENERATED;
    return m->rows >= 10000 && m->cols >= 10000 && m->nnz >= 100000 ? RC_REORDER_LIMITS
                                                                    : RC_REORDER_SMALLER;
}

/* ------------------------------------------------------------- contestants */

/* The tiles at their defaults: another count would be another plan. */
#define TILED(rest)                                                                                \
    "aspt*:panel=128:col_min=16:tile_cols=128:tile_min=17:rest=" rest ":cf=0:rows=auto"
#define NR TILED("0") "@csr"
#define RR TILED("1") "@jiang:siglen=128"

static const struct {
    const char *name;
    const char *side[2];
} plans[] = {
    {"aspt-nr", {NR, NULL}},
    {"aspt-rr", {RR, NULL}},
    {"aspt-forced",
        {TILED("2") "@lsh:siglen=128:bsize=2:size=256:seed=1:sim_min=auto:window=8:pair_max=256",
            NULL}},
    {"aspt-tried", {NR, RR}},
    {"cusparse", {"cusparse*@csr", NULL}},
};
enum { PLANS = sizeof plans / sizeof *plans };

const char *rc_reorder_plan(int i, const char **side)
{
    if (i >= PLANS)
        return NULL;
    *side = plans[i].side[0];
    return plans[i].name;
}

rc_status_t rc_reorder_plan_of(
    const char *kernel, const char *policy, const char **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    *out = "";
    for (int i = 0; i < PLANS && st == RC_OK && !**out; i++) {
        rc_side_t side = {0};
        st = rc_side_parse(plans[i].side[0], "csr", &side, err);
        if (st == RC_OK && rc_side_has_names(&side, kernel, policy))
            *out = plans[i].name;
        rc_side_free(&side);
    }
    return st;
}

static rc_status_t add_side(rc_contestant_t *c, const char *text, rc_err_t *err)
{
    if (c->sides == RC_CONTESTANT_SIDES)
        return rc_fail(err, RC_EINVAL, "more than %d in '%s'", RC_CONTESTANT_SIDES, c->name);
    rc_status_t st = rc_side_parse(text, "csr", &c->side[c->sides], err);
    c->sides += st == RC_OK;
    return st;
}

/* A plan by its name, else a side. */
static rc_status_t add_word(rc_contestant_t *c, const char *word, rc_err_t *err)
{
    for (int i = 0; i < PLANS; i++)
        if (strcmp(plans[i].name, word) == 0) {
            rc_status_t st = add_side(c, plans[i].side[0], err);
            return st == RC_OK && plans[i].side[1] ? add_side(c, plans[i].side[1], err) : st;
        }
    return add_side(c, word, err);
}

/* "PLAN" or "max(PLAN,PLAN)", which is cut. */
static rc_status_t parse_one(rc_contestant_t *c, char *text, rc_err_t *err)
{
    rc_words_t word = {0};
    size_t n = strlen(text);
    if (n == 0 || n >= sizeof c->name)
        return rc_fail(err, RC_EINVAL, "expected a plan, found '%s'", text);
    memcpy(c->name, text, n + 1);
    if (strncmp(text, "max(", 4) != 0)
        return add_word(c, text, err);
    if (strcspn(text, ")") != n - 1)
        return rc_fail(err, RC_EINVAL, "expected max(PLAN,PLAN), of plans alone, found '%s'", text);
    text[n - 1] = '\0';
    rc_status_t st = rc_words_split(text + 4, ',', &word, err);
    for (int i = 0; i < word.count && st == RC_OK; i++)
        st = add_word(c, word.word[i], err);
    rc_words_free(&word);
    return st;
}

rc_status_t rc_contestants_parse(const char *text, rc_contestant_t **out, int *count, rc_err_t *err)
{
    size_t n = strlen(text);
    char *copy = rc_alloc(n + 1, 1, "plans", err);
    rc_contestant_t *list = rc_alloc0(n + 1, sizeof *list, "plans", err);
    rc_status_t st = copy && list ? RC_OK : RC_ENOMEM;
    int depth = 0;
    size_t from = 0;
    *out = list;
    *count = 0;
    if (st == RC_OK)
        memcpy(copy, text, n + 1);
    for (size_t i = 0; st == RC_OK && i <= n; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (text[i] != '\0' && (text[i] != ',' || depth > 0))
            continue;
        copy[i] = '\0';
        if (depth != 0)
            st = rc_fail(err, RC_EINVAL, "brackets do not match in '%s'", text);
        else
            st = parse_one(&list[(*count)++], copy + from, err);
        from = i + 1;
    }
    free(copy);
    return st;
}

void rc_contestants_free(rc_contestant_t *c, int count)
{
    for (int i = 0; c && i < count; i++)
        for (int s = 0; s < c[i].sides; s++)
            rc_side_free(&c[i].side[s]);
    free(c);
}

int64_t rc_contestant_fastest(
    const rc_view_t *v, const int64_t *row, int64_t n, const rc_contestant_t *who)
{
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++) {
        const rc_row_result_t *r = rc_view_result(v, row[i]);
        int has = 0;
        for (int s = 0; s < who->sides; s++)
            has |= rc_side_has(&who->side[s], v, r);
        if (has && (best < 0 || r->median_ns < rc_view_result(v, best)->median_ns))
            best = row[i];
    }
    return best;
}

/* Its fastest row on the matrix of rows [from, to); -1: none. */
static int64_t fastest(const rc_counted_t *c, int64_t from, int64_t to, const rc_contestant_t *who)
{
    int64_t best = -1;
    for (int s = 0; s < who->sides; s++) {
        int64_t row = rc_side_fastest(c, from, to, &who->side[s]);
        if (row >= 0 && (best < 0 || rc_view_result(c->view, row)->median_ns <
                                         rc_view_result(c->view, best)->median_ns))
            best = row;
    }
    return best;
}

/* ----------------------------------------------------------------- classes */

static int class_of(double speedup)
{
    static const double upto[RC_SPEEDUP_CLASSES - 1] = {1, 1.1, 1.5, 2};
    int i = 0;
    while (i < RC_SPEEDUP_CLASSES - 1 && speedup >= upto[i])
        i++;
    return i;
}

/* One pair in one setting, rows [from, to) of it: a line for each set.  \param[in] x  [matrices] */
static int compare(const rc_counted_t *c, int64_t from, int64_t to, const rc_contestant_t *a,
    const rc_contestant_t *b, double *x, rc_classes_t line[RC_REORDER_SETS])
{
    int lines = 0;
    for (int set = 0; set < RC_REORDER_SETS; set++) {
        rc_classes_t l = {
            .setting = c->setting[c->row[from].setting], .set = (rc_reorder_set_t)set};
        rc_stats_t s;
        for (int64_t i = from, end; i < to; i = end) {
            end = rc_counted_end(c, i);
            int64_t row_a = fastest(c, i, end, a);
            int64_t row_b = fastest(c, i, end, b);
            if (row_a < 0 || row_b < 0 || (int)rc_reorder_set_of(c->view, c->row[i].matrix) != set)
                continue;
            double speedup = rc_view_result(c->view, row_b)->median_ns /
                             rc_view_result(c->view, row_a)->median_ns;
            l.in[class_of(speedup)]++;
            x[l.matrices++] = speedup;
        }
        if (l.matrices == 0)
            continue;
        rc_stats_compute(x, l.matrices, &s);
        l.max = s.max;
        l.mean = s.mean;
        l.geomean = s.geomean;
        l.median = s.median;
        l.min = s.min;
        line[lines++] = l;
    }
    return lines;
}

/* Behind the last row of the setting of row i. */
static int64_t setting_end(const rc_counted_t *c, int64_t i)
{
    int32_t setting = c->row[i].setting;
    while (i < c->rows && c->row[i].setting == setting)
        i++;
    return i;
}

rc_status_t rc_classes_make(const rc_view_t *v, const rc_expr_t *where, const rc_contestant_t *a,
    int as, const rc_contestant_t *b, int bs, rc_classes_t **out, int *count, rc_err_t *err)
{
    rc_counted_t c = {0};
    double *x = NULL;
    rc_status_t st;
    *out = NULL;
    *count = 0;
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &c, err));
    x = rc_alloc((size_t)c.rows, sizeof *x, "ratios", err);
    *out = rc_alloc0((size_t)c.settings * (size_t)as * (size_t)bs * RC_REORDER_SETS, sizeof **out,
        "a summary", err);
    RC_TRY(x && *out ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0, to; i < c.rows; i = to) {
        to = setting_end(&c, i);
        for (int k = 0; k < as; k++)
            for (int l = 0; l < bs; l++) {
                int lines = compare(&c, i, to, &a[k], &b[l], x, *out + *count);
                for (; lines > 0; lines--, ++*count) {
                    (*out)[*count].a = k;
                    (*out)[*count].b = l;
                }
            }
    }
done:
    free(x);
    rc_counted_free(&c);
    return st;
}

/* -------------------------------------------------------------------- cost */

/* ns before the first product; what is not known took nothing. */
static double before(const rc_row_result_t *r)
{
    return fmax(0, (double)r->order_ns) + fmax(0, (double)r->prepare_ns) +
           fmax(0, (double)r->preprocess_ns);
}

static void note_paying(rc_reorder_cost_t *l, const rc_row_result_t *plan,
    const rc_row_result_t *nr, double *products, int64_t *within)
{
    l->compared++;
    if (nr->median_ns <= 1.1 * plan->median_ns)
        return;
    double paid = fmax(0, before(plan) - before(nr)) / (nr->median_ns - plan->median_ns);
    *within += paid <= 1000;
    products[l->faster++] = paid;
}

/* \param[in] s  [2 matrices] scratch */
static void finish_cost(rc_reorder_cost_t *l, double *seconds, double *products, int64_t within)
{
    static const double upto[RC_RATIO_CLASSES - 1] = {5, 10, 100};
    rc_stats_t s;
    rc_stats_compute(seconds, l->matrices, &s);
    l->least = s.min;
    l->mean = s.mean;
    l->median = s.median;
    l->most = s.max;
    rc_stats_compute(l->ratio, l->matrices, &s);
    l->products = s.median;
    for (int64_t i = 0; i < l->matrices; i++) {
        int k = 0;
        while (k < RC_RATIO_CLASSES - 1 && l->ratio[i] >= upto[k])
            k++;
        l->share[k] += 1 / (double)l->matrices;
    }
    l->pays = l->pays_1000 = NAN;
    if (l->faster > 0) {
        rc_stats_compute(products, l->faster, &s);
        l->pays = s.median;
        l->pays_1000 = (double)within / (double)l->faster;
    }
}

/* The line of a setting, rows [from, to), and a set.  \param[in] scratch  [2 rows] */
static void cost_of(const rc_counted_t *c, int64_t from, int64_t to, const rc_contestant_t *plan,
    const rc_contestant_t *nr, double *scratch, rc_reorder_cost_t *l)
{
    int64_t within = 0;
    double *products = scratch + c->rows;
    l->setting = c->setting[c->row[from].setting];
    for (int64_t i = from, end; i < to; i = end) {
        end = rc_counted_end(c, i);
        int64_t row = fastest(c, i, end, plan);
        int64_t other = fastest(c, i, end, nr);
        if (row < 0 || rc_reorder_set_of(c->view, c->row[i].matrix) != l->set)
            continue;
        const rc_row_result_t *r = rc_view_result(c->view, row);
        scratch[l->matrices] = before(r) / 1e9;
        l->ratio[l->matrices++] = before(r) / r->median_ns;
        if (other >= 0)
            note_paying(l, r, rc_view_result(c->view, other), products, &within);
    }
    if (l->matrices > 0)
        finish_cost(l, scratch, products, within);
}

rc_status_t rc_reorder_cost_make(const rc_view_t *v, const rc_expr_t *where,
    const rc_contestant_t *plan, const rc_contestant_t *nr, rc_reorder_cost_t **out, int *count,
    rc_err_t *err)
{
    rc_counted_t c = {0};
    double *scratch = NULL;
    rc_status_t st;
    *out = NULL;
    *count = 0;
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &c, err));
    scratch = rc_alloc(2 * (size_t)c.rows, sizeof *scratch, "a summary", err);
    *out = rc_alloc0((size_t)c.settings * RC_REORDER_SETS, sizeof **out, "a summary", err);
    RC_TRY(scratch && *out ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0, to; i < c.rows; i = to) {
        to = setting_end(&c, i);
        for (int set = 0; set < RC_REORDER_SETS; set++) {
            rc_reorder_cost_t *l = &(*out)[*count];
            l->set = (rc_reorder_set_t)set;
            l->ratio = rc_alloc((size_t)(to - i), sizeof *l->ratio, "a summary", err);
            RC_TRY(l->ratio ? RC_OK : RC_ENOMEM);
            cost_of(&c, i, to, plan, nr, scratch, l);
            if (l->matrices > 0) {
                ++*count;
                continue;
            }
            free(l->ratio);
            *l = (rc_reorder_cost_t){.matrices = 0};
        }
    }
done:
    free(scratch);
    rc_counted_free(&c);
    return st;
}

void rc_reorder_cost_free(rc_reorder_cost_t *c, int count)
{
    for (int i = 0; c && i < count; i++)
        free(c[i].ratio);
    free(c);
}

double rc_reorder_products(const rc_reorder_cost_t *c, double share, double times)
{
    return rc_stats_quantile(c->ratio, c->matrices, share) / times;
}
