#include "config.h"
#include "store/commit.h"
#include "store/h5_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* HDF5 prints its error stack by itself; ours is one line, so the stack is silenced around the
 * calls of this file and its innermost text is put into the line. */
static herr_t innermost(unsigned n, const H5E_error2_t *e, void *user)
{
    (void)n;
    const char **text = user;
    if (e->desc && e->desc[0])
        *text = e->desc;
    return 0;
}

/* "file write failed: time = ..., errno = 28, error message = 'No space left on device', buf =
 * ...": what failed, and why. */
static void shorten(const char *text, char *out, size_t size)
{
    static const char why[] = "error message = '";
    const char *time = strstr(text, ": time = ");
    const char *from = strstr(text, why);
    const char *to = from ? strchr(from + sizeof why - 1, '\'') : NULL;
    if (time && to && from > time)
        snprintf(out, size, "%.*s: %.*s", (int)(time - text), text,
            (int)(to - from - (ptrdiff_t)(sizeof why - 1)), from + sizeof why - 1);
    else
        snprintf(out, size, "%s", text);
}

rc_status_t rc_h5_fail(rc_err_t *err, const char *path, const char *what)
{
    char copy[200];
    const char *text = "no reason given";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, innermost, &text);
    shorten(text, copy, sizeof copy);
    return rc_fail(err, RC_ESTORE, "%s: %s: HDF5: %s", path, what, copy);
}

void rc_h5_silence(void)
{
    (void)H5dont_atexit(); /* MPI_Finalize ends HDF5, or nothing does: see rc_store_can_finish */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* ------------------------------------------------------------------ closing */

static herr_t close_any(hid_t id)
{
    switch (H5Iget_type(id)) {
    case H5I_ATTR:
        return H5Aclose(id);
    case H5I_DATASET:
        return H5Dclose(id);
    case H5I_DATASPACE:
        return H5Sclose(id);
    case H5I_DATATYPE:
        return H5Tclose(id);
    case H5I_GENPROP_LST:
        return H5Pclose(id);
    case H5I_GROUP:
        return H5Gclose(id);
    default:
        return -1;
    }
}

int rc_h5_drop(hid_t id)
{
    if (id < 0)
        return 1;
    /* each call of HDF5 forgets why the one before it failed */
    hid_t why = H5Eget_num(H5E_DEFAULT) > 0 ? H5Eget_current_stack() : -1;
    int ok = close_any(id) >= 0;
    if (why >= 0 && ok)
        (void)H5Eset_current_stack(why); /* which closes it */
    else if (why >= 0)
        (void)H5Eclose_stack(why);
    return ok;
}

hid_t rc_h5_kept(hid_t id, int ok)
{
    if (!ok)
        (void)rc_h5_drop(id);
    return ok ? id : -1;
}

int rc_h5_drop_all(int ok, const hid_t *id, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ok = rc_h5_drop(id[i]) && ok;
    return ok;
}

rc_status_t rc_h5_dropped(
    rc_status_t st, hid_t id, const char *path, const char *what, rc_err_t *err)
{
    return rc_h5_drop(id) || st < 0 ? st : rc_h5_fail(err, path, what);
}

rc_status_t rc_h5_end(hid_t file, const char *path, rc_err_t *err)
{
    return H5Fclose(file) < 0 ? rc_h5_fail(err, path, "cannot close the store") : RC_OK;
}

int rc_store_can_finish(void)
{
    /* HDF5 1.10 frees a file that it fails to close, keeps its id, and crashes over it at its end
     */
    return H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE) <= 0;
}

/* ------------------------------------------------------------------- types */

static hid_t text_type(size_t n)
{
    hid_t t = H5Tcopy(H5T_C_S1);
    return rc_h5_kept(t, t >= 0 && H5Tset_size(t, n) >= 0 &&
                             H5Tset_strpad(t, H5T_STR_NULLPAD) >= 0 &&
                             H5Tset_cset(t, H5T_CSET_UTF8) >= 0);
}

static hid_t enum_type(const char *const *names)
{
    hid_t t = H5Tenum_create(H5T_NATIVE_INT32);
    int ok = t >= 0;
    for (int32_t i = 0; ok && names[i]; i++)
        ok = H5Tenum_insert(t, names[i], &i) >= 0;
    return rc_h5_kept(t, ok);
}

hid_t rc_h5_field_type(const rc_schema_field_t *f)
{
    switch (f->type) {
    case RC_FT_INT32:
        return H5Tcopy(H5T_NATIVE_INT32);
    case RC_FT_INT64:
        return H5Tcopy(H5T_NATIVE_INT64);
    case RC_FT_FLOAT64:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case RC_FT_TEXT:
        return text_type(f->size);
    case RC_FT_ENUM:
        return enum_type(f->names);
    }
    return -1;
}

