/* The inputs of a data set, and its rows: times, setup times and features of every cell that has
 * all of them. */
#include "config.h"
#include "analysis/dataset_private.h"
#include "analysis/importance.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/stats.h"
#include "base/type.h"
#include "feature/feature.h"
#include "table/features_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- inputs */

/* Counts span orders of magnitude and may be 0; ratios do and are positive. */
static rc_transform_t transform_of(const char *name, const char *unit)
{
    if (strcmp(name, "value_bytes") == 0)
        return RC_TRANSFORM_NONE;
    return strcmp(unit, "1") == 0 ? RC_TRANSFORM_LOG : RC_TRANSFORM_LOG1P;
}

static rc_status_t add_input(rc_dataset_t *d, const char *name, const char *unit, rc_err_t *err)
{
    size_t room = (size_t)d->inputs;
    RC_PASS(RC_GROW(d->input, room, room + 1, "inputs of a data set", err));
    rc_model_input_t *in = &d->input[d->inputs];
    *in = (rc_model_input_t){.transform = transform_of(name, unit), .scale = 1};
    RC_PASS(rc_strcpy(in->name, sizeof in->name, name, "name of a feature", err));
    d->inputs++;
    return RC_OK;
}

/* How many of n results there are. */
static int present(const int64_t *row, int n)
{
    int there = 0;
    for (int c = 0; c < n; c++)
        there += row[c] >= 0;
    return there;
}

rc_status_t rc_add_problem_inputs(
    const rc_selection_t *s, const int *pair, rc_dataset_t *d, rc_err_t *err)
{
    int64_t *row = NULL;
    const rc_cell_t *first = NULL;
    int plan = d->task == RC_TASK_PLAN;
    int many_k = plan;
    int many_fp = plan;
    int numbers = plan;
    rc_status_t st = rc_tabulate(s, pair, d->classes, &row, err);
    for (int64_t i = 0; st == RC_OK && i < s->cells; i++) {
        const rc_cell_t *c = &s->cell[i];
        if (present(row + i * d->classes, d->classes) < d->classes)
            continue;
        first = first ? first : c;
        many_k |= c->k != first->k;
        many_fp |= rc_type(c->precision)->bytes != rc_type(first->precision)->bytes;
        numbers |= !c->is_n;
    }
    free(row);
    if (st == RC_OK && many_k && numbers && rc_model_operation_has_k(d->operation))
        st = add_input(d, "k", "", err);
    if (st == RC_OK && many_fp)
        st = add_input(d, "value_bytes", "", err);
    return st;
}

/* Of Table II of Mehrabi et al., what describes the matrix alone: their ablation. */
static int is_matrix_only(const char *name)
{
    static const char *const prefix[] = {
        "n_row", "n_col", "density", "nnz_per_row_", "nnz_blocks_per_row_"};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
            return 1;
    return 0;
}

static rc_status_t set_name(rc_dataset_t *d, const rc_feature_set_t *set, rc_err_t *err)
{
    d->feature_version = set->version;
    return rc_strcpy(
        d->feature_set, sizeof d->feature_set, set->name, "name of a feature set", err);
}

/* Parts of sets that have a name: their first features, or those that `takes` says. */
static const struct subset {
    const char *name;
    const char *set;
    int count;
    int (*takes)(const char *feature);
} subsets[] = {
    {"matrix", "mehrabi", RC_FEATURES_MEHRABI, is_matrix_only},
    {"nisa-1", "nisa", 5, NULL},  /* Nisa et al., section IV: feature set 1 */
    {"nisa-2", "nisa", 11, NULL}, /* sets 1 and 2, which results call set 2 */
};

/* \param[in] part  NULL: all of it */
static rc_status_t use_set(
    const rc_feature_set_t *set, const struct subset *part, rc_dataset_t *d, rc_err_t *err)
{
    rc_status_t st = set_name(d, set, err);
    int count = part ? part->count : set->count;
    for (int i = 0; st == RC_OK && i < count; i++)
        if (!part || !part->takes || part->takes(set->feature[i].name))
            st = add_input(d, set->feature[i].name, set->feature[i].unit, err);
    return st;
}

/* "SET+product": the features of a set, and what follows from them and the product.
 * \param[in] n  length of SET */
