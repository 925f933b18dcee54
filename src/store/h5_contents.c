#include "config.h"
#include "store/h5_private.h"
#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

/* The object whose attributes are added. */
typedef struct attributes {
    rc_contents_t *t;
    const char *path;
} attributes_t;

typedef struct look {
    rc_contents_t *t;
    const char *path;
    int rows; /* 1: add those of each dataset */
    rc_status_t st;
    rc_err_t *err;
} look_t;

/* Types whose values are elsewhere: another program's. */
static int is_indirect(hid_t type)
{
    return H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tdetect_class(type, H5T_REFERENCE) > 0 ||
           (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) != 0);
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user)
{
    const attributes_t *l = user;
    (void)info;
    rc_digest_t d[2] = {rc_map_text(name)};
    hid_t a = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = a < 0 ? -1 : H5Aget_type(a);
    size_t bytes = type < 0 ? 0 : (size_t)H5Aget_storage_size(a);
    char *value = rc_alloc0(bytes + 1, 1, "an attribute", NULL);
    int ok = value && type >= 0;
    if (ok && bytes && !is_indirect(type)) {
        ok = H5Aread(a, type, value) >= 0;
        d[1] = rc_digest(value, bytes);
    }
    if (ok) /* in any order */
        rc_contents_add(l->t, RC_CONTENTS_ATTRIBUTES, l->path, 0, d, 1, sizeof d);
    free(value);
    ok = RC_H5_DROP(ok, type, a);
    return ok ? 0 : -1;
}

static int add_rows(rc_contents_t *t, const char *name, hid_t d, hid_t type)
{
    enum { piece_bytes = 1 << 20 };
    int64_t rows = 0;
    size_t bytes = rc_h5_row_bytes(d, type, &rows);
    int64_t piece = bytes ? (int64_t)(piece_bytes / bytes) + 1 : 1;
    char *buffer = rc_alloc((size_t)piece, bytes ? bytes : 1, "rows of a store", NULL);
    int ok = buffer && rows >= 0;
    rc_contents_add(t, RC_CONTENTS_ROWS, name, 0, NULL, 0, 0);
    for (int64_t i = 0; ok && bytes && i < rows; i += piece) {
        int64_t n = rows - i < piece ? rows - i : piece;
        ok = rc_h5_read_piece(d, type, i, n, buffer);
        if (ok)
            rc_contents_add(t, RC_CONTENTS_ROWS, name, i, buffer, n, bytes);
    }
    free(buffer);
    return ok;
}

static int add_dataset(const look_t *l, const char *name, hid_t d)
{
    if (!l->rows) {
        rc_contents_add(l->t, RC_CONTENTS_ROWS, name, 0, NULL, 0, 0);
        return 1;
    }
    const rc_schema_table_t *table = rc_h5_table_at(name);
    hid_t type = table ? rc_h5_row_type(table) : H5Dget_type(d);
    int ok = type >= 0 && (is_indirect(type) || add_rows(l->t, name, d, type));
    return rc_h5_drop(type) && ok;
}

static herr_t add_object(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    look_t *l = user;
    hsize_t from = 0;
    (void)info;
    const char *path = strcmp(name, ".") == 0 ? "" : name;
    hid_t object = H5Oopen(at, name, H5P_DEFAULT);
    int ok = object >= 0;
    if (ok && !rc_contents_knows(l->t, RC_CONTENTS_ATTRIBUTES, path)) {
        attributes_t a = {l->t, path};
        rc_contents_add(l->t, RC_CONTENTS_ATTRIBUTES, path, 0, NULL, 0, 0);
        ok = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &from, add_attribute, &a) >= 0;
    }
    if (ok && H5Iget_type(object) == H5I_DATASET)
        ok = add_dataset(l, path, object);
    ok = rc_h5_drop(object) && ok;
    if (!ok)
        l->st = rc_h5_fail(l->err, l->path, name);
    return ok ? 0 : -1;
}

rc_status_t rc_h5_contents(rc_contents_t *t, hid_t file, const char *path, int rows, rc_err_t *err)
{
    look_t l = {t, path, rows, RC_OK, err};
    if (add_object(file, ".", NULL, &l) >= 0 &&
        H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, add_object, &l) < 0 && l.st == RC_OK)
        l.st = rc_h5_fail(err, path, "cannot look into the store");
    return l.st;
}

rc_status_t rc_h5_contents_all(const rc_h5_t *h, rc_contents_t *t, rc_err_t *err)
{
    return rc_h5_contents(t, h->file, h->path, 1, err);
}
