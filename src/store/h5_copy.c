#include "config.h"
#include "store/h5_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { DEFLATE_LEVEL = 9 };

typedef struct copy {
    const rc_h5_t *h;
    hid_t from;
    hid_t to;
    const char *path; /* of the new file, for messages */
    const rc_h5_copy_options_t *o;
    int64_t picked_samples;
    rc_status_t st;
    rc_err_t *err;
} copy_t;

/* --------------------------------------------------------------- attributes */

static herr_t copy_attribute(hid_t from, const char *name, const H5A_info_t *info, void *user)
{
    hid_t to = *(const hid_t *)user;
    (void)info;
    if (H5Aexists(to, name) > 0) /* of the schema, which words it anew */
        return 0;
    hid_t a = H5Aopen(from, name, H5P_DEFAULT);
    hid_t type = a < 0 ? -1 : H5Aget_type(a);
    hid_t space = a < 0 ? -1 : H5Aget_space(a);
    hsize_t bytes = a < 0 ? 0 : H5Aget_storage_size(a);
    void *value = rc_alloc0((size_t)bytes + 1, 1, "an attribute", NULL);
    hid_t b = type < 0 || space < 0 || !value
                  ? -1
                  : H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = b >= 0 && H5Aread(a, type, value) >= 0 && H5Awrite(b, type, value) >= 0;
    free(value);
    ok = RC_H5_DROP(ok, b, space, type, a);
    return ok ? 0 : -1;
}

static int copy_attributes(hid_t from, hid_t to)
{
    hsize_t at = 0;
    return H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_NATIVE, &at, copy_attribute, &to) >= 0;
}

/* ----------------------------------------------------------------- datasets */

/* As the old one, compressed or not.  Compressed chunks are allocated as they are written, because
 * their sizes are not known before; others when the dataset grows, as those of a new store. */
static hid_t creation_of(const copy_t *c, hid_t d)
{
    hid_t p = H5Dget_create_plist(d);
    /* no time stamps inside the file; what a file says of that is not read back */
    int ok = p >= 0 && H5Pset_obj_track_times(p, 0) >= 0;
    if (ok && H5Pget_layout(p) == H5D_CHUNKED) {
        ok = (H5Pget_nfilters(p) == 0 || H5Premove_filter(p, H5Z_FILTER_ALL) >= 0) &&
             H5Pset_alloc_time(p, c->o->compressed ? H5D_ALLOC_TIME_INCR : H5D_ALLOC_TIME_EARLY) >=
                 0;
        if (ok && c->o->compressed)
            ok = H5Pset_shuffle(p) >= 0 && H5Pset_deflate(p, DEFLATE_LEVEL) >= 0;
    }
    return rc_h5_kept(p, ok);
}

/* The n rows of /results that go into the copy move to the front, and point to their raw times
 * there.  They ascend, so none is overwritten before it has moved. */
static void pick_results(const copy_t *c, rc_row_result_t *row, size_t n)
{
    int64_t next = 0;
    for (size_t i = 0; i < n && (c->o->pick || !c->o->samples); i++) {
        const rc_h5_pick_t *p = c->o->pick ? &c->o->pick[i] : NULL;
        int has = c->o->samples && p && p->first >= 0;
        if (p)
            row[i] = row[p->row];
        row[i].sample_offset = has ? next : -1;
        next += has ? p->count : 0;
    }
}

/* The raw times of the picked rows, one after the other; NULL: no memory. */
static int64_t *pick_samples(const copy_t *c, const int64_t *ns)
{
    int64_t at = 0;
    int64_t *out = rc_alloc((size_t)c->picked_samples, sizeof *out, "raw times", NULL);
    for (int64_t i = 0; out && i < c->o->picks; i++) {
        const rc_h5_pick_t *p = &c->o->pick[i];
        if (p->first < 0 || p->count == 0)
            continue;
        memcpy(out + at, ns + p->first, (size_t)p->count * sizeof *ns);
        at += p->count;
    }
    return out;
}

/* Shape of the copy: of the old one, but with that many rows unless rows is -1. */
static hid_t space_of(hid_t d, int64_t rows, size_t *values)
{
    hsize_t now[H5S_MAX_RANK];
    hsize_t max[H5S_MAX_RANK];
    hid_t s = H5Dget_space(d);
    int rank = s < 0 ? -1 : H5Sget_simple_extent_dims(s, now, max);
    *values = 1;
    for (int i = 0; i < rank; i++) {
        now[i] = rows >= 0 && i == 0 ? (hsize_t)rows : now[i];
        *values *= (size_t)now[i];
    }
    return rc_h5_kept(s, rank == 0 || (rank > 0 && H5Sset_extent_simple(s, rank, now, max) >= 0));
}

static int is_results(const char *name)
{
    return strcmp(name, rc_schema[RC_T_RESULT].path + 1) == 0;
}

static int is_samples(const char *name)
{
    return strcmp(name, RC_SAMPLES_PATH + 1) == 0;
}

