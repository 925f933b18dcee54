#include "config.h"
#include "table/versus.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/stats.h"
#include "table/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- sides */

static rc_status_t check_patterns(const rc_words_t *w, rc_err_t *err)
{
    for (int i = 0; i < w->count; i++) {
        const char *p = w->word[i] + (w->word[i][0] == '!');
        if (!*p || rc_glob_flaw(p) >= 0)
            return rc_fail(err, RC_EINVAL, "not a pattern: '%s'", w->word[i]);
    }
    return RC_OK;
}

rc_status_t rc_side_parse(const char *text, const char *orders, rc_side_t *out, rc_err_t *err)
{
    rc_side_t s = {0};
    rc_str_t kernels = {0};
    const char *at = strrchr(text, '@');
    rc_status_t st;
    if (at)
        orders = at + 1;
    rc_str_addn(&kernels, text, at ? (size_t)(at - text) : strlen(text));
    if (kernels.failed)
        RC_TRY(rc_fail(err, RC_ENOMEM, "no memory for a side"));
    RC_TRY(rc_words_split(kernels.text ? kernels.text : "", ',', &s.kernel, err));
    RC_TRY(rc_words_split(strcmp(orders, "any") == 0 ? "*" : orders, ',', &s.policy, err));
    RC_TRY(check_patterns(&s.kernel, err));
    RC_TRY(check_patterns(&s.policy, err));
    *out = s;
    memset(&s, 0, sizeof s);
done:
    rc_str_free(&kernels);
    rc_side_free(&s);
    return st;
}

void rc_side_free(rc_side_t *s)
{
    rc_words_free(&s->kernel);
    rc_words_free(&s->policy);
}

/* Taken by one of the patterns, or there are only such that take out; and by none of these. */
static int matches(const rc_words_t *w, const char *text)
{
    int in = 1;
    int named = 0;
    for (int i = 0; i < w->count; i++) {
        const char *p = w->word[i];
        if (*p == '!') {
            if (rc_glob_match(p + 1, text))
                return 0;
            continue;
        }
        in = named ? in : 0;
        named = 1;
        in = in || rc_glob_match(p, text);
    }
    return in;
}

static int on_side(const rc_side_t *s, const rc_view_t *v, const rc_row_result_t *r)
{
    return matches(&s->kernel, rc_view_kernel(v, r->kernel)) &&
           matches(&s->policy, rc_view_policy(v, r->policy));
}

/* ------------------------------------------------------------------- settings */

/* A row in a setting. */
typedef struct entry {
    int64_t row;
    double ns;
    int64_t setting;
    int32_t matrix;
    int32_t variant; /* number of its kernel and order, over all settings */
} entry_t;

typedef struct settings {
    const rc_view_t *v;
    entry_t *entry; /* in order of setting, matrix, time */
    size_t entries;
    size_t capacity;
    rc_setting_t *setting;
    size_t count;
    size_t setting_capacity;
    rc_map_t setting_of;
    rc_map_t variant_of;
    int32_t variants;
    rc_err_t *err;
} settings_t;

static void free_settings(settings_t *a)
{
    free(a->entry);
    free(a->setting);
    rc_map_free(&a->setting_of);
    rc_map_free(&a->variant_of);
}

static rc_digest_t setting_key(const rc_row_result_t *r, int is_n, int32_t c_order)
{
    const int64_t key[] = {is_n ? -1 : r->k, r->precision, r->op, c_order, r->cache, r->device};
    return rc_digest(key, sizeof key);
}

