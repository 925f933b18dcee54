/* file: the order that a file gives: one line a slot, with the 0-based original row or -1 for a
 * pad, as `rowcast order --rows` writes it; lines that begin with '#' say nothing.  Empty rows may
 * be absent.  The order belongs to one matrix: for one with other rows it is not supported.
 *
 * What identifies it is its content, not its name: the parameter is stored as the digest of the
 * slots, so the same order under two names is one case, and a changed file is a new one.  A file
 * that changes between being named and being used is an error.  Cost O(slots). */
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

static const char *const digest_tag = "rows=";

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

/* "rows=<digest>". */
static void identity(const slots_t *s, char *text)
{
    snprintf(text, RC_PARAMS_TEXT, "%s%s", digest_tag,
        rc_digest_hex(rc_digest(s->row, (size_t)s->count * sizeof *s->row)).text);
}

static rc_status_t identify(const rc_params_t *params, char *text, rc_err_t *err)
{
    slots_t s;
    RC_PASS(read_slots(params->text, &s, err));
    identity(&s, text);
    free_slots(&s);
    return RC_OK;
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
    rc_status_t st = read_slots(path, &s, err);
    if (st < 0)
        return st;
    identity(&s, text);
    if (strcmp(text, in->identity) != 0)
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
        .help = "file with one 0-based row a line, -1 for a pad",
        .type = RC_PARAM_TEXT}},
    .identify = identify,
    .build = build,
};
