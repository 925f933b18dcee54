#include "config.h"
#include "store/h5_private.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "store/guard.h"
#include "store/held.h"
#include "store/journal.h"
#include "store/replace.h"
#include "store/seal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---------------------------------------------------------------- creation */

static int make_schema(hid_t file, int64_t created_ns)
{
    char stamp[21];
    rc_utc_text(created_ns, stamp);
    int ok = rc_h5_set_text(file, "format", RC_SCHEMA_FORMAT) && rc_h5_set_version(file) &&
             rc_h5_set_text(file, "created_utc", stamp) &&
             rc_h5_set_text(file, "writer", "rowcast " PACKAGE_VERSION);
    for (int i = 0; ok && i < RC_T_COUNT; i++)
        ok = rc_h5_make_table(file, &rc_schema[i]);
    hid_t d = ok ? rc_h5_make_dataset(file, &rc_schema_samples) : -1;
    ok = d >= 0 && rc_h5_set_text(d, "units", "ns") &&
         rc_h5_set_text(d, "description",
             "time of each batch; result rows point here with sample_offset and reps");
    ok = rc_h5_drop(d) && ok;
    hid_t g = ok ? H5Gcreate2(file, RC_FEATURES_PATH, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = g >= 0 && rc_h5_set_text(
                       g, "description", "one group per feature set: rows says what values is for");
    return RC_H5_DROP(ok, g);
}

static rc_status_t remember(rc_h5_t *h, const char *path, rc_err_t *err)
{
    memset(h, 0, sizeof *h);
    h->file = -1;
    return rc_strcpy(h->path, sizeof h->path, path, "the name of the store", err);
}

/* How files are opened: without HDF5's own flock(), which some file systems lack; what is written
 * to is a copy that nobody else has.  -1 on failure. */
static hid_t access_of_files(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    /* a dataset that could not be closed would keep the file open, and what is in memory
     * unwritten */
    int ok = access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_SEMI) >= 0;
#if H5_VERSION_GE(1, 10, 7)
    ok = ok && H5Pset_file_locking(access, 0, 1) >= 0;
#endif
    return rc_h5_kept(access, ok);
}

rc_status_t rc_h5_make_file(const char *path, const char *what, hid_t *file, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    /* HDF5 then makes it with O_EXCL, which follows no link */
    if (unlink(path) != 0 && errno != ENOENT)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot be removed", path);
    rc_h5_silence();
    hid_t access = access_of_files();
    if (access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0)
        *file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, access);
    if (*file < 0)
        st = rc_h5_fail(err, path, what);
    return rc_h5_dropped(st, access, path, what, err);
}

rc_status_t rc_h5_create(const char *path, int64_t created_ns, rc_h5_t *out, rc_err_t *err)
{
    rc_h5_t h;
    RC_PASS(remember(&h, path, err));
    RC_PASS(rc_h5_make_file(path, "cannot create the store", &h.file, err));
    if (!make_schema(h.file, created_ns)) {
        rc_status_t st = rc_h5_fail(err, path, "cannot write the schema");
        (void)rc_h5_end(h.file, path, NULL);
        return st;
    }
    *out = h;
    return RC_OK;
}

/* ----------------------------------------------------------------- opening */

/* Older versions are read as this one; of a newer one it is not known what its rows mean. */
static rc_status_t check_version(const rc_h5_t *h, rc_err_t *err)
{
    int32_t major = 0;
    int32_t minor = 0;
    (void)rc_h5_get_int(h->file, "schema_major", &major);
    (void)rc_h5_get_int(h->file, "schema_minor", &minor);
    int known = major < RC_SCHEMA_MAJOR || (major == RC_SCHEMA_MAJOR && minor <= RC_SCHEMA_MINOR);
    if (major >= 1 && minor >= 0 && known)
        return RC_OK;
    return rc_fail(err, RC_ESTORE, "%s: expected schema version %d.%d or older, found %d.%d%s",
        h->path, RC_SCHEMA_MAJOR, RC_SCHEMA_MINOR, (int)major, (int)minor,
        major > 0 ? "; use the rowcast that wrote it, or a newer one" : "");
}

static rc_status_t check_format(const rc_h5_t *h, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    char *format = rc_h5_get_text(h->file, "format");
    if (!format || strcmp(format, RC_SCHEMA_FORMAT) != 0)
        st = rc_fail(err, RC_ESTORE,
            "%s: expected a rowcast store, found an HDF5 file without the attribute format=\"%s\"",
            h->path, RC_SCHEMA_FORMAT);
    else
        st = check_version(h, err);
    free(format);
    return st;
}

