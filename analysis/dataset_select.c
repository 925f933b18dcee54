/* Which results of a store take part in a data set, as cells (rows to be) and pairs (classes to
 * be).  Everything that is numbered here is sorted by name or digest, so that the same results in
 * another order of rows give the same data set. */
#include "config.h"
#include "analysis/dataset_private.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/map.h"
#include "base/outcome.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/type.h"
#include "table/counted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rc_list_names(rc_str_t *text, const char *const *name, int n, int most)
{
    for (int i = 0; i < n && i < most; i++)
        rc_str_addf(text, "%s%s", i ? ", " : "", name[i]);
    if (n > most)
        rc_str_addf(text, " and %d more", n - most);
    return text->text && !text->failed ? text->text : "";
}

/* ------------------------------------------------------------ lists of words */

typedef struct wanted {
    int64_t *k;
    int ks;
    int k_n;     /* "n" is in the list */
    int every_k; /* no list */
    int types[RC_TYPES];
    rc_expr_t *where;
} wanted_t;

static rc_status_t parse_k(const char *text, wanted_t *w, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_status_t st = RC_OK;
    w->every_k = !text;
    if (!text)
        return RC_OK;
    RC_TRY(rc_words_split(text, ',', &words, err));
    RC_TRY(RC_NEW(w->k, words.count, "values of K", err));
    for (int i = 0; i < words.count; i++) {
        if (strcmp(words.word[i], "n") == 0)
            w->k_n = 1;
        else if (rc_parse_int(words.word[i], 1, INT64_MAX, "K", &w->k[w->ks++], NULL) < 0)
            RC_TRY(rc_fail(
                err, RC_EINVAL, "expected n or a whole number above 0, found '%s'", words.word[i]));
    }
done:
    rc_words_free(&words);
    return st < 0 ? rc_err_context(err, "--k") : RC_OK;
}

static rc_status_t parse_precision(const char *text, wanted_t *w, rc_err_t *err)
{
    rc_words_t words = {0};
    for (int t = 0; t < RC_TYPES; t++)
        w->types[t] = !text;
    if (!text)
        return RC_OK;
    rc_status_t st = rc_words_split(text, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        rc_precision_t type;
        st = rc_type_parse(RC_TYPES_ANY, words.word[i], &type, err);
        if (st == RC_OK)
            w->types[type] = 1;
    }
    rc_words_free(&words);
    return st < 0 ? rc_err_context(err, "--precision") : RC_OK;
}

static rc_status_t parse(const rc_query_t *q, wanted_t *w, rc_err_t *err)
{
    if (q->options->k && !rc_model_operation_has_k(q->operation))
        RC_PASS(
            rc_fail(err, RC_EINVAL, "--k: %s has no K", rc_model_operation_names[q->operation]));
    RC_PASS(parse_k(q->options->k, w, err));
    RC_PASS(parse_precision(q->options->precision, w, err));
    for (int t = 0; q->model && t < RC_TYPES; t++)
        if (q->model->geometry.of[t].nw == 0)
            w->types[t] = 0;
    return rc_view_compile(q->options->where, "--where", &w->where, err);
}

static int in_list(const wanted_t *w, int64_t k)
{
    for (int i = 0; i < w->ks; i++)
        if (w->k[i] == k)
            return 1;
    return 0;
}

/* ------------------------------------------------------------------- devices */

static rc_status_t device_error(
    const char *wanted, const char **name, int n, int fits, rc_err_t *err)
{
    rc_str_t list = {0};
    qsort(name, (size_t)n, sizeof *name, rc_str_compare);
    const char *text = rc_list_names(&list, name, n, 4);
    if (!wanted)
        (void)rc_fail(err, RC_EINVAL,
            "results of %d devices: name one with --device; there are: %s", n, text);
    else
        (void)rc_fail(err, RC_EINVAL, "%s device fits '%s'; there are: %s",
            fits ? "more than one" : "no", wanted, text);
    rc_str_free(&list);
    return RC_EINVAL;
}