/* Write the n values of a dataset that go into the copy. */
static int copy_values(const copy_t *c, const char *name, hid_t d, hid_t e, hid_t type, size_t n)
{
    hid_t space = H5Dget_space(d);
    hssize_t all = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    void *values = all < 0 ? NULL : rc_alloc((size_t)all, H5Tget_size(type), name, NULL);
    void *picked = NULL;
    const rc_schema_table_t *t = rc_h5_table_at(name);
    int ok = values && (!t || rc_h5_set_missing(c->h, d, t, values, all, NULL) == RC_OK) &&
             H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    ok = rc_h5_drop(space) && ok;
    if (ok && is_results(name))
        pick_results(c, values, n);
    else if (ok && is_samples(name) && c->o->pick)
        ok = (picked = pick_samples(c, values)) != NULL;
    ok = ok && H5Dwrite(e, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, picked ? picked : values) >= 0;
    int64_t rows = 0;
    size_t bytes = rc_h5_row_bytes(e, type, &rows);
    if (ok)
        rc_contents_add(
            c->o->contents, RC_CONTENTS_ROWS, name, 0, picked ? picked : values, rows, bytes);
    free(picked);
    free(values);
    return ok;
}

/* Rows of a dataset in the copy; -1: all. */
static int64_t rows_of(const copy_t *c, const char *name)
{
    if (is_samples(name) && !c->o->samples)
        return 0;
    if (!c->o->pick)
        return -1;
    return is_results(name) ? c->o->picks : is_samples(name) ? c->picked_samples : -1;
}

static int copy_dataset(const copy_t *c, const char *name)
{
    size_t values = 0;
    const rc_schema_table_t *t = rc_h5_table_at(name);
    hid_t d = H5Dopen2(c->from, name, H5P_DEFAULT);
    hid_t type = d < 0 ? -1 : t ? rc_h5_row_type(t) : H5Dget_type(d);
    hid_t space = d < 0 ? -1 : space_of(d, rows_of(c, name), &values);
    hid_t create = d < 0 ? -1 : creation_of(c, d);
    hid_t e = type < 0 || space < 0 || create < 0
                  ? -1
                  : H5Dcreate2(c->to, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    int ok = e >= 0 && (!t || !t->fields || rc_h5_describe(e, t)) && copy_attributes(d, e);
    if (ok && values > 0)
        ok = copy_values(c, name, d, e, type, values);
    return RC_H5_DROP(ok, e, create, space, type, d);
}

static int copy_group(const copy_t *c, const char *name)
{
    int root = strcmp(name, ".") == 0;
    hid_t g = H5Gopen2(c->from, name, H5P_DEFAULT);
    hid_t h = root ? H5Gopen2(c->to, name, H5P_DEFAULT)
                   : H5Gcreate2(c->to, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = g >= 0 && h >= 0 && (!root || rc_h5_set_version(h)) && copy_attributes(g, h);
    return RC_H5_DROP(ok, h, g);
}

/* Parents come before what is in them. */
static herr_t copy_object(hid_t at, const char *name, const H5L_info_t *info, void *user)
{
    copy_t *c = user;
    (void)at;
    (void)info;
    hid_t object = H5Oopen(c->from, name, H5P_DEFAULT);
    H5I_type_t type = object < 0 ? H5I_BADID : H5Iget_type(object);
    int closed = rc_h5_drop(object);
    int ok = type == H5I_GROUP ? copy_group(c, name) : type == H5I_DATASET && copy_dataset(c, name);
    ok = ok && closed;
    if (!ok)
        c->st = rc_h5_fail(c->err, c->path, name);
    return ok ? 0 : -1;
}

/* ---------------------------------------------------------------- the file */

/* Picked rows and their raw times must be there: they are fetched without looking again. */
static rc_status_t check_picks(const rc_h5_t *h, copy_t *c)
{
    int64_t rows = 0;
    int64_t samples = 0;
    rc_status_t st = RC_OK;
    RC_PASS(rc_h5_rows(h, &rc_schema[RC_T_RESULT], &rows, c->err));
    RC_PASS(rc_h5_rows(h, &rc_schema_samples, &samples, c->err));
    for (int64_t i = 0; st == RC_OK && i < c->o->picks; i++) {
        const rc_h5_pick_t *p = &c->o->pick[i];
        if (p->row < (i ? p[-1].row + 1 : 0) || p->row >= rows)
            st = rc_fail(c->err, RC_ESTORE, "%s: row %lld of /results cannot be picked", h->path,
                (long long)p->row);
        else if (c->o->samples && p->first >= 0 &&
                 (p->count < 0 || p->first > samples || p->count > samples - p->first))
            st = rc_fail(c->err, RC_ESTORE, "%s: row %lld of /results points outside of %s",
                h->path, (long long)p->row, RC_SAMPLES_PATH);
        else
            c->picked_samples += p->first >= 0 ? p->count : 0;
    }
    return st;
}

rc_status_t rc_h5_copy(
    const rc_h5_t *from, const char *to, const rc_h5_copy_options_t *options, rc_err_t *err)
{
    copy_t c = {.h = from, .from = from->file, .to = -1, .path = to, .o = options, .err = err};
    if (options->compressed &&
        (H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0 || H5Zfilter_avail(H5Z_FILTER_SHUFFLE) <= 0))
        return rc_fail(err, RC_ENOTSUP, "this HDF5 was built without zlib: it cannot compress");
    if (options->pick)
        RC_PASS(check_picks(from, &c));
    RC_PASS(rc_h5_make_file(to, "cannot create the copy", &c.to, err));
    int ok = copy_group(&c, ".") &&
             H5Lvisit(c.from, H5_INDEX_NAME, H5_ITER_NATIVE, copy_object, &c) >= 0;
    if (!ok && c.st == RC_OK)
        c.st = rc_h5_fail(err, to, "cannot copy the store");
    if (c.st == RC_OK && options->contents)
        c.st = rc_h5_contents(options->contents, c.to, to, 0, err);
    rc_status_t closed = rc_h5_end(c.to, to, c.st < 0 ? NULL : err);
    return c.st < 0 ? c.st : closed;
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