/* What is under an open HDF5 file. */
static int stat_file(hid_t file, struct stat *out)
{
    void *handle = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle &&
           fstat(*(const int *)handle, out) == 0;
}

/* Check the bytes of a file, which holds the store, then let HDF5 see them.  RC_EBUSY: it was
 * replaced between the two. */
static rc_status_t open_checked(rc_h5_t *h, const char *file, int writable, rc_err_t *err)
{
    rc_seal_t seal;
    struct stat s;
    int fd;
    rc_status_t st = rc_open_file(file, RC_OPEN_GIVEN, 0, &fd, err);
    if (st == RC_ENOENT)
        return rc_fail(err, RC_EBUSY, "%s: is replaced again and again", h->path);
    if (st < 0)
        return st;
    h->reads = !writable && fstat(fd, &s) == 0;
    if (h->reads) {
        h->bytes = s.st_size;
        h->changed = s.st_mtim;
    }
    st = rc_seal_check(fd, file, NULL, NULL, &seal, err);
    if (st == RC_OK && !rc_guard_is_hdf5(fd))
        st = rc_fail(
            err, RC_ESTORE, "%s: expected a rowcast store, found a file that is not HDF5", h->path);
    if (st == RC_OK)
        st = rc_guard_closed(fd, h->path, err);
    if (st == RC_OK) {
        /* what is put under the name meanwhile, a FIFO that nobody writes to, is not waited for */
        char checked[32];
        snprintf(checked, sizeof checked, "/proc/self/fd/%d", fd);
        hid_t access = access_of_files();
        if (access >= 0 && writable)
            h->file = H5Fopen(file, H5F_ACC_RDWR, access);
        else if (access >= 0)
            h->file = H5Fopen(stat(checked, &s) == 0 ? checked : file, H5F_ACC_RDONLY, access);
        /* HDF5 asks for the path of a descriptor, and a file that was replaced has none */
        if (h->file < 0 && !rc_held_is(fd, file))
            st = rc_fail(err, RC_EBUSY, "%s: is replaced again and again", h->path);
        else if (h->file < 0)
            st = rc_h5_fail(err, h->path, "cannot open the store");
        if (!rc_h5_drop(access) && st == RC_OK)
            st = rc_h5_fail(err, h->path, "cannot open the store");
        struct stat opened; /* it is the file that was checked */
        if (h->file >= 0 && (!stat_file(h->file, &opened) || fstat(fd, &s) != 0 ||
                                opened.st_dev != s.st_dev || opened.st_ino != s.st_ino)) {
            (void)rc_h5_close(h, NULL);
            st = rc_fail(err, RC_EBUSY, "%s: is replaced again and again", h->path);
        }
    }
    close(fd);
    return st;
}

/* There is no store: a sweep that has not committed yet has journals. */
static rc_status_t no_store(const char *path, int why, rc_err_t *err)
{
    char *dir = why == ENOENT ? rc_journal_dir(path, NULL) : NULL;
    rc_status_t st = why == ENOENT ? RC_ENOENT : RC_EIO;
    if (dir && access(dir, F_OK) == 0)
        rc_fail(err, st,
            "%s: no store yet, but journals: 'rowcast status %s' shows how far the sweep is, "
            "'rowcast fold %s' makes the store of what is finished",
            path, path, path);
    else
        rc_fail_errno(err, st, why, "%s: cannot open the store", path);
    free(dir);
    return st;
}

rc_status_t rc_h5_open(const char *path, int writable, rc_h5_t *out, rc_err_t *err)
{
    enum { attempts = 20 };
    rc_h5_t h;
    RC_PASS(remember(&h, path, err));
    struct stat s;
    if (stat(path, &s) != 0)
        return no_store(path, errno, err);
    if (!S_ISREG(s.st_mode))
        return rc_fail(
            err, RC_ESTORE, "%s: expected a store, found %s", path, rc_open_kind(s.st_mode));
    rc_h5_silence();
    rc_status_t st = RC_EBUSY;
    for (int i = 0; i < attempts && st == RC_EBUSY; i++) {
        char *file = NULL;
        st = rc_replace_readable(path, &file, err);
        if (st == RC_OK)
            st = open_checked(&h, file, writable, err);
        free(file);
    }
    if (st == RC_EBUSY && stat(path, &s) != 0) /* it was removed, not replaced */
        st = no_store(path, errno, err);
    if (st == RC_OK)
        st = check_format(&h, err);
    if (st < 0)
        (void)rc_h5_close(&h, NULL);
    else
        *out = h;
    return st;
}