/* The one device of some results. */
static rc_status_t choose_device(const rc_view_t *v, const int64_t *row, int64_t rows,
    const char *wanted, int32_t *out, rc_err_t *err)
{
    int n = 0;
    int fits = 0;
    const char **name = rc_alloc((size_t)rows, sizeof *name, "devices", err);
    RC_PASS(name ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < rows; i++) {
        int32_t id = rc_view_result(v, row[i])->device;
        const char *text = rc_view_device(v, id);
        int seen = 0;
        for (int k = 0; k < n && !seen; k++)
            seen = name[k] == text;
        if (seen)
            continue;
        name[n++] = text;
        if (!wanted || strcmp(wanted, text) == 0 || rc_glob_match(wanted, text)) {
            fits++;
            *out = id;
        }
    }
    rc_status_t st = fits == 1 ? RC_OK : device_error(wanted, name, n, fits, err);
    free((void *)name);
    return st;
}

/* ------------------------------------------------------------------ settings */

/* How a result was measured: kernel, precision, geometry (nw, nt, line), layout, cache mode. */
enum { KERNEL_KEYS = 2, SETTING_KEYS = 7 };

typedef struct setting {
    int64_t key[SETTING_KEYS];
    int64_t row;
} setting_t;

static int by_setting(const void *a, const void *b)
{
    return rc_compare_lists(((const setting_t *)a)->key, ((const setting_t *)b)->key, SETTING_KEYS);
}

static int by_number(const void *a, const void *b)
{
    return rc_compare_lists(a, b, 1);
}

/* 1: of a kernel that is one of a class of the model, in the geometry of that class. */
static int fits_model(const rc_view_t *v, const rc_row_result_t *r, const rc_model_t *m)
{
    const char *kernel = rc_view_kernel(v, r->kernel);
    int c = 0;
    while (c < m->classes && strcmp(m->cls[c].kernel, kernel) != 0)
        c++;
    if (c == m->classes)
        return 0;
    const rc_geometry_t g = m->cls[c].geometry.of[r->precision];
    return g.nw == 0 || (g.nw == r->nw && g.nt == r->nt && g.line == r->line);
}

/* Formats are compared in one cache mode, that of most rows, of equals the first. */
static int32_t common_cache(const rc_view_t *v, const int64_t *row, int64_t rows)
{
    enum { MODES = 8 };
    int64_t count[MODES] = {0};
    int best = 0;
    for (int64_t i = 0; i < rows; i++) {
        int32_t mode = rc_view_result(v, row[i])->cache;
        if (mode >= 0 && mode < MODES)
            count[mode]++;
    }
    for (int mode = 1; mode < MODES; mode++)
        if (count[mode] > count[best])
            best = mode;
    return best;
}

static int64_t keep_cache(const rc_view_t *v, int32_t mode, int64_t *row, int64_t rows)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < rows; i++)
        if (rc_view_result(v, row[i])->cache == mode)
            row[kept++] = row[i];
    return kept;
}

/* Of each kernel and precision keep the rows of the most common setting, of equals the first. */
static rc_status_t keep_common(
    const rc_view_t *v, const rc_model_t *m, int64_t *row, int64_t *rows, rc_err_t *err)
{
    int64_t n = 0;
    setting_t *list = rc_alloc((size_t)*rows, sizeof *list, "settings", err);
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < *rows; i++) {
        const rc_row_result_t *r = rc_view_result(v, row[i]);
        if (!m || fits_model(v, r, m))
            list[n++] = (setting_t){
                {r->kernel, r->precision, r->nw, r->nt, r->line, r->layout, r->cache}, row[i]};
    }
    qsort(list, (size_t)n, sizeof *list, by_setting);
    *rows = 0;
    for (int64_t next = 0; next < n;) {
        int64_t first = next; /* of the longest run so far, and how many it has */
        int64_t most = 0;
        const int64_t *kernel = list[next].key;
        while (next < n && rc_compare_lists(kernel, list[next].key, KERNEL_KEYS) == 0) {
            int64_t begin = next;
            while (next < n && by_setting(&list[begin], &list[next]) == 0)
                next++;
            if (next - begin > most) {
                first = begin;
                most = next - begin;
            }
        }
        for (int64_t i = first; i < first + most; i++)
            row[(*rows)++] = list[i].row;
    }
    qsort(row, (size_t)*rows, sizeof *row, by_number);
    free(list);
    return RC_OK;
}

/* ------------------------------------------------------------ cells and pairs */

