#include "config.h"
#include "cmd/table.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rc_table {
    FILE *out;
    rc_table_format_t format;
    const rc_column_t *column;
    int columns;
    int at; /* next cell of the row */
    int64_t rows;
    int failed;     /* out of memory */
    json_t *object; /* JSON: the row being built */
    int escaped;    /* JSON: it has characters that are not for a terminal */
    rc_str_t line;  /* CSV: the row being built */
    char **cell;    /* text: all cells so far */
    char *right;    /* text: per cell, 1 when right-aligned */
    size_t cells;
    size_t cell_capacity;
    size_t right_capacity;
};

rc_status_t rc_table_format_parse(const char *text, rc_table_format_t *out, rc_err_t *err)
{
    static const char *const names[] = {"table", "csv", "json"};
    if (!text)
        text = names[0];
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (rc_table_format_t)i;
            return RC_OK;
        }
    return rc_fail(err, RC_EINVAL, "--format: expected table, csv or json, found '%s'", text);
}

/* One cell of CSV; the last of a row ends the line. */
static void csv_cell(rc_table_t *t, const char *text, int at)
{
    rc_str_add_csv(&t->line, text);
    rc_str_add(&t->line, at + 1 < t->columns ? "," : "\n");
    if (at + 1 < t->columns)
        return;
    if (t->line.failed)
        t->failed = 1;
    else
        fwrite(t->line.text, 1, t->line.len, t->out);
    t->line.len = 0;
}

static void json_columns(rc_table_t *t)
{
    fputs("{\"columns\": [", t->out);
    for (int i = 0; i < t->columns; i++) {
        json_t *c = json_pack("{s:s, s:s}", "name", t->column[i].name, "unit", t->column[i].unit);
        char *text = c ? json_dumps(c, 0) : NULL;
        if (text)
            fprintf(t->out, "%s%s", i ? ", " : "", text);
        else
            t->failed = 1;
        free(text);
        json_decref(c);
    }
    fputs("],\n\"rows\": [", t->out);
}

rc_table_t *rc_table_begin(
    FILE *out, rc_table_format_t format, const rc_column_t *columns, int n, rc_err_t *err)
{
    rc_table_t *t = rc_alloc0(1, sizeof *t, "a table", err);
    if (!t)
        return NULL;
    t->out = out;
    t->format = format;
    t->column = columns;
    t->columns = n;
    if (format == RC_TABLE_CSV) {
        for (int i = 0; i < n; i++)
            csv_cell(t, columns[i].name, i);
    } else if (format == RC_TABLE_JSON)
        json_columns(t);
    return t;
}

static void end_json_row(rc_table_t *t)
{
    char *text =
        json_dumps(t->object, JSON_REAL_PRECISION(17) | (t->escaped ? JSON_ENSURE_ASCII : 0));
    if (text)
        fprintf(t->out, "%s\n%s", t->rows ? "," : "", text);
    else
        t->failed = 1;
    free(text);
    json_decref(t->object);
    t->object = NULL;
    t->escaped = 0;
}

/* One cell; exactly one of text and value is used, by format. */
static void add(rc_table_t *t, const char *text, int right, json_t *value)
{
    if (t->format == RC_TABLE_JSON) {
        if (t->at == 0)
            t->object = json_object();
        if (!value || !t->object ||
            json_object_set_new(t->object, t->column[t->at].name, value) != 0)
            t->failed = 1;
    } else if (t->format == RC_TABLE_CSV) {
        csv_cell(t, text, t->at);
    } else {
        void *cell = t->cell;
        void *rights = t->right;
        rc_str_t shown = {0};
        rc_str_add_visible(&shown, text);
        char *copy = shown.failed ? NULL : shown.text;
        if (shown.failed)
            rc_str_free(&shown);
        if (!copy ||
            rc_grow(&cell, &t->cell_capacity, t->cells + 1, sizeof *t->cell, "a table", NULL) < 0 ||
            rc_grow(&rights, &t->right_capacity, t->cells + 1, 1, "a table", NULL) < 0) {
            t->failed = 1;
            free(copy);
            copy = NULL;
        }
        t->cell = cell;
        t->right = rights;
        if (copy) {
            t->cell[t->cells] = copy;
            t->right[t->cells] = (char)right;
            t->cells++;
        }
    }
    if (++t->at == t->columns) {
        if (t->format == RC_TABLE_JSON)
            end_json_row(t);
        t->at = 0;
        t->rows++;
    }
}

static json_t *json_for(const rc_table_t *t, json_t *(*make)(const void *), const void *value)
{
    return t->format == RC_TABLE_JSON ? make(value) : NULL;
}

