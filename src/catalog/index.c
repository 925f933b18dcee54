#include "config.h"
#include "catalog/list.h"

#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a column holds, and where in an entry. */
typedef enum form { PATH, COUNT, FLAG, SHARE, TEXT } form_t;

/* Columns of a line; the kind is what stands between the columns before it and the last one, so a
 * kind may hold commas. */
enum { GROUP, NAME, NNZ = 4, KIND = 11, PATTERN_NNZ, COLUMNS };
#define AT(member) offsetof(rc_entry_t, member)
static const struct {
    const char *name;
    form_t form;
    size_t at;
} columns[COLUMNS] = {
    [GROUP] = {"group", PATH, 0},
    [NAME] = {"name", PATH, 0},
    {"rows", COUNT, AT(rows)},
    {"cols", COUNT, AT(cols)},
    [NNZ] = {"nnz", COUNT, AT(nnz)},
    {"isReal", FLAG, AT(real)},
    {"isBinary", FLAG, AT(binary)},
    {"isND", FLAG, AT(nd)},
    {"posdef", FLAG, AT(posdef)},
    {"pattern symmetry", SHARE, AT(pattern_symmetry)},
    {"numerical symmetry", SHARE, AT(numerical_symmetry)},
    [KIND] = {"kind", TEXT, 0},
    [PATTERN_NNZ] = {"pattern entries", COUNT, AT(pattern_nnz)},
};

typedef struct reader {
    const char *path;
    FILE *file;
    char *line;
    size_t capacity;
    int64_t number; /* of the line, from 1 */
    rc_err_t *err;
} reader_t;

/* The next line without its end.  1: there is one; 0: end of the file; negative: a status. */
static int next_line(reader_t *r)
{
    errno = 0;
    ssize_t n = getline(&r->line, &r->capacity, r->file);
    if (n < 0) {
        if (errno == ENOMEM)
            return rc_fail(r->err, RC_ENOMEM, "no memory for a line of %s", r->path);
        if (ferror(r->file))
            return rc_fail_errno(r->err, RC_EIO, errno, "cannot read %s", r->path);
        return 0;
    }
    r->number++;
    if (strlen(r->line) != (size_t)n)
        return rc_fail(r->err, RC_EFORMAT, "%s:%" PRId64 ": expected text, found a zero byte",
            r->path, r->number);
    while (n > 0 && (r->line[n - 1] == '\n' || r->line[n - 1] == '\r'))
        r->line[--n] = '\0';
    return 1;
}

static rc_status_t bad_column(
    const reader_t *r, int column, const char *expected, const char *found)
{
    return rc_fail(r->err, RC_EFORMAT, "%s:%" PRId64 ": column %d (%s): expected %s, found '%.60s'",
        r->path, r->number, column + 1, columns[column].name, expected, found);
}

/* Cut the line into its columns, in place. */
static rc_status_t split(reader_t *r, char *column[COLUMNS])
{
    char *at = r->line;
    int found = 1;
    for (const char *c = r->line; *c; c++)
        found += *c == ',';
    if (found < COLUMNS)
        return rc_fail(r->err, RC_EFORMAT,
            "%s:%" PRId64 ": expected %d columns separated by commas, found %d", r->path, r->number,
            COLUMNS, found);
    for (int i = 0; i < KIND; i++) {
        char *comma = strchr(at, ',');
        *comma = '\0';
        column[i] = at;
        at = comma + 1;
    }
    char *last = strrchr(at, ',');
    *last = '\0';
    column[KIND] = at;
    column[PATTERN_NNZ] = last + 1;
    return RC_OK;
}

/* Group and name become parts of a path. */
static int is_path_part(const char *text)
{
    int ok = *text && *text != '.' && !strchr(text, '/');
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            ok = 0;
    return ok;
}