static rc_status_t use_product(const char *name, size_t n, rc_dataset_t *d, rc_err_t *err)
{
    rc_str_t list = {0}; /* of those that there are */
    const rc_feature_set_t *set = NULL;
    for (int s = 0; rc_feature_sets[s]; s++) {
        const char *own = rc_feature_sets[s]->name;
        if (!rc_feature_sets[s]->product)
            continue;
        rc_str_addf(&list, "%s%s+product", list.len ? " or " : "", own);
        if (strlen(own) == n && strncmp(own, name, n) == 0)
            set = rc_feature_sets[s];
    }
    rc_status_t st = set ? use_set(set, NULL, d, err)
                         : rc_fail(err, RC_EINVAL, "--features: expected %s, found '%s'",
                               list.text ? list.text : "", name);
    rc_str_free(&list);
    for (int i = 0; st == RC_OK && i < set->product->count; i++)
        st = add_input(d, set->product->input[i].name, set->product->input[i].unit, err);
    return st;
}

static rc_status_t unknown_feature(const char *word, rc_err_t *err)
{
    enum { most = 512 };
    const char *names[most];
    int n = 0;
    for (int s = 0; rc_feature_sets[s] && n < most; s++)
        names[n++] = rc_feature_sets[s]->name;
    for (int s = 0; rc_feature_sets[s]; s++)
        for (int i = 0; i < rc_feature_sets[s]->count && n < most; i++)
            names[n++] = rc_feature_sets[s]->feature[i].name;
    (void)rc_fail_unknown(err, RC_EINVAL, "feature or set", word, names, n);
    return rc_err_context(err, "--features");
}

/* Features by name, all of the one set that has the first. */
static rc_status_t use_names(const char *features, rc_dataset_t *d, rc_err_t *err)
{
    rc_words_t words = {0};
    const rc_feature_set_t *set = NULL;
    rc_status_t st;
    RC_TRY(rc_words_split(features, ',', &words, err));
    for (int s = 0; rc_feature_sets[s] && !set; s++)
        set = rc_feature_find(rc_feature_sets[s], words.word[0]) ? rc_feature_sets[s] : NULL;
    if (!set)
        RC_TRY(unknown_feature(words.word[0], err));
    RC_TRY(set_name(d, set, err));
    for (int i = 0; i < words.count; i++) {
        const rc_feature_t *f = rc_feature_find(set, words.word[i]);
        if (!f)
            RC_TRY(unknown_feature(words.word[i], err));
        for (int k = 0; k < d->inputs; k++)
            if (strcmp(d->input[k].name, f->name) == 0)
                RC_TRY(rc_fail(err, RC_EINVAL, "--features: '%s' is there twice", words.word[i]));
        RC_TRY(add_input(d, f->name, f->unit, err));
    }
done:
    rc_words_free(&words);
    return st;
}

/* "top:N:MODEL": the features that count most in a model. */
static rc_status_t use_top(const char *text, rc_dataset_t *d, rc_err_t *err)
{
    const char *path = strchr(text, ':');
    rc_model_t *m = NULL;
    rc_str_t list = {0};
    int64_t count = 0;
    rc_status_t st;
    if (!path || !path[1])
        return rc_fail(
            err, RC_EINVAL, "--features: expected top:N:MODEL, a model file, found 'top:%s'", text);
    char *number = rc_strf("a number", err, "%.*s", (int)(path - text), text);
    RC_TRY(number ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_parse_int(number, 1, INT32_MAX, "--features: N of top:N:MODEL", &count, err));
    RC_TRY(rc_model_read(path + 1, &m, err));
    st = rc_importance_top(m, (int)count, &list, err);
    RC_TRY(st < 0 ? rc_err_context(err, "%s", path + 1) : RC_OK);
    st = use_names(list.text, d, err);
done:
    rc_str_free(&list);
    free(number);
    rc_model_free(m);
    return st;
}

rc_status_t rc_choose_inputs(const char *features, rc_dataset_t *d, rc_err_t *err)
{
    const char *name = features ? features : d->task == RC_TASK_FORMAT ? "nisa" : "mehrabi";
    static const char product[] = "+product";
    size_t n = strlen(name);
    const rc_feature_set_t *set = rc_feature_set_find(name);
    for (size_t i = 0; i < sizeof subsets / sizeof *subsets; i++)
        if (strcmp(name, subsets[i].name) == 0)
            return use_set(rc_feature_set_find(subsets[i].set), &subsets[i], d, err);
    if (strncmp(name, "top:", 4) == 0)
        return use_top(name + 4, d, err);
    if (n >= strlen(product) && strcmp(name + n - strlen(product), product) == 0)
        return use_product(name, n - strlen(product), d, err);
    return set ? use_set(set, NULL, d, err) : use_names(name, d, err);
}

