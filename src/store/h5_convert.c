#include "config.h"
#include "store/h5_private.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Rows of older schemas: HDF5 converts by the names of fields and of enumeration values; what it
 * finds no field for is left as it is in the rows. */

rc_status_t rc_h5_set_missing(
    const rc_h5_t *h, hid_t d, const rc_schema_table_t *t, void *rows, int64_t count, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (t->fields == 0)
        return RC_OK;
    hid_t type = H5Dget_type(d);
    if (type < 0 || H5Tget_class(type) != H5T_COMPOUND)
        st = rc_fail(err, RC_ESTORE, "%s: %s: expected rows of fields, found another type", h->path,
            t->path);
    for (int i = 0; i < t->fields && st == RC_OK; i++) {
        const rc_schema_field_t *f = &t->field[i];
        if (H5Tget_member_index(type, f->name) >= 0)
            continue;
        if (f->since == 0)
            st = rc_fail(err, RC_ESTORE, "%s: %s: expected a field %s, found none", h->path,
                t->path, f->name);
        else
            rc_schema_set_missing(t, f, rows, (size_t)count);
    }
    return rc_h5_dropped(st, type, h->path, t->path, err);
}

const rc_schema_table_t *rc_h5_table_at(const char *path)
{
    char set[128];
    int end = 0;
    for (int i = 0; i < RC_T_COUNT; i++)
        if (strcmp(rc_schema[i].path + 1, path) == 0)
            return &rc_schema[i];
    if (strcmp(RC_SAMPLES_PATH + 1, path) == 0)
        return &rc_schema_samples;
    /* RC_FEATURES_PATH/<set>/rows */
    if (sscanf(path, "features/%127[^/]/rows%n", set, &end) == 1 && end > 0 && path[end] == '\0')
        return &rc_schema_feature_rows;
    return NULL;
}

/* A dataset that cannot be appended to as it is: it has filters, or its rows have other types than
 * those of this schema. */
static herr_t find_other(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    int *found = user;
    int ok = 1;
    (void)info;
    hid_t object = H5Oopen(at, name, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
        const rc_schema_table_t *t = rc_h5_table_at(name);
        hid_t create = H5Dget_create_plist(object);
        hid_t file = H5Dget_type(object);
        hid_t memory = t ? rc_h5_row_type(t) : -1;
        *found = *found || create < 0 || H5Pget_nfilters(create) != 0 ||
                 (t && H5Tequal(file, memory) <= 0);
        ok = RC_H5_DROP(ok, memory, file, create);
    }
    ok = rc_h5_drop(object) && ok;
    return object < 0 || !ok ? -1 : *found;
}

rc_status_t rc_h5_can_append(const rc_h5_t *h, int *out, rc_err_t *err)
{
    int other = 0;
    rc_h5_about_t about;
    RC_PASS(rc_h5_about(h, &about, err));
    if (H5Lvisit(h->file, H5_INDEX_NAME, H5_ITER_NATIVE, find_other, &other) < 0)
        return rc_h5_fail(err, h->path, "cannot look into the store");
    *out = !other && RC_SCHEMA_VERSION(about.major, about.minor) == RC_SCHEMA_NOW;
    return RC_OK;
}
