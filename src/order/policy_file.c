/* file: the order that a file gives: one line a slot, with the 0-based original row or -1 for a
 * pad, as `rowcast order --rows` writes it; lines that begin with '#' say nothing.  Empty rows may
 * be absent.  The order belongs to one matrix: for one with other rows it is not supported.
 *
 * What identifies it is its content, not its name: the parameter is stored as the digest of the
 * slots, so the same order under two names is one case, and a changed file is a new one.  The name
 * stands before the digest, for readers.  With %n or %g (name and group of a matrix) a sweep takes
 * another file for each matrix.  A file that changes between being named and being used is an
 * error.  Cost O(slots). */
#include "config.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "order/policy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file holds. */
typedef struct slots {
    int32_t *row;
    int64_t *line; /* that the slot is in, from 1 */
    size_t row_capacity;
    size_t line_capacity;
    int64_t count;
} slots_t;

static void free_slots(slots_t *s)
{
    free(s->row);
    free(s->line);
    *s = (slots_t){0};
}

static rc_status_t push(slots_t *s, int64_t row, int64_t line, rc_err_t *err)
{
    size_t need = (size_t)s->count + 1;
    RC_PASS(RC_GROW(s->row, s->row_capacity, need, "an order", err));
    RC_PASS(RC_GROW(s->line, s->line_capacity, need, "an order", err));
    s->row[s->count] = (int32_t)row;
    s->line[s->count++] = line;
    return RC_OK;
}

static rc_status_t read_lines(FILE *f, const char *path, slots_t *s, rc_err_t *err)
{
    char *text = NULL;
    size_t size = 0;
    rc_status_t st = RC_OK;
    errno = 0;
    for (int64_t line = 1; st == RC_OK && getline(&text, &size, f) >= 0; line++) {
        int64_t row;
        text[strcspn(text, "\r\n")] = '\0';
        if (text[0] == '#')
            continue;
        if (rc_parse_int(text, -1, INT32_MAX - 1, "row", &row, NULL) < 0)
            st = rc_fail(err, RC_EFORMAT,
                "%s:%" PRId64 ": expected a row from 0, or -1 for a pad, found '%.40s'", path, line,
                text);
        else
            st = push(s, row, line, err);
    }
    if (st == RC_OK && ferror(f))
        st = rc_fail_errno(err, RC_EIO, errno, "cannot read '%s'", path);
    free(text);
    return st;
}

static rc_status_t read_slots(const char *path, slots_t *out, rc_err_t *err)
{
    slots_t s = {0};
    FILE *f;
    RC_PASS(rc_open_given(path, &f, err));
    rc_status_t st = read_lines(f, path, &s, err);
    fclose(f);
    if (st < 0)
        free_slots(&s);
    else
        *out = s;
    return st;
}

/* "name=FILE:rows=<digest>"; of a long name its end.  \param[in] rows  the digest, or "none" */
static void identity(const char *name, const char *rows, char *text)
{
    enum { most = 48 };
    size_t n = strlen(name);
    size_t left_out = n > most ? n - most : 0;
    snprintf(text, RC_PARAMS_TEXT, "name=%s:rows=%s", &name[left_out], rows);
}

static rc_digest_t digest_of(const slots_t *s)
{
    return rc_digest(s->row, (size_t)s->count * sizeof *s->row);
}

/* 1: the path stands for a file for each matrix. */
static int is_pattern(const char *path)
{
    return strstr(path, "%n") || strstr(path, "%g");
}

static rc_status_t identify(const rc_params_t *params, char *text, rc_err_t *err)
{
    slots_t s = {0};
    const char *slash = strrchr(params->text, '/');
    int many = is_pattern(params->text);
    if (!many)
        RC_PASS(read_slots(params->text, &s, err));
    /* a path for many files is one order: two of them are not the same */
    identity(slash && !many ? slash + 1 : params->text,
        rc_digest_hex(many ? rc_digest(params->text, strlen(params->text)) : digest_of(&s)).text,
        text);
    free_slots(&s);
    return RC_OK;
}