/* ------------------------------------------------------------------- geometry */

typedef struct count {
    rc_geometry_t g;
    int64_t picks;
} count_t;

static rc_geometry_t common(
    const rc_selection_t *s, const unsigned char *in, int precision, count_t *list)
{
    int n = 0;
    count_t best = {{0, 0, 0}, 0};
    for (int64_t i = 0; i < s->picks; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->pick[i].row);
        if (!in[s->pick[i].pair] || r->precision != precision)
            continue;
        int at = 0;
        while (at < n &&
               (list[at].g.nw != r->nw || list[at].g.nt != r->nt || list[at].g.line != r->line))
            at++;
        if (at == n)
            list[n++] = (count_t){{r->nw, r->nt, r->line}, 0};
        list[at].picks++;
    }
    for (int i = 0; i < n; i++) {
        const rc_geometry_t *g = &list[i].g;
        const int64_t own[] = {-list[i].picks, g->nw, g->nt, g->line};
        const int64_t before[] = {-best.picks, best.g.nw, best.g.nt, best.g.line};
        if (rc_compare_lists(own, before, 4) < 0)
            best = list[i];
    }
    return best.g;
}

rc_status_t rc_common_geometry(
    const rc_selection_t *s, const int *pair, int n, rc_model_geometry_t *out, rc_err_t *err)
{
    rc_pool_t pool = {0};
    unsigned char *in = rc_pool_get0(&pool, (size_t)s->pairs, 1);
    /* a kernel has one geometry per precision */
    count_t *list = rc_pool_get(&pool, (size_t)n, sizeof *list);
    rc_status_t st = rc_pool_check(&pool, "geometries", err);
    for (int i = 0; st == RC_OK && i < n; i++)
        in[pair[i]] = 1;
    for (int t = 0; st == RC_OK && t < RC_TYPES; t++)
        out->of[t] = common(s, in, t, list);
    rc_pool_free(&pool);
    return st;
}

/* ------------------------------------------------------------------- features */

enum { PRODUCT = -2 };

typedef struct lookup {
    rc_pool_t pool;
    rc_feature_table_t table;
    rc_map_t row; /* (matrix, precision) -> newest row of the table */
    int *column;  /* [inputs] of the table; -1: k or value_bytes; PRODUCT - i: input i of the
                      product */
    const rc_feature_set_t *set; /* NULL: no input is of the product */
    int *of_set;                 /* [features of the set] of the table */
    double *feature;             /* [features of the set, and inputs of its product] scratch */
    int64_t known;               /* rows that fit version and geometry */
} lookup_t;

static rc_digest_t feature_key(int32_t matrix, int precision)
{
    const int32_t key[] = {matrix, precision};
    return rc_digest(key, sizeof key);
}

/* What an input of the product is computed from. */
static rc_status_t need_product(
    const char *store, lookup_t *l, const rc_feature_set_t *set, rc_err_t *err)
{
    if (l->set)
        return RC_OK;
    l->of_set = rc_pool_get(&l->pool, (size_t)set->count, sizeof *l->of_set);
    l->feature =
        rc_pool_get(&l->pool, (size_t)(set->count + set->product->count), sizeof *l->feature);
    RC_PASS(rc_pool_check(&l->pool, "features", err));
    for (int i = 0; i < set->count; i++) {
        l->of_set[i] = rc_feature_column(&l->table, set->feature[i].name);
        if (l->of_set[i] < 0)
            return rc_fail(err, RC_EINVAL, "%s: the set %s of this store has no feature '%s'",
                store, set->name, set->feature[i].name);
    }
    l->set = set;
    return RC_OK;
}