hid_t rc_h5_row_type(const rc_schema_table_t *t)
{
    if (t->fields == 0)
        return H5Tcopy(t->plain == RC_FT_INT64 ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE);
    hid_t row = H5Tcreate(H5T_COMPOUND, t->row_bytes);
    int ok = row >= 0;
    for (int i = 0; ok && i < t->fields; i++) {
        hid_t f = rc_h5_field_type(&t->field[i]);
        ok = f >= 0 && H5Tinsert(row, t->field[i].name, t->field[i].offset, f) >= 0;
        ok = RC_H5_DROP(ok, f);
    }
    return rc_h5_kept(row, ok);
}

/* -------------------------------------------------------------- attributes */

static int set_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = type < 0 || space < 0
                  ? -1
                  : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = a >= 0 && H5Awrite(a, type, value) >= 0;
    return RC_H5_DROP(ok, a, space);
}

int rc_h5_set_text(hid_t object, const char *name, const char *text)
{
    hid_t type = text_type(strlen(text) ? strlen(text) : 1);
    int ok = set_attribute(object, name, type, text);
    return RC_H5_DROP(ok, type);
}

static int set_int(hid_t object, const char *name, int32_t value)
{
    return set_attribute(object, name, H5T_NATIVE_INT32, &value);
}

int rc_h5_get_int(hid_t object, const char *name, int32_t *value)
{
    hid_t a = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    int ok = a >= 0 && H5Aread(a, H5T_NATIVE_INT32, value) >= 0;
    return RC_H5_DROP(ok, a);
}

/* Free with free(). */
char *rc_h5_get_text(hid_t object, const char *name)
{
    char *text = NULL;
    hid_t a = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t type = a >= 0 ? H5Aget_type(a) : -1;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        size_t n = H5Tget_size(type);
        text = rc_alloc0(n + 1, 1, "an attribute", NULL);
        if (text && H5Aread(a, type, text) < 0) {
            free(text);
            text = NULL;
        }
    }
    (void)RC_H5_DROP(1, type, a);
    return text;
}

/* The HDF5 Table Specification, with units and description beside each field's name. */
int rc_h5_describe(hid_t d, const rc_schema_table_t *t)
{
    char key[64];
    int ok = rc_h5_set_text(d, "CLASS", "TABLE") && rc_h5_set_text(d, "VERSION", "3.0") &&
             rc_h5_set_text(d, "TITLE", t->title);
    for (int i = 0; ok && i < t->fields; i++) {
        snprintf(key, sizeof key, "FIELD_%d_NAME", i);
        ok = rc_h5_set_text(d, key, t->field[i].name);
        if (ok && t->field[i].unit[0]) {
            snprintf(key, sizeof key, "FIELD_%d_UNITS", i);
            ok = rc_h5_set_text(d, key, t->field[i].unit);
        }
        if (ok) {
            snprintf(key, sizeof key, "FIELD_%d_DESCRIPTION", i);
            ok = rc_h5_set_text(d, key, t->field[i].help);
        }
    }
    return ok;
}

int rc_h5_set_version(hid_t file)
{
    return set_int(file, "schema_major", RC_SCHEMA_MAJOR) &&
           set_int(file, "schema_minor", RC_SCHEMA_MINOR);
}

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

size_t rc_h5_row_bytes(hid_t d, hid_t type, int64_t *rows)
{
    hsize_t dims[H5S_MAX_RANK];
    hid_t space = H5Dget_space(d);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    hssize_t values = rank < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    *rows = values < 0 ? -1 : rank == 0 ? values : (int64_t)dims[0];
    if (!rc_h5_drop(space))
        *rows = -1;
    return *rows > 0 ? (size_t)(values / *rows) * H5Tget_size(type) : 0;
}

/* ---------------------------------------------------------------- creation */

hid_t rc_h5_make_dataset(hid_t at, const rc_schema_table_t *t)
{
    hsize_t now[2] = {0, (hsize_t)t->columns};
    hsize_t max[2] = {H5S_UNLIMITED, (hsize_t)t->columns};
    hsize_t chunks[2] = {(hsize_t)t->chunk_rows, (hsize_t)t->columns};
    int rank = t->columns > 0 ? 2 : 1;
    hid_t d = -1;
    hid_t type = rc_h5_row_type(t);
    hid_t space = H5Screate_simple(rank, now, max);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    /* no time stamps inside the file: the same contents give the same file, for which chunks are
     * allocated when the dataset grows, too */
    if (type >= 0 && space >= 0 && create >= 0 && link >= 0 &&
        H5Pset_chunk(create, rank, chunks) >= 0 && H5Pset_obj_track_times(create, 0) >= 0 &&
        H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY) >= 0 &&
        H5Pset_create_intermediate_group(link, 1) >= 0)
        d = H5Dcreate2(at, t->path, type, space, link, create, H5P_DEFAULT);
    int ok = RC_H5_DROP(1, link, create, space, type);
    return rc_h5_kept(d, ok);
}

int rc_h5_make_table(hid_t at, const rc_schema_table_t *t)
{
    hid_t d = rc_h5_make_dataset(at, t);
    int ok = d >= 0 && rc_h5_describe(d, t);
    return RC_H5_DROP(ok, d);
}