static int by_cell(const void *a, const void *b)
{
    const rc_cell_t *x = a;
    const rc_cell_t *y = b;
    const int64_t p[] = {x->precision, x->k, x->matrix};
    const int64_t q[] = {y->precision, y->k, y->matrix};
    int c = strcmp(x->digest, y->digest);
    return c ? c : rc_compare_lists(p, q, 3);
}

static int by_pair(const void *a, const void *b)
{
    const rc_pair_t *x = a;
    const rc_pair_t *y = b;
    int c = strcmp(x->kernel_name, y->kernel_name);
    if (c == 0)
        c = (strcmp(x->policy_name, "csr") != 0) - (strcmp(y->policy_name, "csr") != 0);
    return c ? c : strcmp(x->policy_name, y->policy_name);
}

/* Cell and pair of result `at` of those that take part. */
static void describe_row(rc_selection_t *s, int64_t at)
{
    const rc_row_result_t *r = rc_view_result(s->view, s->pick[at].row);
    const rc_row_matrix_t *m = rc_view_matrix(s->view, r->matrix);
    s->cell[at] =
        (rc_cell_t){.matrix = r->matrix, .precision = r->precision, .k = r->k, .of = (int32_t)at};
    rc_field_text(m->digest, sizeof m->digest, s->cell[at].digest);
    s->pair[at] = (rc_pair_t){.kernel = r->kernel,
        .policy = r->policy,
        .kernel_name = rc_view_kernel(s->view, r->kernel),
        .policy_name = rc_view_policy(s->view, r->policy),
        .of = (int32_t)at};
}

/* The selection of some rows.  \param[in] miss  [misses] rows that have no time */
static rc_status_t number_rows(rc_selection_t *s, const int64_t *row, int64_t rows,
    const int64_t *miss, int64_t misses, rc_err_t *err)
{
    int64_t n = rows + misses;
    s->pick = rc_pool_get(&s->memory, (size_t)n, sizeof *s->pick);
    s->cell = rc_pool_get(&s->memory, (size_t)n, sizeof *s->cell);
    s->pair = rc_pool_get(&s->memory, (size_t)n, sizeof *s->pair);
    RC_PASS(rc_pool_check(&s->memory, "results of a data set", err));
    s->picks = rows;
    s->miss = s->pick + rows;
    s->misses = misses;
    for (int64_t i = 0; i < n; i++) {
        s->pick[i].row = i < rows ? row[i] : miss[i - rows];
        describe_row(s, i);
    }
    qsort(s->cell, (size_t)n, sizeof *s->cell, by_cell);
    qsort(s->pair, (size_t)n, sizeof *s->pair, by_pair);
    for (int64_t i = 0; i < n; i++) { /* of equal ones the first stays, with its number */
        int32_t of = s->cell[i].of;
        if (i == 0 || by_cell(&s->cell[i], &s->cell[s->cells - 1]) != 0)
            s->cell[s->cells++] = s->cell[i];
        s->pick[of].cell = (int32_t)s->cells - 1;
        of = s->pair[i].of;
        if (i == 0 || by_pair(&s->pair[i], &s->pair[s->pairs - 1]) != 0)
            s->pair[s->pairs++] = s->pair[i];
        s->pick[of].pair = s->pairs - 1;
        s->pair[s->pairs - 1].cells += of < rows;
    }
    return RC_OK;
}

/* K = n: the store has only numbers.  A K that was asked for as a number is that number; without a
 * list the rule of the tables holds. */
static rc_status_t mark_n(rc_selection_t *s, const wanted_t *w, rc_err_t *err)
{
    rc_map_t widths = {0};
    rc_status_t st = RC_OK;
    for (int64_t i = 0; w->every_k && st == RC_OK && i < s->picks; i++)
        st = rc_counted_note_k(&widths, s->view, rc_view_result(s->view, s->pick[i].row), err);
    for (int64_t i = 0; st == RC_OK && i < s->picks; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->pick[i].row);
        s->cell[s->pick[i].cell].is_n =
            rc_counted_is_n(&widths, s->view, r) && (w->every_k || !in_list(w, r->k));
    }
    rc_map_free(&widths);
    return st;
}

/* ----------------------------------------------------------------- selection */