static rc_status_t find_columns(
    const char *store, const rc_dataset_t *d, lookup_t *l, rc_err_t *err)
{
    const rc_feature_set_t *set = rc_feature_set_find(d->feature_set);
    l->column = rc_pool_get(&l->pool, (size_t)d->inputs, sizeof *l->column);
    rc_status_t st = rc_pool_check(&l->pool, "columns", err);
    for (int i = 0; st == RC_OK && i < d->inputs; i++) {
        const char *name = d->input[i].name;
        l->column[i] = rc_feature_column(&l->table, name);
        if (l->column[i] >= 0 || strcmp(name, "k") == 0 || strcmp(name, "value_bytes") == 0)
            continue;
        if (!set || !rc_feature_is_of_product(set, name))
            return rc_fail(err, RC_EINVAL, "%s: the set %s of this store has no feature '%s'",
                store, d->feature_set, name);
        l->column[i] =
            PRODUCT - rc_feature_index(set->product->input, set->product->count, name, 0);
        st = need_product(store, l, set, err);
    }
    return st;
}

static rc_status_t read_features(
    const char *store, const rc_dataset_t *d, lookup_t *l, rc_err_t *err)
{
    RC_PASS(rc_feature_table_read(store, d->feature_set, &l->table, err));
    RC_PASS(find_columns(store, d, l, err));
    for (int64_t i = 0; i < l->table.rows; i++) {
        const rc_row_feature_t *f = &l->table.row[i];
        for (int p = 0; p < RC_TYPES; p++) {
            const rc_geometry_t g = d->geometry.of[p];
            if (f->version != d->feature_version || f->nw != g.nw || f->nt != g.nt ||
                f->line != g.line)
                continue;
            l->known++;
            RC_PASS(rc_map_set(&l->row, feature_key(f->matrix, p), i, err));
        }
    }
    return RC_OK;
}

/* 1: the cell has every input; they are in value[inputs]. */
static int fill_inputs(
    const lookup_t *l, const rc_dataset_t *d, const rc_cell_t *c, double *value, double *feature_ns)
{
    int64_t at = rc_map_get(&l->row, feature_key(c->matrix, c->precision), -1);
    if (at < 0)
        return 0;
    const double *of_matrix = l->table.value + at * l->table.names.count;
    int value_bytes = rc_type(c->precision)->bytes;
    for (int i = 0; l->set && i < l->set->count; i++)
        l->feature[i] = of_matrix[l->of_set[i]];
    if (l->set)
        l->set->product->compute(l->feature, (double)c->k, value_bytes, l->feature + l->set->count);
    for (int i = 0; i < d->inputs; i++) {
        if (l->column[i] >= 0)
            value[i] = of_matrix[l->column[i]];
        else if (l->column[i] <= PRODUCT)
            value[i] = l->feature[l->set->count + PRODUCT - l->column[i]];
        else
            value[i] = strcmp(d->input[i].name, "k") == 0 ? (double)c->k : value_bytes;
        if (!isfinite(value[i]))
            return 0;
    }
    int64_t ns = l->table.row[at].feature_ns;
    *feature_ns = ns > 0 ? (double)ns : NAN;
    return 1;
}

/* ----------------------------------------------------------------------- rows */

rc_status_t rc_allocate_rows(rc_dataset_t *d, int64_t rows, rc_err_t *err)
{
    size_t n = (size_t)rows;
    d->sample = rc_alloc0(n, sizeof *d->sample, "samples", err);
    d->value = rc_alloc(n * (size_t)d->inputs, sizeof *d->value, "inputs", err);
    d->time = rc_alloc(n * (size_t)d->classes, sizeof *d->time, "times", err);
    d->setup = rc_alloc(n * (size_t)d->classes, sizeof *d->setup, "setup times", err);
    d->library = rc_alloc(n, sizeof *d->library, "times of a library", err);
    RC_PASS(d->sample && d->value && d->time && d->setup && d->library ? RC_OK : RC_ENOMEM);
    return rc_halves_make(rows, d->classes, &d->half, err);
}

static void fill_sample(const rc_selection_t *s, const rc_cell_t *c, rc_sample_t *out)
{
    const rc_row_matrix_t *m = rc_view_matrix(s->view, c->matrix);
    rc_field_text(m->name, sizeof m->name, out->name);
    rc_field_text(m->kind, sizeof m->kind, out->kind);
    memcpy(out->digest, c->digest, sizeof out->digest);
    out->matrix = c->matrix;
    out->k = c->k;
    out->cols = m->cols;
    out->k_is_n = c->is_n;
    out->precision = (rc_precision_t)c->precision;
}

/* The times of a cell; 0 when it lacks a class.
 * \param[in] status  [classes] of a cell whose classes may have failed; NULL: none may */