static rc_status_t parse(const reader_t *r, int i, const char *text, rc_entry_t *e)
{
    char *to = (char *)e + columns[i].at;
    int64_t count = 0;
    double share = 0;
    switch (columns[i].form) {
    case PATH:
        if (!is_path_part(text))
            return bad_column(r, i, "a name without blanks, '/' or leading dot", text);
        break;
    case COUNT:
        if (rc_parse_int(text, 0, INT64_MAX, "", &count, NULL) < 0)
            return bad_column(r, i, "a whole number of at least 0", text);
        memcpy(to, &count, sizeof count);
        break;
    case FLAG:
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            return bad_column(r, i, "0 or 1", text);
        memcpy(to, &(int){text[0] == '1'}, sizeof(int));
        break;
    case SHARE:
        if (rc_parse_double(text, "", &share, NULL) < 0 || !(share >= 0 && share <= 1))
            return bad_column(r, i, "a number from 0 to 1", text);
        memcpy(to, &share, sizeof share);
        break;
    case TEXT:
        break;
    }
    return RC_OK;
}

static rc_status_t read_entry(reader_t *r, rc_catalog_t *b)
{
    char *column[COLUMNS] = {NULL};
    rc_entry_t *e;
    RC_PASS(split(r, column));
    RC_PASS(rc_catalog_append(b, column[GROUP], column[NAME], column[KIND], &e, r->err));
    for (int i = 0; i < COLUMNS; i++)
        RC_PASS(parse(r, i, column[i], e));
    if (e->pattern_nnz < e->nnz)
        return bad_column(r, PATTERN_NNZ, "at least as many as nnz", column[PATTERN_NNZ]);
    e->id = b->count;
    return RC_OK;
}

static rc_status_t read_all(reader_t *r, rc_catalog_t *b)
{
    static const char *const head[] = {"the number of matrices", "the date of the index"};
    int more;
    int64_t announced = 0;
    for (int i = 0; i < 2; i++) {
        if ((more = next_line(r)) < 0)
            return (rc_status_t)more;
        int is =
            more && (i == 0 ? rc_parse_int(r->line, 0, INT64_MAX, "", &announced, NULL) == RC_OK
                            : r->line[0] && strlen(r->line) < sizeof b->revision);
        if (!is)
            return rc_fail(r->err, RC_EFORMAT, "%s:%d: expected %s, found '%.60s'", r->path, i + 1,
                head[i], more ? r->line : "end of file");
    }
    memcpy(b->revision, r->line, strlen(r->line) + 1);
    while ((more = next_line(r)) > 0)
        RC_PASS(read_entry(r, b));
    if (more < 0)
        return (rc_status_t)more;
    if (b->count != announced)
        return rc_fail(r->err, RC_EFORMAT,
            "%s:%" PRId64 ": expected %" PRId64 " matrices (line 1), found %" PRId64, r->path,
            r->number, announced, b->count);
    return RC_OK;
}

/* Sorted entries: the first name that is there twice. */
static rc_status_t check_unique(const char *path, const rc_catalog_t *c, rc_err_t *err)
{
    for (int64_t i = 1; i < c->count; i++)
        if (rc_entry_compare(&c->entry[i - 1], &c->entry[i]) == 0) {
            int64_t x = c->entry[i - 1].id;
            int64_t y = c->entry[i].id;
            return rc_fail(err, RC_EFORMAT,
                "%s:%" PRId64 ": expected every matrix once, found %s of line %" PRId64 " again",
                path, (x > y ? x : y) + 2, c->entry[i].name, (x > y ? y : x) + 2);
        }
    return RC_OK;
}

rc_status_t rc_catalog_read(const char *csv, rc_catalog_t *out, rc_err_t *err)
{
    rc_catalog_t b = {0};
    reader_t r = {.path = csv, .err = err};
    rc_status_t st = rc_open_given(csv, &r.file, err);
    if (st < 0) {
        rc_err_context(err, "the catalogue");
        return st;
    }
    st = read_all(&r, &b);
    if (st == RC_OK && b.count > 1) {
        qsort(b.entry, (size_t)b.count, sizeof *b.entry, rc_entry_compare);
        st = check_unique(csv, &b, err);
    }
    free(r.line);
    fclose(r.file);
    if (st < 0)
        rc_catalog_free(&b);
    else
        *out = b;
    return st;
}
