#include "config.h"
#include "catalog/list.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "io/mtx.h"
#include "sparse/generate.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a matrix may end in; when it is there in several forms the first is taken.  The last one holds the
 * spec of a generator instead of a matrix. */
static const char *const suffixes[] = {".mtx", ".mtx.zst", ".mtx.gz", ".mtx.xz", ".tar.gz", ".spec"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes, SPEC = SUFFIXES - 1 };

/* Files found so far, as entries; entry.id holds the suffix until files are merged. */
typedef struct finder {
    rc_catalog_builder_t found;
    rc_err_t *err;
} finder_t;

/* The suffix that a file name ends in, or -1; stem is the length before it. */
static int suffix_of(const char *name, size_t *stem)
{
    size_t n = strlen(name);
    for (int i = 0; i < SUFFIXES; i++) {
        size_t m = strlen(suffixes[i]);
        if (n > m && strcmp(name + n - m, suffixes[i]) == 0) {
            *stem = n - m;
            return i;
        }
    }
    return -1;
}

static char *join(const char *dir, const char *name, rc_err_t *err)
{
    rc_str_t s = {0};
    rc_str_addf(&s, "%s%s%s", dir, dir[0] && dir[strlen(dir) - 1] == '/' ? "" : "/", name);
    if (s.failed) {
        rc_str_free(&s);
        rc_fail(err, RC_ENOMEM, "no memory for a file name");
        return NULL;
    }
    return s.text;
}

/* Called for every name in a directory that does not start with a dot. */
typedef rc_status_t visit_fn(finder_t *f, const char *group, const char *path, const char *name);

static rc_status_t walk(finder_t *f, const char *dir, const char *group, visit_fn *visit)
{
    DIR *d = opendir(dir);
    if (!d)
        return rc_fail_errno(f->err, errno == ENOENT || errno == ENOTDIR ? RC_ENOENT : RC_EIO,
            errno, "cannot read the directory %s", dir);
    rc_status_t st = RC_OK;
    for (;;) {
        errno = 0;
        const struct dirent *e = readdir(d);
        if (!e) {
            if (errno)
                st = rc_fail_errno(f->err, RC_EIO, errno, "cannot read the directory %s", dir);
            break;
        }
        if (e->d_name[0] == '.')
            continue;
        char *path = join(dir, e->d_name, f->err);
        st = path ? visit(f, group, path, e->d_name) : RC_ENOMEM;
        free(path);
        if (st < 0)
            break;
    }
    closedir(d);
    return st;
}

/* The first line of a file, without blanks at its ends: "" when it cannot be read, which making the matrix
 * will say. */
static char *first_line(const char *path, rc_err_t *err)
{
    char line[1024] = "";
    FILE *in = fopen(path, "r");
    if (in) {
        if (!fgets(line, (int)sizeof line, in) || (!strchr(line, '\n') && !feof(in)))
            line[0] = '\0'; /* half of a line would be another matrix */
        (void)fclose(in);
    }
    size_t from = strspn(line, " \t\r\n");
    size_t end = strlen(line);
    while (end > from && strchr(" \t\r\n", line[end - 1]))
        line[--end] = '\0';
    return rc_strdup(line + from, err);
}

static rc_status_t visit_file(finder_t *f, const char *group, const char *path, const char *name)
{
    size_t stem;
    int suffix = suffix_of(name, &stem);
    if (suffix < 0)
        return RC_OK;
    struct stat s;
    int known = stat(path, &s) == 0;
    if (known && !S_ISREG(s.st_mode))
        return RC_OK;
    rc_status_t st;
    rc_entry_t *e;
    char *copy = suffix == SPEC ? first_line(path, f->err) : rc_strdup(path, f->err);
    char *matrix = copy ? rc_strdup(name, f->err) : NULL;
    if (!matrix) {
        free(copy);
        return RC_ENOMEM;
    }
    matrix[stem] = '\0';
    st = rc_catalog_append(&f->found, group, matrix, "", &e, f->err);
    free(matrix);
    if (st < 0) {
        free(copy);
        return st;
    }
    rc_entry_set_location(e, suffix == SPEC ? RC_WHERE_GENERATED : RC_WHERE_FILE, copy);
    e->id = suffix;
    if (suffix == SPEC) /* a newer generator makes another matrix */
        e->mtime_ns = rc_generator_version(e->location);
    if (known && suffix != SPEC) { /* a dangling link stays in: loading it will say what is wrong */
        e->bytes = (int64_t)s.st_size;
        e->mtime_ns = (int64_t)s.st_mtim.tv_sec * 1000000000 + (int64_t)s.st_mtim.tv_nsec;
    }
    return RC_OK;
}