rc_status_t rc_h5_about(const rc_h5_t *h, rc_h5_about_t *out, rc_err_t *err)
{
    struct tm t = {0};
    char *stamp = rc_h5_get_text(h->file, "created_utc");
    const char *end = stamp ? strptime(stamp, "%Y-%m-%dT%H:%M:%SZ", &t) : NULL;
    int ok = end && *end == '\0';
    rc_status_t st = RC_OK;
    if (!ok)
        st = rc_fail(err, RC_ESTORE,
            "%s: expected a time such as 2026-01-31T12:00:00Z as attribute created_utc, found "
            "'%.40s'",
            h->path, stamp ? stamp : "");
    else if (!rc_h5_get_int(h->file, "schema_major", &out->major) ||
             !rc_h5_get_int(h->file, "schema_minor", &out->minor))
        st = rc_fail(err, RC_ESTORE,
            "%s: expected attributes schema_major and schema_minor, found not both", h->path);
    out->created_ns = ok ? (int64_t)timegm(&t) * INT64_C(1000000000) : 0;
    free(stamp);
    return st;
}

rc_status_t rc_h5_unchanged(const rc_h5_t *h, rc_err_t *err)
{
    struct stat s;
    if (!h->reads)
        return RC_OK;
    if (!stat_file(h->file, &s))
        return rc_h5_fail(err, h->path, "cannot look at the store");
    return s.st_size == h->bytes && s.st_mtim.tv_sec == h->changed.tv_sec &&
                   s.st_mtim.tv_nsec == h->changed.tv_nsec
               ? RC_OK
               : rc_fail(err, RC_EBUSY, "%s: was written while it was read: do it again", h->path);
}

rc_status_t rc_h5_close(rc_h5_t *h, rc_err_t *err)
{
    hid_t file = h->file;
    rc_status_t st = RC_OK;
    if (file >= 0)
        st = rc_h5_unchanged(h, err);
    h->file = -1;
    if (st == RC_OK && file >= 0 && h->contents)
        st = rc_h5_contents(h->contents, file, h->path, 0, err);
    rc_status_t closed = file >= 0 ? rc_h5_end(file, h->path, st < 0 ? NULL : err) : RC_OK;
    return st < 0 ? st : closed;
}

rc_status_t rc_h5_closed(rc_status_t st, rc_h5_t *h, rc_err_t *err)
{
    rc_err_t why = {0};
    rc_status_t closed = rc_h5_close(h, &why);
    /* that a store changed under its reader says more than what the reader made of it */
    if (closed < 0 && err && (st >= 0 || closed == RC_EBUSY))
        *err = why;
    return closed == RC_EBUSY || st >= 0 ? closed : st;
}

/* -------------------------------------------------------------------- rows */