static rc_status_t find_setting(settings_t *a, const rc_summary_row_t *row, int64_t *out)
{
    const rc_row_result_t *r = rc_view_result(a->v, row->row);
    rc_digest_t key = setting_key(r, row->is_n, r->c_order);
    void *list = a->setting;
    *out = rc_map_get(&a->setting_of, key, -1);
    if (*out >= 0)
        return RC_OK;
    rc_status_t st =
        rc_grow(&list, &a->setting_capacity, a->count + 1, sizeof *a->setting, "settings", a->err);
    a->setting = list;
    if (st == RC_OK)
        st = rc_map_set(&a->setting_of, key, (int64_t)a->count, a->err);
    if (st < 0)
        return st;
    *out = (int64_t)a->count;
    a->setting[a->count++] = (rc_setting_t){.row = row->row, .is_n = row->is_n};
    return RC_OK;
}

static rc_status_t find_variant(settings_t *a, const rc_row_result_t *r, int32_t *out)
{
    const int64_t words[] = {r->kernel, r->policy};
    rc_digest_t key = rc_digest(words, sizeof words);
    *out = (int32_t)rc_map_get(&a->variant_of, key, -1);
    if (*out >= 0)
        return RC_OK;
    *out = a->variants++;
    return rc_map_set(&a->variant_of, key, *out, a->err);
}

static rc_status_t add_entry(settings_t *a, int64_t row, int64_t setting)
{
    const rc_row_result_t *r = rc_view_result(a->v, row);
    entry_t e = {.row = row, .ns = r->median_ns, .setting = setting, .matrix = r->matrix};
    rc_status_t st = find_variant(a, r, &e.variant);
    if (st < 0)
        return st;
    void *list = a->entry;
    st = rc_grow(&list, &a->capacity, a->entries + 1, sizeof *a->entry, "a summary", a->err);
    a->entry = list;
    if (st == RC_OK)
        a->entry[a->entries++] = e;
    return st;
}