/* What is wrong with the file is said where the order is built. */
static void for_matrix(const char *group, const char *name, rc_params_t *params, char *text)
{
    rc_str_t path = {0};
    slots_t s = {0};
    if (!is_pattern(params->text))
        return;
    for (const char *p = params->text; *p; p++) {
        const char *word = strncmp(p, "%n", 2) == 0   ? name
                           : strncmp(p, "%g", 2) == 0 ? group
                                                      : NULL;
        rc_str_addn(&path, word ? word : p, word ? strlen(word) : 1);
        p += word != NULL;
    }
    if (!path.failed && path.len < sizeof params->text) {
        int is_there = read_slots(path.text, &s, NULL) == RC_OK;
        identity(params->text, is_there ? rc_digest_hex(digest_of(&s)).text : "none", text);
        memcpy(params->text, path.text, path.len + 1);
    }
    free_slots(&s);
    rc_str_free(&path);
}

/* As rc_schedule_check, but it names lines. */
static rc_status_t check(const char *path, const slots_t *s, const rc_csr_t *a, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t *first = rc_alloc0((size_t)a->rows, sizeof *first, "checking an order", err);
    RC_PASS(first ? RC_OK : RC_ENOMEM);
    for (int64_t p = 0; p < s->count && st == RC_OK; p++) {
        int32_t r = s->row[p];
        if (r < 0)
            continue;
        if (r >= a->rows)
            st = rc_fail(err, RC_ENOTSUP,
                "%s:%" PRId64 ": row %" PRId32 " of a matrix with %" PRId64 " rows", path,
                s->line[p], r, a->rows);
        else if (first[r])
            st = rc_fail(err, RC_EFORMAT,
                "%s:%" PRId64 ": row %" PRId32 " is there twice, first in line %" PRId64, path,
                s->line[p], r, first[r]);
        else
            first[r] = s->line[p];
    }
    for (int64_t r = 0; r < a->rows && st == RC_OK; r++)
        if (!first[r] && a->row_ptr[r + 1] > a->row_ptr[r])
            st = rc_fail(err, RC_ENOTSUP,
                "%s: row %" PRId64 " has entries and is not there (%" PRId64 " slots, %" PRId64
                " rows)",
                path, r, s->count, a->rows);
    free(first);
    return st;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const char *path = in->params->text;
    char text[RC_PARAMS_TEXT];
    slots_t s;
    if (is_pattern(path))
        return rc_fail(err, RC_EINVAL,
            "%s: %%n and %%g stand for the matrices of a sweep; expected a file", path);
    rc_status_t st = read_slots(path, &s, err);
    if (st < 0)
        return st;
    identity("", rc_digest_hex(digest_of(&s)).text, text);
    if (strcmp(rc_spec_identity(text), rc_spec_identity(in->identity)) != 0)
        RC_TRY(rc_fail(err, RC_EINVAL, "%s: the file has changed since it was named", path));
    RC_TRY(check(path, &s, in->a, err));
    RC_TRY(rc_schedule_alloc(s.count, in->a->rows, out, err));
    if (s.count > 0)
        memcpy(out->row, s.row, (size_t)s.count * sizeof *s.row);
done:
    free_slots(&s);
    return st;
}

const rc_policy_t rc_policy_file = {
    .name = "file",
    .summary = "the order that a file gives, one row a line",
    .source = "the user's file; format: rowcast order --rows",
    .version = 1,
    .on_request = 1,
    .param = {{.name = "rows",
        .help = "file with one 0-based row a line, -1 for a pad; %n and %g: name and group of the "
                "matrix",
        .type = RC_PARAM_TEXT}},
    .identify = identify,
    .for_matrix = for_matrix,
    .build = build,
};
