#include "config.h"
#include "catalog/list.h"

#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "base/threads.h"
#include "io/mtx.h"
#include "sparse/generate.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a matrix may end in, then rc_mtx_tar_endings, what these unpack to, other formats, and the
 * spec of a generator; when it is there in several forms the first is taken. */
static const char *const suffixes[] = {".mtx", ".mtx.zst", ".mtx.gz", ".mtx.xz", ".mtx.bz2"};
static const char *const others[] = {".npz", ".mat", ".spec"};
enum {
    SUFFIXES = sizeof suffixes / sizeof *suffixes,
    OTHERS = sizeof others / sizeof *others,
    NAMED = -1, /* by the user: before all */
    UNPACKED = 100,
    OTHER = 200,
    SPEC = OTHER + OTHERS - 1
};

/* What is no matrix to be listed. */
enum { PASSED_OTHER, PASSED_BESIDE, PASSED_FORM, PASSED_KINDS };

typedef struct passed {
    int64_t count;
    rc_str_t first; /* names of the first few */
} passed_t;

/* Files found so far, as entries; entry.id holds the form until files are merged. */
typedef struct finder {
    rc_catalog_t found;
    const char *dir; /* the place that is looked at */
    int places;      /* that the user named, files too; 0: it is a folder */
    passed_t passed[PASSED_KINDS];
    rc_err_t *err;
} finder_t;

static void pass_over(finder_t *f, int kind, const char *name)
{
    enum { named = 3 };
    passed_t *p = &f->passed[kind];
    if (p->count++ < named)
        rc_str_addf(&p->first, "%s%s", p->first.len ? ", " : "", name);
}

/* A path without the folder of the collection that it is in. */
static const char *below(const finder_t *f, const char *path)
{
    size_t n = strlen(f->dir);
    return strncmp(path, f->dir, n) == 0 ? path + n + strspn(path + n, "/") : path;
}