static int by_setting_matrix_time(const void *a, const void *b)
{
    const entry_t *x = a;
    const entry_t *y = b;
    if (x->setting != y->setting)
        return x->setting < y->setting ? -1 : 1;
    if (x->matrix != y->matrix)
        return x->matrix < y->matrix ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static rc_status_t make_settings(settings_t *a, const rc_expr_t *where)
{
    rc_summary_row_t *row = NULL;
    int64_t rows = 0;
    rc_status_t st = rc_summary_rows(a->v, where, &row, &rows, a->err);
    for (int64_t i = 0; st == RC_OK && i < rows; i++) {
        int64_t setting = 0;
        st = find_setting(a, &row[i], &setting);
        if (st == RC_OK)
            st = add_entry(a, row[i].row, setting);
    }
    /* the original order takes part where C is in schedule order: it is the same C */
    for (int64_t i = 0; st == RC_OK && i < rows; i++) {
        const rc_row_result_t *r = rc_view_result(a->v, row[i].row);
        int64_t setting = rc_map_get(&a->setting_of, setting_key(r, row[i].is_n, 1), -1);
        if (setting >= 0 && rc_summary_is_csr(a->v, r))
            st = add_entry(a, row[i].row, setting);
    }
    free(row);
    if (st < 0)
        return st;
    if (a->entries)
        qsort(a->entry, a->entries, sizeof *a->entry, by_setting_matrix_time);
    for (size_t i = 0; i < a->entries; i++)
        a->setting[a->entry[i].setting].matrices += i == 0 ||
                                                a->entry[i].setting != a->entry[i - 1].setting ||
                                                a->entry[i].matrix != a->entry[i - 1].matrix;
    return RC_OK;
}

/* Behind the last entry of the matrix that entry i is of. */
static size_t matrix_end(const settings_t *a, size_t i)
{
    size_t end = i;
    while (end < a->entries && a->entry[end].setting == a->entry[i].setting &&
           a->entry[end].matrix == a->entry[i].matrix)
        end++;
    return end;
}

static int compare_settings(const rc_view_t *v, const rc_setting_t *a, const rc_setting_t *b)
{
    const rc_row_result_t *p = rc_view_result(v, a->row);
    const rc_row_result_t *q = rc_view_result(v, b->row);
    if (p->precision != q->precision)
        return p->precision < q->precision ? -1 : 1;
    if (a->is_n != b->is_n)
        return a->is_n - b->is_n;
    if (!a->is_n && p->k != q->k)
        return p->k < q->k ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Order of the settings for printing: rank[setting] is its place. */
static rc_status_t rank_settings(const settings_t *a, size_t **out)
{
    size_t *rank = rc_alloc0(a->count, sizeof *rank, "settings", a->err);
    if (!rank)
        return RC_ENOMEM;
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < a->count; k++)
            rank[i] += compare_settings(a->v, &a->setting[k], &a->setting[i]) < 0;
    *out = rank;
    return RC_OK;
}

/* ------------------------------------------------------------------- versus */

static void finish_versus(rc_versus_t *r, double *ratio)
{
    rc_stats_t s;
    r->max = r->mean = r->geomean = r->median = r->min = NAN;
    if (r->matrices == 0)
        return;
    rc_stats_compute(ratio, r->matrices, &s);
    r->max = s.max;
    r->mean = s.mean;
    r->geomean = s.geomean;
    r->median = s.median;
    r->min = s.min;
}

/* One matrix: entries [i, end), fastest first. */
static void meet(const settings_t *a, size_t i, size_t end, const rc_side_t *side_a,
    const rc_side_t *side_b, double *ratio, rc_versus_t *out)
{
    double best_a = NAN;
    double best_b = NAN;
    for (; i < end && (isnan(best_a) || isnan(best_b)); i++) {
        const rc_row_result_t *r = rc_view_result(a->v, a->entry[i].row);
        if (isnan(best_a) && on_side(side_a, a->v, r))
            best_a = a->entry[i].ns;
        if (isnan(best_b) && on_side(side_b, a->v, r))
            best_b = a->entry[i].ns;
    }
    out->only_a += !isnan(best_a) && isnan(best_b);
    out->only_b += !isnan(best_b) && isnan(best_a);
    if (isnan(best_a) || isnan(best_b))
        return;
    out->wins += best_a < best_b;
    ratio[out->matrices++] = best_b / best_a;
}

rc_status_t rc_versus_make(const rc_view_t *v, const rc_expr_t *where, const rc_side_t *a,
    const rc_side_t *b, rc_versus_t **out, int *count, rc_err_t *err)
{
    settings_t all = {.v = v, .err = err};
    size_t *rank = NULL;
    double *ratio = NULL;
    rc_versus_t *list = NULL;
    rc_status_t st;
    RC_TRY(make_settings(&all, where));
    RC_TRY(rank_settings(&all, &rank));
    ratio = rc_alloc(all.entries, sizeof *ratio, "ratios", err);
    list = rc_alloc0(all.count, sizeof *list, "a summary", err);
    if (!ratio || !list)
        RC_TRY(RC_ENOMEM);
    for (size_t i = 0; i < all.entries;) {
        int64_t setting = all.entry[i].setting;
        rc_versus_t *r = &list[rank[setting]];
        r->setting = all.setting[setting];
        while (i < all.entries && all.entry[i].setting == setting) {
            size_t end = matrix_end(&all, i);
            meet(&all, i, end, a, b, ratio, r);
            i = end;
        }
        finish_versus(r, ratio);
    }
    *out = list;
    *count = (int)all.count;
    list = NULL;
done:
    free(list);
    free(ratio);
    free(rank);
    free_settings(&all);
    return st;
}

/* --------------------------------------------------------------------- best */

typedef struct tally {
    double log_sum;
    double sum;
    double max;
    int64_t matrices;
    int64_t wins;
    int64_t row; /* one of its rows, -1 none */
    int32_t last_matrix;
} tally_t;

static void clear_tallies(tally_t *t, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        t[i] = (tally_t){.row = -1, .last_matrix = -1};
}

static int by_wins_then_loss(const void *a, const void *b)
{
    const rc_best_row_t *x = a;
    const rc_best_row_t *y = b;
    if (x->wins != y->wins)
        return x->wins > y->wins ? -1 : 1;
    if (x->loss_geomean != y->loss_geomean)
        return x->loss_geomean < y->loss_geomean ? -1 : 1;
    int c = strcmp(x->kernel, y->kernel);
    return c ? c : strcmp(x->policy, y->policy);
}

static rc_status_t finish_best(const settings_t *a, const tally_t *t, rc_best_t *out)
{
    out->variant =
        rc_alloc0((size_t)a->variants, sizeof *out->variant, "kernels and orders", a->err);
    if (!out->variant)
        return RC_ENOMEM;
    for (int32_t i = 0; i < a->variants; i++) {
        if (t[i].row < 0)
            continue;
        const rc_row_result_t *r = rc_view_result(a->v, t[i].row);
        double n = (double)t[i].matrices;
        out->variant[out->variants++] =
            (rc_best_row_t){.kernel = rc_view_kernel(a->v, r->kernel),
                .policy = rc_view_policy(a->v, r->policy),
                .matrices = t[i].matrices,
                .wins = t[i].wins,
                .loss_geomean = exp(t[i].log_sum / n) - 1,
                .loss_mean = t[i].sum / n - 1,
                .loss_max = t[i].max - 1};
    }
    qsort(out->variant, (size_t)out->variants, sizeof *out->variant, by_wins_then_loss);
    return RC_OK;
}

/* One matrix: entries [i, end), fastest first. */
static void score(const settings_t *a, size_t i, size_t end, tally_t *t)
{
    double best = a->entry[i].ns;
    t[a->entry[i].variant].wins++;
    for (; i < end; i++) {
        tally_t *own = &t[a->entry[i].variant];
        double ratio = a->entry[i].ns / best;
        if (own->last_matrix == a->entry[i].matrix)
            continue; /* slower with another geometry */
        own->last_matrix = a->entry[i].matrix;
        own->row = a->entry[i].row;
        own->matrices++;
        own->log_sum += log(ratio);
        own->sum += ratio;
        own->max = ratio > own->max ? ratio : own->max;
    }
}

rc_status_t rc_best_make(
    const rc_view_t *v, const rc_expr_t *where, rc_best_t **out, int *count, rc_err_t *err)
{
    settings_t all = {.v = v, .err = err};
    size_t *rank = NULL;
    tally_t *tally = NULL;
    rc_best_t *list = NULL;
    rc_status_t st;
    RC_TRY(make_settings(&all, where));
    RC_TRY(rank_settings(&all, &rank));
    tally = rc_alloc((size_t)all.variants, sizeof *tally, "kernels and orders", err);
    list = rc_alloc0(all.count, sizeof *list, "a summary", err);
    if (!tally || !list)
        RC_TRY(RC_ENOMEM);
    for (size_t i = 0; i < all.entries;) {
        int64_t setting = all.entry[i].setting;
        rc_best_t *c = &list[rank[setting]];
        c->setting = all.setting[setting];
        clear_tallies(tally, all.variants);
        while (i < all.entries && all.entry[i].setting == setting) {
            size_t end = matrix_end(&all, i);
            score(&all, i, end, tally);
            i = end;
        }
        RC_TRY(finish_best(&all, tally, c));
    }
    *out = list;
    *count = (int)all.count;
    list = NULL;
done:
    rc_best_free(list, (int)all.count);
    free(tally);
    free(rank);
    free_settings(&all);
    return st;
}

void rc_best_free(rc_best_t *c, int count)
{
    for (int i = 0; c && i < count; i++)
        free(c[i].variant);
    free(c);
}

/* --------------------------------------------------------------------- rate */

static void add_rate(const settings_t *a, const entry_t *e, rc_rate_t *r)
{
    const rc_row_result_t *row = rc_view_result(a->v, e->row);
    double nnz = (double)rc_view_matrix(a->v, row->matrix)->nnz;
    double gflops = 2 * nnz * (double)row->k / e->ns;
    double gbs = (double)row->bytes_min / e->ns;
    r->kernel = rc_view_kernel(a->v, row->kernel);
    r->policy = rc_view_policy(a->v, row->policy);
    r->setting = a->setting[e->setting];
    r->matrices++;
    r->gflops_geomean += log(gflops); /* sums, until finish_rate */
    r->gflops_mean += gflops;
    r->gflops_max = gflops > r->gflops_max ? gflops : r->gflops_max;
    r->gbs_geomean += log(gbs);
    r->gbs_mean += gbs;
    r->gbs_max = gbs > r->gbs_max ? gbs : r->gbs_max;
}

static void finish_rate(rc_rate_t *r)
{
    double n = (double)r->matrices;
    r->gflops_geomean = exp(r->gflops_geomean / n);
    r->gflops_mean /= n;
    r->gbs_geomean = exp(r->gbs_geomean / n);
    r->gbs_mean /= n;
}

typedef struct sortable {
    const rc_view_t *v;
    rc_rate_t r;
} sortable_t;

static int by_setting_kernel_policy(const void *a, const void *b)
{
    const sortable_t *x = a;
    const sortable_t *y = b;
    int c = compare_settings(x->v, &x->r.setting, &y->r.setting);
    if (!c)
        c = strcmp(x->r.kernel, y->r.kernel);
    return c ? c : strcmp(x->r.policy, y->r.policy);
}

static rc_status_t sort_rates(const rc_view_t *v, rc_rate_t *r, size_t n, rc_err_t *err)
{
    sortable_t *list = rc_alloc(n, sizeof *list, "rates", err);
    if (!list)
        return RC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        list[i] = (sortable_t){v, r[i]};
    if (n)
        qsort(list, n, sizeof *list, by_setting_kernel_policy);
    for (size_t i = 0; i < n; i++)
        r[i] = list[i].r;
    free(list);
    return RC_OK;
}

/* All entries of a setting, [i, end), into the rates behind *rates. */
static void rate_setting(
    const settings_t *a, size_t i, size_t end, tally_t *t, rc_rate_t *list, size_t *rates)
{
    clear_tallies(t, a->variants);
    for (; i < end; i++) {
        const entry_t *e = &a->entry[i];
        tally_t *own = &t[e->variant];
        if (own->last_matrix == e->matrix)
            continue; /* slower with another geometry */
        if (own->row < 0)
            own->row = (int64_t)(*rates)++;
        own->last_matrix = e->matrix;
        add_rate(a, e, &list[own->row]);
    }
}

rc_status_t rc_rate_make(
    const rc_view_t *v, const rc_expr_t *where, rc_rate_t **out, int *count, rc_err_t *err)
{
    settings_t all = {.v = v, .err = err};
    tally_t *tally = NULL;
    rc_rate_t *list = NULL;
    size_t n = 0;
    rc_status_t st;
    RC_TRY(make_settings(&all, where));
    tally = rc_alloc((size_t)all.variants, sizeof *tally, "kernels and orders", err);
    list = rc_alloc0(all.count * (size_t)all.variants, sizeof *list, "rates", err);
    if (!tally || !list)
        RC_TRY(RC_ENOMEM);
    for (size_t i = 0; i < all.entries;) {
        size_t end = i;
        while (end < all.entries && all.entry[end].setting == all.entry[i].setting)
            end++;
        rate_setting(&all, i, end, tally, list, &n);
        i = end;
    }
    for (size_t i = 0; i < n; i++)
        finish_rate(&list[i]);
    RC_TRY(sort_rates(v, list, n, err));
    *out = list;
    *count = (int)n;
    list = NULL;
done:
    free(list);
    free(tally);
    free_settings(&all);
    return st;
}
