#include "config.h"
#include "store/h5_private.h"
#include "base/alloc.h"
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
    char values[128];
    rc_schema_table_t rows;
} set_tables_t;

static rc_status_t tables_of(const char *set, set_tables_t *t, rc_err_t *err)
{
    RC_PASS(set_path(t->rows_path, sizeof t->rows_path, set, "rows", err));
    RC_PASS(set_path(t->values, sizeof t->values, set, "values", err));
    t->rows = rc_schema_feature_rows;
    t->rows.path = t->rows_path;
    return RC_OK;
}

rc_status_t rc_h5_make_features(
    const rc_h5_t *h, const char *set, int columns, const char *names, rc_err_t *err)
{
    char group[128];
    set_tables_t t;
    rc_status_t st = RC_OK;
    RC_PASS(tables_of(set, &t, err)); /* whose names are longer */
    (void)snprintf(group, sizeof group, "%s/%s", RC_FEATURES_PATH, set);
    if (H5Lexists(h->file, group, H5P_DEFAULT) > 0)
        return RC_OK;
    if (!rc_h5_make_table(h->file, &t.rows))
        return rc_h5_fail(err, h->path, t.rows_path);
    hid_t d = rc_h5_make_dataset(h->file, t.values, H5T_NATIVE_DOUBLE, 512, columns);
    if (d < 0 || !rc_h5_set_text(d, "names", names) ||
        !rc_h5_set_text(d, "description", "row i is for row i of rows; the columns are in names"))
        st = rc_h5_fail(err, h->path, t.values);
    return rc_h5_dropped(st, d, h->path, t.values, err);
}

rc_status_t rc_h5_reserve_features(
    const rc_h5_t *h, const char *set, int columns, int64_t n, rc_err_t *err)
{
    set_tables_t t;
    RC_PASS(tables_of(set, &t, err));
    RC_PASS(rc_h5_reserve(h, &t.rows, n, err));
    return rc_h5_reserve_rows(
        h, t.values, H5T_NATIVE_DOUBLE, columns, (size_t)columns * sizeof(double), n, err);
}

rc_status_t rc_h5_append_features(const rc_h5_t *h, const char *set, int columns,
    const rc_row_feature_t *rows, const double *values, int64_t n, rc_err_t *err)
{
    set_tables_t t;
    RC_PASS(tables_of(set, &t, err));
    RC_PASS(rc_h5_append(h, &t.rows, rows, n, NULL, err));
    return rc_h5_append_rows(h, t.values, H5T_NATIVE_DOUBLE, columns,
        (size_t)columns * sizeof *values, values, n, NULL, err);
}

typedef struct set_list {
    char **names;
    size_t capacity;
    size_t count;
    rc_status_t st;
} set_list_t;

static herr_t add_set(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    (void)group;
    (void)info;
    set_list_t *l = user;
    l->st = RC_GROW(l->names, l->capacity, l->count + 1, "feature sets", NULL);
    char *copy = l->st < 0 ? NULL : rc_strdup(name, NULL);
    if (!copy) {
        l->st = RC_ENOMEM;
        return -1;
    }
    l->names[l->count++] = copy;
    return 0;
}

rc_status_t rc_h5_feature_sets(const rc_h5_t *h, char ***names, int *count, rc_err_t *err)
{
    set_list_t l = {NULL, 0, 0, RC_OK};
    hid_t g = H5Gopen2(h->file, RC_FEATURES_PATH, H5P_DEFAULT);
    herr_t rc = g < 0 ? -1 : H5Literate(g, H5_INDEX_NAME, H5_ITER_INC, NULL, add_set, &l);
    if (!rc_h5_drop(g) || rc < 0) {
        for (size_t i = 0; i < l.count; i++)
            free(l.names[i]);
        free(l.names);
        return l.st < 0 ? rc_fail(err, RC_ENOMEM, "no memory for the feature sets")
                        : rc_h5_fail(err, h->path, RC_FEATURES_PATH);
    }
    *names = l.names;
    *count = (int)l.count;
    return RC_OK;
}

rc_status_t rc_h5_read_features(const rc_h5_t *h, const char *set, rc_row_feature_t **rows,
    double **values, int64_t *count, int *columns, char **names, rc_err_t *err)
{
    set_tables_t t;
    const char *path = t.values;
    rc_status_t st = RC_OK;
    void *r = NULL;
    double *v = NULL;
    char *text = NULL;
    hsize_t dims[2] = {0, 0};
    int64_t n = 0;
    RC_PASS(tables_of(set, &t, err));
    RC_PASS(rc_h5_read_table(h->file, h, &t.rows, &r, &n, err));
    hid_t d = H5Dopen2(h->file, path, H5P_DEFAULT);
    hid_t space = d < 0 ? -1 : H5Dget_space(d);
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 2 ||
        H5Sget_simple_extent_dims(space, dims, NULL) != 2)
        st = rc_h5_fail(err, h->path, path);
    else if ((int64_t)dims[0] != n)
        st = rc_fail(err, RC_ESTORE, "%s: %s: expected %lld rows, as rows has, found %lld", h->path,
            path, (long long)n, (long long)dims[0]);
    else if (dims[1] > INT_MAX || !rc_h5_holds(d, n, (size_t)dims[1] * sizeof *v))
        st = rc_fail(err, RC_ESTORE, "%s: %s: does not hold %lld x %lld values", h->path, path,
            (long long)n, (long long)dims[1]);
    if (st == RC_OK && values) {
        v = rc_alloc0((size_t)n * (size_t)dims[1], sizeof *v, "features", err);
        if (!v)
            st = RC_ENOMEM;
        else if (n && H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) < 0)
            st = rc_h5_fail(err, h->path, path);
    }
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