static int fill_times(
    const rc_selection_t *s, const int64_t *row, const unsigned char *status, rc_dataset_t *d)
{
    double *time = d->time + d->rows * d->classes;
    double *setup = d->setup + d->rows * d->classes;
    for (int c = 0; c < d->classes; c++) {
        if (row[c] < 0 && (!status || status[c] == RC_CASE_PENDING))
            return 0;
        time[c] = INFINITY;
        setup[c] = NAN;
        if (row[c] < 0)
            continue;
        const rc_row_result_t *r = rc_view_result(s->view, row[c]);
        time[c] = rc_view_ns(s->view, row[c]);
        setup[c] = (double)r->order_ns + (double)r->preprocess_ns;
    }
    return present(row, d->classes) > 0;
}

static rc_status_t fill_halves(
    const rc_selection_t *s, const int64_t *row, rc_dataset_t *d, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int c = 0; st == RC_OK && d->half.cost && c < d->classes; c++) {
        if (row[c] < 0) {
            rc_halves_free(&d->half); /* nothing can be held out where a class has no time */
            break;
        }
        rc_timed_t t = rc_timed_of(s->view, row[c]);
        st = rc_halves_set(&d->half, d->rows, c, &t, NULL, err);
    }
    return st;
}

static rc_status_t nothing_left(
    const rc_dataset_t *d, const lookup_t *l, const char *store, rc_err_t *err)
{
    const rc_geometry_t none = {0};
    const int first = rc_model_first_type(&d->geometry);
    const rc_geometry_t *g = first < RC_TYPES ? &d->geometry.of[first] : &none;
    if (d->dropped.features == 0)
        return rc_fail(err, RC_EINVAL,
            "%s: no (matrix, K, precision) has a result of every class, of %lld that have some: "
            "name fewer with --classes",
            store, (long long)d->dropped.incomplete);
    return rc_fail(err, RC_EINVAL,
        "%s: no row has the features %s version %d for nw %d, nt %d, line %d (%lld feature rows "
        "of them, %lld rows of results without)",
        store, d->feature_set, (int)d->feature_version, (int)g->nw, (int)g->nt, (int)g->line,
        (long long)l->known, (long long)d->dropped.features);
}

rc_status_t rc_fill_rows(const rc_selection_t *s, const int *pair, const char *store,
    const rc_dataset_options_t *o, rc_dataset_t *d, rc_err_t *err)
{
    lookup_t l = {0};
    int64_t *row = NULL;
    unsigned char *status = NULL;
    rc_library_time_t *library = NULL;
    rc_status_t st;
    int worst = o && o->missing_worst;
    RC_TRY(read_features(store, d, &l, err));
    RC_TRY(rc_tabulate(s, pair, d->classes, &row, err));
    if (d->task == RC_TASK_FORMAT)
        RC_TRY(rc_formats_status(s, pair, d->classes, &status, err));
    RC_TRY(rc_find_library(s, &library, err));
    RC_TRY(rc_allocate_rows(d, s->cells, err));
    for (int64_t i = 0; i < s->cells; i++) {
        const int64_t *own = row + i * d->classes;
        rc_sample_t *sample = &d->sample[d->rows];
        const unsigned char *became = status ? status + i * d->classes : NULL;
        for (int c = 0; became && c < d->classes; c++) { /* why a cell has not all formats */
            int format = rc_six_named(d->cls[c].name);
            if (format >= 0 && became[c] != RC_CASE_OK)
                d->dropped.format[format][became[c]]++;
        }
        if (!became && present(own, d->classes) == 0)
            continue;
        if (!fill_times(s, own, worst ? became : NULL, d)) {
            d->dropped.incomplete++;
        } else if (!fill_inputs(
                       &l, d, &s->cell[i], d->value + d->rows * d->inputs, &sample->feature_ns)) {
            d->dropped.features++;
        } else {
            fill_sample(s, &s->cell[i], sample);
            d->library[d->rows] = library[i];
            RC_TRY(fill_halves(s, own, d, err));
            d->rows++;
        }
    }
    if (d->rows == 0)
        RC_TRY(nothing_left(d, &l, store, err));
done:
    free(row);
    free(status);
    free(library);
    rc_feature_table_free(&l.table);
    rc_map_free(&l.row);
    rc_pool_free(&l.pool);
    return st;
}