static int ends_in(const char *name, const char *suffix, size_t *stem)
{
    size_t n = strlen(name);
    size_t m = strlen(suffix);
    *stem = n - m;
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* The form that a file name says, or -1; stem is the length before its suffix. */
static int form_of(const char *name, size_t *stem)
{
    for (int i = 0; i < SUFFIXES; i++)
        if (ends_in(name, suffixes[i], stem))
            return i;
    for (int i = 0; rc_mtx_tar_endings[i]; i++)
        if (ends_in(name, rc_mtx_tar_endings[i], stem))
            return SUFFIXES + i;
    for (int i = 0; i < OTHERS; i++)
        if (ends_in(name, others[i], stem))
            return OTHER + i;
    return -1;
}

/* Folders of a collection, one within the other. */
typedef enum level { COLLECTION, GROUP, MATRIX } level_t;

typedef struct folder {
    level_t level;
    const char *path;
    const char *group; /* of what is in it */
    const char *name;
} folder_t;

static rc_status_t visit(finder_t *f, const folder_t *in, const char *path, const char *name);

/* Visit every name in a folder that does not start with a dot. */
static rc_status_t walk(finder_t *f, const folder_t *in)
{
    DIR *d = opendir(in->path);
    if (!d && in->level == MATRIX) { /* one that cannot be read is no matter of the others */
        pass_over(f, PASSED_OTHER, below(f, in->path));
        return RC_OK;
    }
    if (!d)
        return rc_fail_errno(f->err, errno == ENOENT || errno == ENOTDIR ? RC_ENOENT : RC_EIO,
            errno, "cannot read the directory %s", in->path);
    rc_status_t st = RC_OK;
    for (;;) {
        errno = 0;
        const struct dirent *e = readdir(d);
        if (!e) {
            if (errno)
                st = rc_fail_errno(f->err, RC_EIO, errno, "cannot read the directory %s", in->path);
            break;
        }
        if (e->d_name[0] == '.')
            continue;
        const char *slash = in->path[0] && in->path[strlen(in->path) - 1] == '/' ? "" : "/";
        char *path = rc_strf("a file name", f->err, "%s%s%s", in->path, slash, e->d_name);
        st = path ? visit(f, in, path, e->d_name) : RC_ENOMEM;
        free(path);
        if (st < 0)
            break;
    }
    closedir(d);
    return st;
}

/* The first line of a file, without blanks at its ends: "" when it cannot be read, which making the
 * matrix will say. */
static char *first_line(const char *path, rc_err_t *err)
{
    char line[1024] = "";
    FILE *in;
    if (rc_open_given(path, &in, NULL) == RC_OK) {
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

/* \param s  of the file; NULL: a dangling link, which stays in: loading it will say what is
 * wrong */
static rc_status_t add_file(finder_t *f, const char *group, const char *path, const char *name,
    size_t stem, int form, const struct stat *s)
{
    rc_entry_t *e;
    char *matrix = rc_strf("a matrix name", f->err, "%.*s", (int)stem, name);
    char *spec = form == SPEC ? first_line(path, f->err) : NULL;
    rc_status_t st = matrix && (spec || form != SPEC)
                         ? rc_catalog_append(&f->found, group, matrix, "", &e, f->err)
                         : RC_ENOMEM;
    if (st == RC_OK)
        st = rc_entry_set_location(
            e, spec ? RC_WHERE_GENERATED : RC_WHERE_FILE, spec ? spec : path, f->err);
    free(matrix);
    free(spec);
    if (st < 0)
        return st;
    e->id = form;
    if (form == SPEC) /* a newer generator makes another matrix */
        e->mtime_ns = rc_generator_version(e->location);
    else if (s) {
        e->bytes = (int64_t)s->st_size;
        e->mtime_ns = (int64_t)s->st_mtim.tv_sec * 1000000000 + (int64_t)s->st_mtim.tv_nsec;
    }
    return RC_OK;
}

/* In DIR: a group, or a matrix whose group is the name of DIR; in DIR/Group: a matrix, or what an
 * archive unpacked to; in DIR/Group/Name: Name.mtx. */
static rc_status_t visit(finder_t *f, const folder_t *in, const char *path, const char *name)
{
    struct stat s;
    size_t stem;
    int known = stat(path, &s) == 0;
    if (!known && in->level == COLLECTION)
        return errno == ENOENT ? RC_OK
                               : rc_fail_errno(f->err, RC_EIO, errno, "cannot read %s", path);
    if (known && S_ISDIR(s.st_mode) && in->level != MATRIX)
        return walk(
            f, &(folder_t){in->level + 1, path, in->level == COLLECTION ? name : in->group, name});
    if (in->level == COLLECTION &&
        (strcmp(name, "ssstats.csv") == 0 || strcmp(name, "manifest.jsonl") == 0))
        return RC_OK; /* fetch keeps them beside the matrices */
    int form = form_of(name, &stem);
    int is_matrix = form >= 0 && (!known || S_ISREG(s.st_mode));
    if (in->level == MATRIX)
        is_matrix = is_matrix && known && form != SPEC && strlen(in->name) == stem &&
                    strncmp(name, in->name, stem) == 0;
    if (is_matrix)
        return add_file(f, in->group, path, name, stem,
            in->level == MATRIX ? UNPACKED + form : form, known ? &s : NULL);
    pass_over(f, in->level == MATRIX ? PASSED_BESIDE : PASSED_OTHER, below(f, path));
    return RC_OK;
}

/* What a folder is called, or the one `below` it, whatever it was named by. */
static char *own_name(const char *dir, const char *below, rc_err_t *err)
{
    char *full = rc_strf("a folder", err, "%s/%s", dir, below);
    char *path = full ? realpath(full, NULL) : NULL;
    free(full);
    const char *slash = path ? strrchr(path, '/') : NULL;
    char *own = rc_strdup(slash && slash[1] ? slash + 1 : "files", err);
    free(path);
    return own;
}

/* A file that the user named: its group is its folder, or the one above that of what an archive
 * unpacked to. */
static rc_status_t add_named(finder_t *f, const char *path, const struct stat *s)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t stem;
    int form = form_of(name, &stem);
    if (form < 0)
        stem = strlen(name);
    char *dir =
        rc_strf("a folder", f->err, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    char *group = dir ? own_name(dir, ".", f->err) : NULL;
    if (group && strlen(group) == stem && strncmp(group, name, stem) == 0) {
        free(group);
        group = own_name(dir, "..", f->err);
    }
    rc_status_t st = group ? add_file(f, group, path, name, stem, form, s) : RC_ENOMEM;
    if (st == RC_OK)
        f->found.entry[f->found.count - 1].id = NAMED;
    free(dir);
    free(group);
    return st;
}

static rc_status_t look(finder_t *f, const char *place)
{
    struct stat s;
    f->dir = place;
    if (f->places > 0 && stat(place, &s) == 0 && S_ISREG(s.st_mode))
        return add_named(f, place, &s);
    char *own = own_name(place, ".", f->err);
    rc_status_t st = own ? walk(f, &(folder_t){COLLECTION, place, own, own}) : RC_ENOMEM;
    free(own);
    return st;
}

/* "3 files ... (a, b, c, ...), ..." of all that was passed over; NULL when nothing was. */
static rc_status_t tell_passed(const finder_t *f, char **out, rc_err_t *err)
{
    static const char *const what[][2] = {{"other file or folder", "other files or folders"},
        {"file beside an unpacked matrix", "files beside unpacked matrices"},
        {"further form of a matrix", "further forms of matrices"}};
    rc_str_t s = {0};
    for (int k = 0; k < PASSED_KINDS; k++) {
        const passed_t *p = &f->passed[k];
        if (p->count > 0)
            rc_str_addf(&s, "%s%" PRId64 " %s (%s%s)", s.len ? ", " : "", p->count,
                what[k][p->count > 1], p->first.text ? p->first.text : "",
                p->count > 3 ? ", ..." : "");
        if (p->first.failed || s.failed) {
            rc_str_free(&s);
            return rc_fail(err, RC_ENOMEM, "no memory for the names of files");
        }
    }
    *out = s.text;
    return RC_OK;
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
static rc_status_t merge(finder_t *f, const rc_catalog_t *index, rc_catalog_t *b, rc_err_t *err)
{
    rc_catalog_t *files = &f->found;
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
            RC_TRY(rc_entry_set_location(e, file->where, file->location, err));
            e->bytes = file->bytes;
            e->mtime_ns = file->mtime_ns;
        } else if (order > 0)
            e->id = 0;
        i += order <= 0;
        /* the other forms of the same matrix come behind the preferred one */
        for (j += order >= 0;
             order >= 0 && j < files->count && rc_entry_compare(file, &files->entry[j]) == 0; j++) {
            const rc_entry_t *other = &files->entry[j];
            if (strcmp(other->location, file->location) == 0)
                continue; /* in two places that the user named */
            if (f->places > 1 && other->id == file->id)
                RC_TRY(rc_fail(err, RC_EINVAL, "expected one file of %s, found '%s' and '%s'",
                    file->name, file->location, other->location));
            pass_over(f, PASSED_FORM,
                other->where == RC_WHERE_FILE ? below(f, other->location) : other->name);
        }
    }
done:
    return st;
}

/* \param[in] f  with what is to be known before */
static rc_status_t scan(finder_t f, const char *const *place, const rc_catalog_t *index,
    rc_catalog_t *out, rc_err_t *err)
{
    rc_catalog_t b = {0};
    rc_catalog_t *files = &f.found;
    rc_status_t st;
    for (int i = 0; i < f.places || i == 0; i++)
        RC_TRY(look(&f, place[i]));
    if (files->count > 1)
        qsort(files->entry, (size_t)files->count, sizeof *files->entry, compare_found);
    RC_TRY(merge(&f, index, &b, err));
    RC_TRY(tell_passed(&f, &b.passed, err));
    if (index)
        memcpy(b.revision, index->revision, sizeof b.revision);
        /* opening a compressed file takes about a millisecond */
#pragma omp parallel for num_threads(rc_thread_count(0)) schedule(dynamic, 4)
    for (int64_t i = 0; i < b.count; i++)
        if (b.entry[i].where == RC_WHERE_FILE && b.entry[i].id == 0)
            describe(&b.entry[i]);
done:
    for (int k = 0; k < PASSED_KINDS; k++)
        rc_str_free(&f.passed[k].first);
    rc_catalog_free(files);
    if (st < 0)
        rc_catalog_free(&b);
    else
        *out = b;
    return st;
}

rc_status_t rc_catalog_scan(
    const char *dir, const rc_catalog_t *index, rc_catalog_t *out, rc_err_t *err)
{
    return scan((finder_t){.err = err}, &dir, index, out, err);
}

rc_status_t rc_catalog_scan_all(const char *const *place, int places, const rc_catalog_t *index,
    rc_catalog_t *out, rc_err_t *err)
{
    return scan((finder_t){.err = err, .places = places}, place, index, out, err);
}
