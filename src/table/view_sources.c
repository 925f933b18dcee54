/* The catalogue rows of a view, files of orders, and what features say of matrices. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "base/str.h"
#include "table/view_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of `where`, see rc_where_names. */
enum { RC_SOURCE_FILE = 0, RC_SOURCE_GENERATED = 1, RC_SOURCE_ABSENT = 2 };

typedef struct named {
    const char *name;
    int64_t row;
} named_t;

static int by_name_then_row(const void *a, const void *b)
{
    const named_t *x = a;
    const named_t *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

/* Of two rows of a name the one that counts: the newer one, but that a later sweep did not find the
 * file is no news of a matrix that an earlier one has read. */
static int64_t newer(const rc_row_source_t *r, int64_t before, int64_t after)
{
    return r[after].where == RC_SOURCE_ABSENT && r[before].matrix >= 0 ? before : after;
}

static rc_status_t find_newest(rc_view_t *v, rc_err_t *err)
{
    const rc_row_source_t *r = v->dicts.d[RC_T_SOURCE].rows;
    size_t n = v->dicts.d[RC_T_SOURCE].count;
    named_t *list = rc_alloc(n, sizeof *list, "catalogue rows", err);
    v->source = rc_alloc(n, sizeof *v->source, "catalogue rows", err);
    if (!list || !v->source) {
        free(list);
        return RC_ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        list[i] = (named_t){rc_view_text(v, RC_TEXT_SOURCE, (int64_t)i), (int64_t)i};
    qsort(list, n, sizeof *list, by_name_then_row);
    for (size_t i = 0; i < n; i++) {
        int again = i > 0 && strcmp(list[i].name, list[i - 1].name) == 0;
        if (!again)
            v->source[v->sources++] = list[i].row;
        else
            v->source[v->sources - 1] = newer(r, v->source[v->sources - 1], list[i].row);
    }
    free(list);
    return RC_OK;
}

/* A matrix that also came from a file is not generated. */
static rc_status_t mark_generated(rc_view_t *v, rc_err_t *err)
{
    const rc_row_source_t *r = v->dicts.d[RC_T_SOURCE].rows;
    RC_PASS(RC_NEW0(v->generated, v->dicts.d[RC_T_MATRIX].count, "marks", err));
    for (int where = RC_SOURCE_GENERATED; where >= RC_SOURCE_FILE; where--)
        for (int64_t i = 0; i < v->sources; i++)
            if (r[v->source[i]].matrix >= 0 && r[v->source[i]].where == where)
                v->generated[r[v->source[i]].matrix] = (unsigned char)where;
    return RC_OK;
}

rc_status_t rc_view_load_sources(rc_view_t *v, rc_err_t *err)
{
    rc_status_t st = find_newest(v, err);
    return st == RC_OK ? mark_generated(v, err) : st;
}

int rc_view_is_generated(const rc_view_t *v, int32_t matrix)
{
    return v->generated[matrix];
}

void rc_view_mark_generated(rc_view_t *v, const rc_expr_t *which)
{
    for (int64_t i = 0; i < v->results; i++)
        if (rc_view_matches(v, i, which))
            v->generated[v->result[i].matrix] = 1;
}

int64_t rc_view_sources(const rc_view_t *v)
{
    return v->sources;
}

void rc_view_source(const rc_view_t *v, int64_t i, rc_source_row_t *out)
{
    int64_t at = v->source[i];
    const rc_row_source_t *r = (const rc_row_source_t *)v->dicts.d[RC_T_SOURCE].rows + at;
    memset(out, 0, sizeof *out);
    out->name = rc_view_text(v, RC_TEXT_SOURCE, at);
    out->location = rc_view_text(v, RC_TEXT_LOCATION, at);
    out->where = rc_view_name(rc_where_names, r->where);
    out->status = rc_view_name(rc_case_status_names, r->status);
    out->phase = rc_view_name(rc_phase_names, r->phase);
    out->message = rc_view_text(v, RC_TEXT_MESSAGE, r->message);
    out->bytes = r->bytes;
    out->mtime_ns = r->mtime_ns;
    out->load_ns = r->load_ns;
    out->status_code = r->status;
    out->matrix = r->matrix;
    out->run = r->run;
    out->kind = rc_view_text(v, RC_TEXT_KIND, r->matrix);
    out->digest = rc_view_text(v, RC_TEXT_DIGEST, r->matrix);
    out->rows = out->cols = out->nnz = -1;
    if (r->matrix >= 0) {
        const rc_row_matrix_t *m = rc_view_matrix(v, r->matrix);
        out->rows = m->rows;
        out->cols = m->cols;
        out->nnz = m->nnz;
        memcpy(out->cases, v->cases[r->matrix], sizeof out->cases);
    }
}

int rc_view_is_of_matrix(const char *policy)
{
    return rc_spec_begins(policy, "name", "") && (strstr(policy, "%n") || strstr(policy, "%g"));
}

rc_status_t rc_view_unite_policies(rc_view_t *v, rc_err_t *err)
{
    const rc_dict_t *d = &v->dicts.d[RC_T_POLICY];
    const rc_row_policy_t *policy = d->rows;
    rc_status_t st = RC_OK;
    rc_map_t last = {0}; /* identity -> id */
    rc_digest_t *key = rc_alloc(d->count, sizeof *key, "policies", err);
    RC_PASS(key ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < d->count; i++) {
        char *text = v->text[RC_TEXT_POLICY].bytes + i * v->text[RC_TEXT_POLICY].stride;
        char *rows = strstr(text, ":rows=");
        if (rows && rc_view_is_of_matrix(text))
            *rows = '\0';
        const char *params = strchr(text, ':');
        const char *same =
            params && !rc_view_is_of_matrix(text) ? rc_spec_identity(params + 1) : text;
        rc_digest_t own[] = {rc_map_text(same),
            rc_digest(policy[i].name, strnlen(policy[i].name, sizeof policy[i].name)),
            {(uint64_t)policy[i].version, params != NULL}};
        key[i] = rc_digest(own, sizeof own);
        RC_TRY(rc_map_set(&last, key[i], (int64_t)i, err));
    }
    for (int64_t i = 0; i < v->results; i++)
        v->result[i].policy = (int32_t)rc_map_get(&last, key[v->result[i].policy], 0);
done:
    free(key);
    rc_map_free(&last);
    return st;
}

/* ------------------------------------------------------------------------ traits */

/* Where a set has a trait: the name of its column, and whether it is there as its root. */
static const struct {
    const char *set;
    const char *column[RC_TRAITS]; /* NULL: none */
    int is_root;
} traits[] = {
    {"nisa", {[RC_TRAIT_VARIANCE] = "nnz_sigma"},
        1}, /* also in stores that are older than the next one */
    {"lane", {[RC_TRAIT_VARIANCE] = "nnz_variance", [RC_TRAIT_SYMMETRY] = "pattern_symmetry"}, 0},
    {"jiang",
        {[RC_TRAIT_DENSE_RATIO] = "dense_ratio", [RC_TRAIT_REST_SIMILARITY] = "rest_similarity"},
        0},
};

static int column_of(const rc_words_t *names, const char *name)
{
    for (int i = 0; name && i < names->count; i++)
        if (strcmp(names->word[i], name) == 0)
            return i;
    return -1;
}

static rc_status_t read_set(rc_view_t *v, const rc_h5_t *h, size_t source, rc_err_t *err)
{
    rc_row_feature_t *row = NULL;
    double *value = NULL;
    char *names = NULL;
    rc_words_t list = {0};
    int64_t n = 0;
    int columns = 0;
    rc_status_t st;
    RC_TRY(rc_h5_read_features(h, traits[source].set, &row, &value, &n, &columns, &names, err));
    RC_TRY(rc_words_split(names, ',', &list, err));
    for (int t = 0; t < RC_TRAITS && list.count == columns; t++) {
        int c = column_of(&list, traits[source].column[t]);
        for (int64_t i = 0; c >= 0 && i < n; i++) {
            double x = value[i * columns + c];
            if (row[i].matrix >= 0 && (size_t)row[i].matrix < v->dicts.d[RC_T_MATRIX].count)
                v->trait[t][row[i].matrix] = traits[source].is_root ? x * x : x;
        }
    }
done:
    free(row);
    free(value);
    free(names);
    rc_words_free(&list);
    return st;
}

rc_status_t rc_view_read_traits(rc_view_t *v, const rc_h5_t *h, rc_err_t *err)
{
    size_t matrices = v->dicts.d[RC_T_MATRIX].count;
    rc_words_t sets;
    for (int t = 0; t < RC_TRAITS; t++) {
        RC_PASS(RC_NEW(v->trait[t], matrices, "traits of matrices", err));
        for (size_t m = 0; m < matrices; m++)
            v->trait[t][m] = NAN;
    }
    rc_status_t st = rc_h5_feature_sets(h, &sets, err);
    for (size_t source = 0; source < sizeof traits / sizeof *traits; source++)
        for (int s = 0; s < sets.count && st == RC_OK; s++)
            if (strcmp(sets.word[s], traits[source].set) == 0)
                st = read_set(v, h, source, err);
    rc_words_free(&sets);
    return st;
}

const char *const rc_regular_names[] = {"regular", "irregular", "unknown", NULL};

rc_regular_t rc_view_regular(const rc_view_t *v, int32_t matrix)
{
    const double most = 10;
    const double variance = v->trait[RC_TRAIT_VARIANCE][matrix];
    if (isnan(variance))
        return RC_REGULAR_UNKNOWN;
    return variance <= most ? RC_REGULAR : RC_IRREGULAR;
}

void rc_view_take_training(rc_view_t *v, unsigned char *marks)
{
    free(v->training);
    v->training = marks;
}

const unsigned char *rc_view_training(const rc_view_t *v)
{
    return v->training;
}