static json_t *make_int(const void *v)
{
    return json_integer(*(const int64_t *)v);
}

static json_t *make_real(const void *v)
{
    return json_real(*(const double *)v);
}

static json_t *make_text(const void *v)
{
    json_t *j = json_string(v);
    if (j)
        return j;
    /* not UTF-8: a name from a foreign file should not fail the table */
    rc_str_t shown = {0};
    rc_str_add_visible(&shown, v);
    j = shown.failed ? NULL : json_string(shown.text);
    rc_str_free(&shown);
    return j;
}

static json_t *make_bool(const void *v)
{
    return json_boolean(*(const int *)v);
}

static json_t *make_null(const void *v)
{
    (void)v;
    return json_null();
}

void rc_table_int(rc_table_t *t, int64_t value)
{
    char buf[24];
    snprintf(buf, sizeof buf, "%" PRId64, value);
    add(t, buf, 1, json_for(t, make_int, &value));
}

void rc_table_real(rc_table_t *t, double value, int digits)
{
    char buf[40];
    if (!isfinite(value)) {
        rc_table_missing(t);
        return;
    }
    snprintf(buf, sizeof buf, "%.*g", t->format == RC_TABLE_TEXT ? digits : 17, value);
    add(t, buf, 1, json_for(t, make_real, &value));
}

void rc_table_text(rc_table_t *t, const char *value)
{
    t->escaped |= t->format == RC_TABLE_JSON && !rc_is_visible(value);
    add(t, value, 0, json_for(t, make_text, value));
}

void rc_table_bool(rc_table_t *t, int value)
{
    add(t, t->format == RC_TABLE_TEXT ? (value ? "yes" : "no") : (value ? "1" : "0"), 0,
        json_for(t, make_bool, &value));
}

void rc_table_missing(rc_table_t *t)
{
    add(t, t->format == RC_TABLE_TEXT ? "-" : "", 1, json_for(t, make_null, NULL));
}

static void print_cell(FILE *out, const char *text, int width, int right, int last)
{
    int pad = width - rc_text_width(text); /* columns, where %*s counts bytes */
    if (right)
        fprintf(out, "%*s", pad, "");
    fputs(text, out);
    if (!right && !last)
        fprintf(out, "%*s", pad, "");
    fputs(last ? "\n" : "  ", out);
}

/* A column is right-aligned when every cell in it is. */
static void print_text(rc_table_t *t, int *width, int *right)
{
    int units = 0;
    for (int i = 0; i < t->columns; i++) {
        width[i] = rc_text_width(t->column[i].name);
        right[i] = t->cells > 0;
        if (t->column[i].unit[0])
            units = 1;
        if (rc_text_width(t->column[i].unit) > width[i])
            width[i] = rc_text_width(t->column[i].unit);
    }
    for (size_t c = 0; c < t->cells; c++) {
        int i = (int)(c % (size_t)t->columns);
        if (rc_text_width(t->cell[c]) > width[i])
            width[i] = rc_text_width(t->cell[c]);
        if (!t->right[c])
            right[i] = 0;
    }
    for (int i = 0; i < t->columns; i++)
        print_cell(t->out, t->column[i].name, width[i], right[i], i == t->columns - 1);
    for (int i = 0; units && i < t->columns; i++)
        print_cell(t->out, t->column[i].unit, width[i], right[i], i == t->columns - 1);
    for (size_t c = 0; c < t->cells; c++) {
        int i = (int)(c % (size_t)t->columns);
        print_cell(t->out, t->cell[c], width[i], right[i], i == t->columns - 1);
    }
}

rc_status_t rc_table_end(rc_table_t *t, rc_err_t *err)
{
    if (!t)
        return RC_OK;
    rc_status_t st = RC_OK;
    if (t->format == RC_TABLE_JSON)
        fputs("\n]}\n", t->out);
    if (t->format == RC_TABLE_TEXT && !t->failed) {
        int *width = rc_alloc((size_t)t->columns, 2 * sizeof *width, "a table", NULL);
        if (width)
            print_text(t, width, width + t->columns);
        else
            t->failed = 1;
        free(width);
    }
    if (t->failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for the table");
    else if (fflush(t->out) != 0 || ferror(t->out))
        st = rc_fail_errno(err, RC_EIO, errno, "cannot write the table");
    for (size_t c = 0; c < t->cells; c++)
        free(t->cell[c]);
    free(t->cell);
    free(t->right);
    rc_str_free(&t->line);
    json_decref(t->object);
    free(t);
    return st;
}