static int is_asked_for(const rc_view_t *v, const rc_query_t *q, const wanted_t *w, int64_t i)
{
    const rc_row_result_t *r = rc_view_result(v, i);
    rc_cursor_t c;
    if (r->c_order != 0 || r->op != q->operation || (uint32_t)r->precision >= RC_TYPES ||
        !w->types[r->precision])
        return 0;
    if (!w->every_k && !in_list(w, r->k) && !(w->k_n && r->k == rc_view_matrix(v, r->matrix)->cols))
        return 0;
    rc_view_seek(v, i, &c);
    return rc_expr_match(w->where, rc_view_get, &c);
}

/* Of the chosen device, what was tried and has no time.  \param[out] row  [*n], free() */
static rc_status_t select_misses(const rc_selection_t *s, const rc_query_t *q, const wanted_t *w,
    int64_t **row, int64_t *n, rc_err_t *err)
{
    const rc_view_t *v = s->view;
    int64_t *list = rc_alloc((size_t)rc_view_count(v), sizeof *list, "results", err);
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < rc_view_count(v); i++)
        if (rc_view_is_newest(v, i) && rc_view_is_current(v, i) && !rc_view_counts(v, i) &&
            rc_view_result(v, i)->device == s->device && rc_view_result(v, i)->matrix >= 0 &&
            is_asked_for(v, q, w, i))
            list[(*n)++] = i;
    *row = list;
    return RC_OK;
}

static rc_status_t select_rows(
    rc_selection_t *s, const rc_query_t *q, const wanted_t *w, rc_err_t *err)
{
    const rc_view_t *v = s->view;
    int64_t n = 0;
    int64_t kept = 0;
    int64_t *miss = NULL;
    int64_t misses = 0;
    rc_status_t st = RC_OK;
    int64_t *row = rc_alloc((size_t)rc_view_count(v), sizeof *row, "results", err);
    RC_PASS(row ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < rc_view_count(v); i++)
        if (rc_view_counts(v, i) && is_asked_for(v, q, w, i) &&
            rc_view_pairing(v, i) != RC_PAIRED_ANOTHER_CARD)
            row[n++] = i;
    if (n == 0)
        RC_TRY(rc_fail(err, RC_EINVAL,
            "%s: of %lld results none is ok, of operation %s, of current versions, with C in the "
            "original order, and fits --k, --precision and --where",
            q->store, (long long)rc_view_count(v), rc_model_operation_names[q->operation]));
    RC_TRY(choose_device(
        v, row, n, q->model ? q->model->device : q->options->device, &s->device, err));
    for (int64_t i = 0; i < n; i++)
        if (rc_view_result(v, row[i])->device == s->device)
            row[kept++] = row[i];
    int32_t cache = common_cache(v, row, kept);
    int formats = q->options->task == RC_TASK_FORMAT;
    if (formats)
        kept = keep_cache(v, cache, row, kept);
    RC_TRY(keep_common(v, q->model, row, &kept, err));
    if (kept == 0)
        RC_TRY(rc_fail(err, RC_EINVAL,
            "%s: no result of a kernel of the model, measured with its geometry", q->store));
    if (formats && !q->model)
        RC_TRY(select_misses(s, q, w, &miss, &misses, err));
    misses = keep_cache(v, cache, miss, misses);
    RC_TRY(number_rows(s, row, kept, miss, misses, err));
    RC_TRY(mark_n(s, w, err));
done:
    free(row);
    free(miss);
    return st;
}

rc_status_t rc_select(const rc_query_t *q, rc_selection_t *out, rc_err_t *err)
{
    rc_selection_t s = {0};
    wanted_t w = {0};
    rc_status_t st;
    RC_TRY(parse(q, &w, err));
    RC_TRY(rc_view_read_samples(q->store, &s.view, err));
    RC_TRY(rc_view_check(s.view, w.where, err));
    RC_TRY(select_rows(&s, q, &w, err));
    *out = s;
    s = (rc_selection_t){0};
done:
    free(w.k);
    rc_expr_free(w.where);
    rc_selection_free(&s);
    return st;
}

void rc_selection_free(rc_selection_t *s)
{
    rc_view_free(s->view);
    rc_pool_free(&s->memory);
    *s = (rc_selection_t){0};
}