/* Rows of a dataset, -1 on failure. */
static int64_t extent(hid_t d)
{
    hsize_t dims[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(d);
    int ok = space >= 0 && H5Sget_simple_extent_dims(space, dims, NULL) > 0 &&
             dims[0] <= (hsize_t)INT64_MAX;
    ok = rc_h5_drop(space) && ok;
    return ok ? (int64_t)dims[0] : -1;
}

/* 0: the dataset has stored too little to hold that many rows: its extent is not to be believed,
 * nor to be allocated. */
static int holds(hid_t d, int64_t rows, size_t row_bytes)
{
    enum { deflate_most = 1100 }; /* 1032 is the most that deflate can do */
    hsize_t stored = H5Dget_storage_size(d);
    return rows == 0 || (stored > 0 && (double)rows * (double)row_bytes <=
                                           (double)deflate_most * (double)stored);
}

rc_status_t rc_h5_rows(const rc_h5_t *h, const rc_schema_table_t *t, int64_t *rows, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    hid_t d = H5Dopen2(h->file, t->path, H5P_DEFAULT);
    *rows = d < 0 ? -1 : extent(d);
    if (*rows < 0)
        st = rc_h5_fail(err, h->path, t->path);
    else if (!holds(d, *rows, t->row_bytes))
        st = rc_fail(err, RC_ESTORE, "%s: %s: says that it has %lld rows, and does not hold them",
            h->path, t->path, (long long)*rows);
    return rc_h5_dropped(st, d, h->path, t->path, err);
}

/* The rows [first, first + n) of a dataset of any rank as a selection of its space, which is
 * returned, with a space for them in memory; -1 on failure. */
static hid_t select_rows(hid_t d, int64_t first, int64_t n, hid_t *mem)
{
    hsize_t at[H5S_MAX_RANK] = {(hsize_t)first};
    hsize_t count[H5S_MAX_RANK];
    hid_t file = H5Dget_space(d);
    int rank = file < 0 ? -1 : H5Sget_simple_extent_dims(file, count, NULL);
    int ok = rank >= 0;
    *mem = -1;
    if (rank == 0)
        *mem = H5Scopy(file);
    if (rank > 0) {
        count[0] = (hsize_t)n;
        *mem = H5Screate_simple(rank, count, NULL);
        ok = H5Sselect_hyperslab(file, H5S_SELECT_SET, at, NULL, count, NULL) >= 0;
    }
    if (ok && *mem >= 0)
        return file;
    (void)rc_h5_drop(file);
    return -1;
}

int rc_h5_read_piece(hid_t d, hid_t type, int64_t first, int64_t n, void *to)
{
    hid_t mem;
    hid_t file = select_rows(d, first, n, &mem);
    int ok = file >= 0 && H5Dread(d, type, mem, file, H5P_DEFAULT, to) >= 0;
    return RC_H5_DROP(ok, mem, file);
}

rc_status_t rc_h5_read_rows(const rc_h5_t *h, const rc_schema_table_t *t, int64_t first,
    int64_t count, void *rows, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    hid_t type = rc_h5_row_type(t);
    hid_t d = H5Dopen2(h->file, t->path, H5P_DEFAULT);
    int64_t all = type < 0 || d < 0 ? -1 : extent(d);
    if (all < 0)
        st = rc_h5_fail(err, h->path, t->path);
    else if (first < 0 || count < 0 || first > all || count > all - first)
        st = rc_fail(err, RC_ESTORE, "%s: %s: has %lld rows, and not %lld from row %lld", h->path,
            t->path, (long long)all, (long long)count, (long long)first);
    else
        st = rc_h5_set_missing(h, d, t, rows, count, err);
    if (st == RC_OK && count > 0 && !rc_h5_read_piece(d, type, first, count, rows))
        st = rc_h5_fail(err, h->path, t->path);
    st = rc_h5_dropped(st, d, h->path, t->path, err);
    return rc_h5_dropped(st, type, h->path, t->path, err);
}

rc_status_t rc_h5_read(
    const rc_h5_t *h, const rc_schema_table_t *t, void **rows, int64_t *count, rc_err_t *err)
{
    int64_t n = 0;
    RC_PASS(rc_h5_rows(h, t, &n, err));
    void *p = rc_alloc0((size_t)n, t->row_bytes, t->title, err);
    rc_status_t st = p ? rc_h5_read_rows(h, t, 0, n, p, err) : RC_ENOMEM;
    if (st < 0) {
        free(p);
        return st;
    }
    *rows = p;
    *count = n;
    return RC_OK;
}

/* Make a dataset have `rows` rows, of which the last n are written. */
static rc_status_t write_rows(const rc_h5_t *h, const rc_schema_table_t *t, hid_t d,
    const void *from, int64_t n, int64_t rows, rc_err_t *err)
{
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)t->columns};
    hid_t type = rc_h5_row_type(t);
    hid_t mem = -1;
    hid_t file = -1;
    int ok = type >= 0 && H5Dset_extent(d, dims) >= 0;
    if (ok && n > 0) {
        file = select_rows(d, rows - n, n, &mem);
        ok = file >= 0 && H5Dwrite(d, type, mem, file, H5P_DEFAULT, from) >= 0;
    }
    /* part of it is only written as the dataset is closed */
    ok = RC_H5_DROP(ok, mem, file, d, type);
    return ok ? RC_OK : rc_h5_fail(err, h->path, t->path);
}

rc_status_t rc_h5_replace(
    const rc_h5_t *h, const rc_schema_table_t *t, const void *rows, int64_t count, rc_err_t *err)
{
    hid_t d = H5Dopen2(h->file, t->path, H5P_DEFAULT);
    if (d < 0)
        return rc_h5_fail(err, h->path, t->path);
    rc_contents_forget(h->contents, t->path);
    rc_contents_add(h->contents, RC_CONTENTS_ROWS, t->path, 0, rows, count, t->row_bytes);
    return write_rows(h, t, d, rows, count, count, err);
}

rc_status_t rc_h5_append(const rc_h5_t *h, const rc_schema_table_t *t, const void *rows, int64_t n,
    int64_t *first, rc_err_t *err)
{
    if (first)
        *first = 0;
    if (n == 0)
        return RC_OK;
    hid_t d = H5Dopen2(h->file, t->path, H5P_DEFAULT);
    int64_t base = d < 0 ? -1 : extent(d);
    if (base < 0)
        return rc_h5_dropped(rc_h5_fail(err, h->path, t->path), d, h->path, t->path, err);
    if (first)
        *first = base;
    rc_contents_add(h->contents, RC_CONTENTS_ROWS, t->path, base, rows, n, t->row_bytes);
    return write_rows(h, t, d, rows, n, base + n, err);
}
