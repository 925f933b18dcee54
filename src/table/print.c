#include "config.h"
#include "table/print.h"
#include "base/alloc.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rc_table {
    FILE *out;
    rc_table_format_t format;
    const rc_column_t *column;
    int columns;
    rc_column_t *own; /* of rc_table_of, as are the words in them; NULL: they are borrowed */
    rc_words_t words;
    int at; /* next cell of the row */
    int64_t rows;
    int failed;     /* out of memory */
    int escaped;    /* JSON: the row has characters that are not for a terminal */
    rc_str_t line;  /* the row being built or, of a text, printed */
    rc_str_t cells; /* text: all cells so far, a NUL behind each */
    int *width;     /* text: [columns] of the widest cell */
    int *left;      /* text: [columns] 1: a cell is left-aligned, so all are */
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

static void end_line(rc_table_t *t)
{
    if (t->line.failed)
        t->failed = 1;
    else
        fwrite(t->line.text, 1, t->line.len, t->out);
    t->line.len = 0;
}

/* One cell of CSV; the last of a row ends the line.  A number needs no quotes. */
static void csv_cell(rc_table_t *t, const char *text, int at, int is_number)
{
    (is_number ? rc_str_add : rc_str_add_csv)(&t->line, text);
    rc_str_add(&t->line, at + 1 < t->columns ? "," : "\n");
    if (at + 1 == t->columns)
        end_line(t);
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

static void free_table(rc_table_t *t)
{
    free(t->width);
    free(t->left);
    rc_str_free(&t->line);
    rc_str_free(&t->cells);
    free(t->own);
    rc_words_free(&t->words);
    free(t);
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
    t->width = rc_alloc0((size_t)n, sizeof *t->width, "a table", err);
    t->left = rc_alloc0((size_t)n, sizeof *t->left, "a table", err);
    if (!t->width || !t->left) {
        free_table(t);
        return NULL;
    }
    if (format == RC_TABLE_CSV) {
        for (int i = 0; i < n; i++)
            csv_cell(t, columns[i].name, i, 0);
    } else if (format == RC_TABLE_JSON)
        json_columns(t);
    return t;
}

rc_table_t *rc_table_of(
    FILE *out, rc_table_format_t format, const char *columns, int n, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_column_t *own = NULL;
    rc_table_t *t = NULL;
    if (rc_words_split(columns, '|', &words, err) == RC_OK)
        own = rc_alloc((size_t)words.count, sizeof *own, "columns", err);
    for (int i = 0; own && i < words.count; i++) {
        char *unit = strchr(words.word[i], ':');
        own[i] = (rc_column_t){words.word[i], unit ? unit + 1 : ""};
        if (unit)
            *unit = '\0';
    }
    if (own)
        t = rc_table_begin(out, format, own, n > 0 ? n : words.count + n, err);
    if (!t) {
        free(own);
        rc_words_free(&words);
        return NULL;
    }
    t->own = own;
    t->words = words;
    return t;
}

/* A row with such characters is written again, in ASCII. */
static void escape_line(rc_table_t *t)
{
    json_t *row = t->line.failed ? NULL : json_loadb(t->line.text, t->line.len, 0, NULL);
    char *text = row ? json_dumps(row, JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII) : NULL;
    t->line.len = 0;
    if (text)
        rc_str_add(&t->line, text);
    t->failed |= !text;
    free(text);
    json_decref(row);
    t->escaped = 0;
}

static int is_plain(const char *text)
{
    while (*text >= ' ' && *text != '"' && *text != '\\' && *text != 0x7f)
        text++;
    return *text == '\0';
}

static void add_json_text(rc_table_t *t, const char *text)
{
    if (is_plain(text)) {
        rc_str_add(&t->line, "\"");
        rc_str_add(&t->line, text);
        rc_str_add(&t->line, "\"");
        return;
    }
    rc_str_t shown = {0};
    json_t *j = json_string(text);
    if (!j) { /* not UTF-8: a name from a foreign file should not fail the table */
        rc_str_add_visible(&shown, text);
        j = shown.failed ? NULL : json_string(shown.text);
    }
    char *quoted = j ? json_dumps(j, JSON_ENCODE_ANY) : NULL;
    rc_str_add(&t->line, quoted ? quoted : "");
    t->failed |= !quoted;
    free(quoted);
    json_decref(j);
    rc_str_free(&shown);
}

/* Key and value.  \param[in] text  NULL: the value is a word of JSON */
static void json_cell(rc_table_t *t, const char *text, const char *word)
{
    rc_str_add(&t->line, t->at ? ", " : "{");
    add_json_text(t, t->column[t->at].name);
    rc_str_add(&t->line, ": ");
    if (text)
        add_json_text(t, text);
    else
        rc_str_add(&t->line, word);
    if (t->at + 1 < t->columns)
        return;
    rc_str_add(&t->line, "}");
    if (t->escaped)
        escape_line(t);
    fputs(t->rows ? ",\n" : "\n", t->out);
    end_line(t);
}

static void text_cell(rc_table_t *t, const char *text, int right)
{
    size_t before = t->cells.len;
    rc_str_add_visible(&t->cells, text);
    rc_str_addn(&t->cells, "", 1);
    t->failed |= t->cells.failed;
    t->left[t->at] |= !right;
    int width = t->cells.failed ? 0 : rc_text_width(t->cells.text + before);
    t->width[t->at] = width > t->width[t->at] ? width : t->width[t->at];
}

/* One cell.  \param[in] word  NULL, or what stands for it in JSON where that is no text */
static void add(rc_table_t *t, const char *text, int right, const char *word)
{
    if (!t)
        return;
    if (t->format == RC_TABLE_JSON)
        json_cell(t, word ? NULL : text, word);
    else if (t->format == RC_TABLE_CSV)
        csv_cell(t, text, t->at, right);
    else
        text_cell(t, text, right);
    if (++t->at == t->columns) {
        t->at = 0;
        t->rows++;
    }
}

enum { US_DIGITS = 5, US_WHOLE = 10000 }; /* from there on no fractions; never an exponent */

/* A table that could not be begun has none. */
static int is_text(const rc_table_t *t)
{
    return t && t->format == RC_TABLE_TEXT;
}

/* Times in a table for people are in us, whatever CSV and JSON have; 0: no time.  \param[in] column
 * -1: the next cell */
static double us_of(const rc_table_t *t, int column)
{
    if (!is_text(t))
        return 0;
    const char *unit = t->column[column < 0 ? t->at : column].unit;
    return strcmp(unit, "ns") == 0 ? 1e-3 : strcmp(unit, "ms") == 0 ? 1e3 : 0;
}

void rc_table_int(rc_table_t *t, int64_t value)
{
    char buf[RC_DECIMAL_BYTES];
    if (us_of(t, -1) > 0) {
        rc_table_real(t, (double)value, US_DIGITS);
        return;
    }
    rc_decimal_int(value, buf);
    add(t, buf, 1, buf);
}

/* With a point or an exponent, and that without + and zeros in front.  \param[in,out] text
 * [RC_DECIMAL_BYTES] */
static void spell_for_json(char *text)
{
    char *e = strchr(text, 'e');
    if (e) {
        const char *from = e + 2 + strspn(e + 2, "0");
        memmove(e + 1 + (e[1] == '-'), from, strlen(from) + 1);
    } else if (!strchr(text, '.'))
        memcpy(text + strlen(text), ".0", 3);
}

/* 1: us that are shown whole: large ones, and those whose digits would not reach the point. */
static int is_whole(double us, int digits)
{
    int power = 0;
    (void)rc_decimal(us, digits, &power);
    return fabs(us) >= US_WHOLE || power >= digits;
}

void rc_table_real(rc_table_t *t, double value, int digits)
{
    char buf[RC_DECIMAL_BYTES];
    if (!isfinite(value)) {
        rc_table_missing(t);
        return;
    }
    if (us_of(t, -1) > 0)
        value *= us_of(t, -1);
    if (us_of(t, -1) > 0 && is_whole(value, digits)) {
        value = round(value);
        digits = RC_DECIMAL_MOST;
    }
    rc_decimal_real(value, is_text(t) ? digits : RC_DECIMAL_MOST, buf);
    if (t && t->format == RC_TABLE_JSON)
        spell_for_json(buf);
    add(t, buf, 1, buf);
}

void rc_table_text(rc_table_t *t, const char *value)
{
    if (!value) {
        rc_table_missing(t);
        return;
    }
    if (t && t->format == RC_TABLE_JSON)
        t->escaped |= !rc_is_visible(value);
    add(t, value, 0, NULL);
}

void rc_table_bool(rc_table_t *t, int value)
{
    add(t, is_text(t) ? (value ? "yes" : "no") : (value ? "1" : "0"), 0, value ? "true" : "false");
}

void rc_table_missing(rc_table_t *t)
{
    add(t, is_text(t) ? "-" : "", 1, "null");
}

void rc_table_cells(rc_table_t *t, const rc_table_cell_t *cell, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch (cell[i].kind) {
        case RC_CELL_MISSING:
            rc_table_missing(t);
            break;
        case RC_CELL_INT:
            rc_table_int(t, cell[i].whole);
            break;
        case RC_CELL_REAL:
            rc_table_real(t, cell[i].real, cell[i].digits);
            break;
        case RC_CELL_TEXT:
            rc_table_text(t, cell[i].text);
            break;
        case RC_CELL_BOOL:
            rc_table_bool(t, cell[i].whole != 0);
            break;
        }
}

static void pad(rc_str_t *line, int n)
{
    static const char blanks[] = "                                ";
    for (const int most = sizeof blanks - 1; n > 0; n -= most)
        rc_str_addn(line, blanks, (size_t)(n < most ? n : most));
}

/* A cell of column i; the last of a row ends the line. */
static void print_cell(rc_table_t *t, const char *text, int i)
{
    int last = i == t->columns - 1;
    int more = t->width[i] - rc_text_width(text); /* columns, where %*s counts bytes */
    if (!t->left[i])
        pad(&t->line, more);
    rc_str_add(&t->line, text);
    if (t->left[i] && !last)
        pad(&t->line, more);
    rc_str_add(&t->line, last ? "\n" : "  ");
    if (last)
        end_line(t);
}

enum { HEAD = 40, NS = 3 /* letters of "_ns" */ };

/* The head of column i as people read it: an order is never a policy, and times are in us. */
static const char *head_of(const rc_table_t *t, int i, char buf[HEAD])
{
    const char *name = t->column[i].name;
    const size_t n = strlen(name);
    if (strcmp(name, "policy") == 0)
        return "order";
    if (strcmp(name, "policies") == 0)
        return "orders";
    if (us_of(t, i) == 0 || n <= NS || n >= HEAD || strcmp(name + n - NS, "_ns") != 0)
        return name;
    memcpy(buf, name, n + 1);
    buf[n - NS + 1] = 'u';
    return buf;
}

/* A column is right-aligned when every cell in it is. */
static void print_text(rc_table_t *t)
{
    int units = 0;
    char buf[HEAD];
    for (int i = 0; i < t->columns; i++) {
        const char *const head[] = {head_of(t, i, buf), t->column[i].unit};
        for (int k = 0; k < 2; k++)
            t->width[i] =
                rc_text_width(head[k]) > t->width[i] ? rc_text_width(head[k]) : t->width[i];
        t->left[i] |= t->cells.len == 0;
        units |= head[1][0] != '\0';
    }
    for (int i = 0; i < t->columns; i++)
        print_cell(t, head_of(t, i, buf), i);
    for (int i = 0; units && i < t->columns; i++)
        print_cell(t, us_of(t, i) > 0 ? "us" : t->column[i].unit, i);
    const char *cell = t->cells.text;
    for (int i = 0; cell && cell < t->cells.text + t->cells.len;
         i = i + 1 == t->columns ? 0 : i + 1) {
        print_cell(t, cell, i);
        cell += strlen(cell) + 1;
    }
}

rc_status_t rc_table_end(rc_table_t *t, rc_err_t *err)
{
    if (!t)
        return err ? err->status : RC_ENOMEM;
    rc_status_t st = RC_OK;
    if (t->format == RC_TABLE_JSON)
        fputs("\n]}\n", t->out);
    if (t->format == RC_TABLE_TEXT && !t->failed)
        print_text(t);
    if (t->failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for the table");
    else if (fflush(t->out) != 0 || ferror(t->out))
        st = rc_fail_errno(err, RC_EIO, errno, "cannot write the table");
    free_table(t);
    return st;
}

rc_status_t rc_table_end_after(rc_status_t st, rc_table_t *t, rc_err_t *err)
{
    rc_status_t end = rc_table_end(t, st < 0 ? NULL : err);
    return st < 0 ? st : end;
}
