#include "config.h"
#include "table/features_read.h"
#include "base/alloc.h"
#include "base/error.h"
#include "store/h5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rc_status_t rc_feature_tables(const char *store, rc_words_t *out, rc_err_t *err)
{
    rc_h5_t h = {.file = -1};
    RC_PASS(rc_h5_open(store, 0, &h, err));
    *out = (rc_words_t){0};
    rc_status_t st = rc_h5_feature_sets(&h, out, err);
    return rc_h5_closed(st, &h, err);
}

static int has(const rc_words_t *w, const char *name)
{
    for (int i = 0; i < w->count; i++)
        if (strcmp(w->word[i], name) == 0)
            return 1;
    return 0;
}

static rc_status_t read_set(
    const rc_h5_t *h, const char *set, rc_feature_table_t *out, rc_err_t *err)
{
    rc_status_t st;
    int columns = 0;
    char *names = NULL;
    rc_words_t sets = {0};
    RC_TRY(rc_h5_feature_sets(h, &sets, err));
    if (!has(&sets, set))
        RC_TRY(rc_fail(err, RC_ENOENT, "%s: no features of the set '%s'", h->path, set));
    RC_TRY(rc_h5_read_features(h, set, &out->row, &out->value, &out->rows, &columns, &names, err));
    RC_TRY(rc_words_split(names, ',', &out->names, err));
    if (out->names.count != columns)
        RC_TRY(rc_fail(err, RC_ESTORE, "%s: /features/%s has %d columns and names for %d", h->path,
            set, columns, out->names.count));
done:
    free(names);
    rc_words_free(&sets);
    return st;
}

rc_status_t rc_feature_table_read(
    const char *store, const char *set, rc_feature_table_t *out, rc_err_t *err)
{
    rc_feature_table_t t = {0};
    rc_h5_t h = {.file = -1};
    RC_PASS(rc_h5_open(store, 0, &h, err));
    rc_status_t st = read_set(&h, set, &t, err);
    st = rc_h5_closed(st, &h, err);
    if (st < 0)
        rc_feature_table_free(&t);
    else
        *out = t;
    return st;
}

void rc_feature_table_free(rc_feature_table_t *t)
{
    if (!t)
        return;
    rc_words_free(&t->names);
    free(t->row);
    free(t->value);
    *t = (rc_feature_table_t){0};
}

int rc_feature_column(const rc_feature_table_t *t, const char *name)
{
    for (int i = 0; i < t->names.count; i++)
        if (strcmp(t->names.word[i], name) == 0)
            return i;
    return -1;
}

rc_status_t rc_feature_by_matrix(const char *store, const char *set, const char *name, double *out,
    int32_t matrices, rc_err_t *err)
{
    rc_feature_table_t f = {0};
    rc_err_t why = {0};
    rc_status_t st = rc_feature_table_read(store, set, &f, &why);
    if (st == RC_ENOENT)
        return RC_OK; /* an older store */
    if (st < 0)
        return rc_fail(err, st, "%s", why.text);
    int c = rc_feature_column(&f, name);
    for (int64_t i = 0; c >= 0 && i < f.rows; i++)
        if (f.row[i].matrix >= 0 && f.row[i].matrix < matrices)
            out[f.row[i].matrix] = f.value[i * f.names.count + c];
    rc_feature_table_free(&f);
    return RC_OK;
}

static rc_status_t take_share(
    const rc_view_t *v, const rc_feature_table_t *t, int column, double *out, rc_err_t *err)
{
    for (int64_t r = 0; r < t->rows; r++) {
        double x = t->value[r * t->names.count + column];
        int32_t m = t->row[r].matrix;
        if (m < 0 || m >= rc_view_matrices(v))
            continue;
        if (!(x >= 0 && x <= 1))
            return rc_fail(err, RC_EINVAL,
                "%s of %s is %g: expected a feature that is a share from 0 to 1",
                t->names.word[column], rc_view_matrix(v, m)->name, x);
        out[m] = x;
    }
    return RC_OK;
}

rc_status_t rc_feature_share(
    const rc_view_t *v, const char *store, const char *feature, double **out, rc_err_t *err)
{
    rc_words_t sets = {0};
    int column = -1;
    double *x = rc_alloc((size_t)rc_view_matrices(v), sizeof *x, "features", err);
    rc_status_t st = x ? rc_feature_tables(store, &sets, err) : RC_ENOMEM;
    for (int32_t m = 0; x && m < rc_view_matrices(v); m++)
        x[m] = NAN;
    for (int i = 0; st == RC_OK && i < sets.count && column < 0; i++) {
        rc_feature_table_t t = {0};
        st = rc_feature_table_read(store, sets.word[i], &t, err);
        column = st == RC_OK ? rc_feature_column(&t, feature) : -1;
        if (column >= 0)
            st = take_share(v, &t, column, x, err);
        rc_feature_table_free(&t);
    }
    if (st == RC_OK && column < 0)
        st = rc_fail(err, RC_EINVAL, "%s: no feature set of the store has '%s'", store, feature);
    rc_words_free(&sets);
    if (st < 0)
        free(x);
    else
        *out = x;
    return st;
}
