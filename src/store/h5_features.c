#include "config.h"
#include "store/h5_private.h"
#include "base/error.h"
#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static rc_status_t set_path(
    char *buf, size_t size, const char *set, const char *leaf, rc_err_t *err)
{
    int n = snprintf(buf, size, "%s/%s/%s", RC_FEATURES_PATH, set, leaf);
    return n > 0 && (size_t)n < size
               ? RC_OK
               : rc_fail(err, RC_ERANGE, "feature set name too long: %s", set);
}

/* The datasets of a set. */
typedef struct set_tables {
    char rows_path[128];
    char values_path[128];
    rc_schema_table_t rows;
    rc_schema_table_t values;
} set_tables_t;

static rc_status_t tables_of(const char *set, int columns, set_tables_t *t, rc_err_t *err)
{
    RC_PASS(set_path(t->rows_path, sizeof t->rows_path, set, "rows", err));
    RC_PASS(set_path(t->values_path, sizeof t->values_path, set, "values", err));
    t->rows = rc_schema_feature_rows;
    t->rows.path = t->rows_path;
    t->values = (rc_schema_table_t){.path = t->values_path,
        .title = "features",
        .row_bytes = (size_t)columns * sizeof(double),
        .chunk_rows = 512,
        .plain = RC_FT_FLOAT64,
        .columns = columns};
    return RC_OK;
}

rc_status_t rc_h5_make_features(
    const rc_h5_t *h, const char *set, int columns, const char *names, rc_err_t *err)
{
    char group[128];
    set_tables_t t;
    rc_status_t st = RC_OK;
    RC_PASS(tables_of(set, columns, &t, err)); /* whose names are longer */
    (void)snprintf(group, sizeof group, "%s/%s", RC_FEATURES_PATH, set);
    if (H5Lexists(h->file, group, H5P_DEFAULT) > 0)
        return RC_OK;
    if (!rc_h5_make_table(h->file, &t.rows))
        return rc_h5_fail(err, h->path, t.rows_path);
    hid_t d = rc_h5_make_dataset(h->file, &t.values);
    if (d < 0 || !rc_h5_set_text(d, "names", names) ||
        !rc_h5_set_text(d, "description", "row i is for row i of rows; the columns are in names"))
        st = rc_h5_fail(err, h->path, t.values_path);
    return rc_h5_dropped(st, d, h->path, t.values_path, err);
}

rc_status_t rc_h5_append_features(const rc_h5_t *h, const char *set, int columns,
    const rc_row_feature_t *rows, const double *values, int64_t n, rc_err_t *err)
{
    set_tables_t t;
    RC_PASS(tables_of(set, columns, &t, err));
    RC_PASS(rc_h5_append(h, &t.rows, rows, n, NULL, err));
    return rc_h5_append(h, &t.values, values, n, NULL, err);
}

static herr_t add_set(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    (void)group;
    (void)info;
    rc_str_add(user, name);
    rc_str_add(user, "/"); /* no name of HDF5 has one */
    return 0;
}

rc_status_t rc_h5_feature_sets(const rc_h5_t *h, rc_words_t *out, rc_err_t *err)
{
    rc_str_t names = {0};
    *out = (rc_words_t){NULL, 0};
    hid_t g = H5Gopen2(h->file, RC_FEATURES_PATH, H5P_DEFAULT);
    herr_t rc = g < 0 ? -1 : H5Literate(g, H5_INDEX_NAME, H5_ITER_INC, NULL, add_set, &names);
    rc_status_t st = RC_OK;
    if (names.failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for the feature sets");
    if (!rc_h5_drop(g) || (rc < 0 && st == RC_OK))
        st = rc_h5_fail(err, h->path, RC_FEATURES_PATH);
    if (st == RC_OK && names.len > 0) {
        names.text[names.len - 1] = '\0';
        st = rc_words_split(names.text, '/', out, err);
    }
    rc_str_free(&names);
    return st;
}

rc_status_t rc_h5_read_features(const rc_h5_t *h, const char *set, rc_row_feature_t **rows,
    double **values, int64_t *count, int *columns, char **names, rc_err_t *err)
{
    set_tables_t t;
    rc_status_t st = RC_OK;
    void *r = NULL;
    void *v = NULL;
    char *text = NULL;
    hsize_t dims[2] = {0, 0};
    int64_t n = 0;
    int64_t n_values = 0;
    RC_PASS(tables_of(set, 0, &t, err));
    const char *path = t.values_path;
    RC_PASS(rc_h5_read(h, &t.rows, &r, &n, err));
    hid_t d = H5Dopen2(h->file, path, H5P_DEFAULT);
    hid_t space = d < 0 ? -1 : H5Dget_space(d);
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 2 ||
        H5Sget_simple_extent_dims(space, dims, NULL) != 2)
        st = rc_h5_fail(err, h->path, path);
    else if ((int64_t)dims[0] != n || dims[1] > INT_MAX)
        st = rc_fail(err, RC_ESTORE, "%s: %s: expected %lld rows, as rows has, found %lld of %llu",
            h->path, path, (long long)n, (long long)dims[0], (unsigned long long)dims[1]);
    if (st == RC_OK)
        st = tables_of(set, (int)dims[1], &t, err);
    if (st == RC_OK && values)
        st = rc_h5_read(h, &t.values, &v, &n_values, err);
    if (st == RC_OK && names && !(text = rc_h5_get_text(d, "names")))
        st = rc_fail(err, RC_ESTORE, "%s: %s has no attribute names", h->path, path);
    st = rc_h5_dropped(st, space, h->path, path, err);
    st = rc_h5_dropped(st, d, h->path, path, err);
    if (st < 0) {
        free(r);
        free(v);
        free(text);
        return st;
    }
    *rows = r;
    *count = n;
    if (values)
        *values = v;
    if (columns)
        *columns = (int)dims[1];
    if (names)
        *names = text;
    return RC_OK;
}