static rc_status_t visit_group(finder_t *f, const char *group, const char *path, const char *name)
{
    (void)group;
    struct stat s;
    if (stat(path, &s) != 0)
        return errno == ENOENT ? RC_OK
                               : rc_fail_errno(f->err, RC_EIO, errno, "cannot read %s", path);
    return S_ISDIR(s.st_mode) ? walk(f, path, name, visit_file) : RC_OK;
}

static int compare_found(const void *a, const void *b)
{
    const rc_entry_t *x = a;
    const rc_entry_t *y = b;
    int order = rc_entry_compare(x, y);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* What the header of a file says; nothing when it cannot be read. */
static void describe(rc_entry_t *e)
{
    rc_mtx_info_t info = {.values_are_seeded = 0};
    int64_t rows;
    int64_t cols;
    int64_t entries;
    if (rc_mtx_peek(e->location, &rows, &cols, &entries, &info, NULL) < 0)
        return;
    int general = strcmp(info.symmetry, "general") == 0;
    e->rows = rows;
    e->cols = cols;
    /* half of a symmetric matrix is stored; its diagonal is counted twice here */
    e->nnz = general || entries > INT64_MAX / 2 ? entries : 2 * entries;
    e->real = strcmp(info.field, "complex") != 0;
    e->binary = strcmp(info.field, "pattern") == 0;
    if (!general)
        e->pattern_symmetry = 1;
    if (strcmp(info.symmetry, "symmetric") == 0)
        e->numerical_symmetry = 1;
}

/* Both sides sorted: entries of the index with their files, and files that it does not list. */
static rc_status_t merge(
    const rc_catalog_t *index, rc_catalog_t *files, rc_catalog_builder_t *b, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t i = 0;
    int64_t j = 0;
    int64_t listed = index ? index->count : 0;
    while (i < listed || j < files->count) {
        rc_entry_t *file = j < files->count ? &files->entry[j] : NULL;
        const rc_entry_t *line = i < listed ? &index->entry[i] : NULL;
        int order = !line ? 1 : !file ? -1 : rc_entry_compare(line, file);
        rc_entry_t *e;
        RC_TRY(rc_catalog_append_copy(b, order <= 0 ? line : file, &e, err));
        if (order == 0) {
            char *location = rc_strdup(file->location, err);
            if (!location) {
                st = RC_ENOMEM;
                goto done;
            }
            rc_entry_set_location(e, file->where, location);
            e->bytes = file->bytes;
            e->mtime_ns = file->mtime_ns;
        } else if (order > 0)
            e->id = 0;
        i += order <= 0;
        /* the other forms of the same matrix come behind the preferred one */
        for (j += order >= 0;
             order >= 0 && j < files->count && rc_entry_compare(file, &files->entry[j]) == 0;)
            j++;
    }
done:
    return st;
}

rc_status_t rc_catalog_scan(
    const char *dir, const rc_catalog_t *index, rc_catalog_t *out, rc_err_t *err)
{
    finder_t f = {.err = err};
    rc_catalog_builder_t b = {0};
    rc_catalog_t *files = &f.found.catalog;
    rc_status_t st;
    RC_TRY(walk(&f, dir, "", visit_group));
    if (files->count > 1)
        qsort(files->entry, (size_t)files->count, sizeof *files->entry, compare_found);
    RC_TRY(merge(index, files, &b, err));
    if (index)
        memcpy(b.catalog.revision, index->revision, sizeof b.catalog.revision);
        /* opening a compressed file takes about a millisecond */
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t i = 0; i < b.catalog.count; i++)
        if (b.catalog.entry[i].where == RC_WHERE_FILE && b.catalog.entry[i].id == 0)
            describe(&b.catalog.entry[i]);
done:
    rc_catalog_free(files);
    if (st < 0)
        rc_catalog_free(&b.catalog);
    else
        *out = b.catalog;
    return st;
}
