#include "config.h"
#include "io/mtx_text.h"
#include "base/error.h"
#include "base/rng.h"
#include "io/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rc_status_t rc_mtx_fail(
    rc_err_t *err, rc_status_t status, const char *file, int64_t line, const char *fmt, ...)
{
    if (!err)
        return status;
    char text[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    if (vsnprintf(text, sizeof text, fmt, ap) < 0)
        text[0] = '\0';
    va_end(ap);
    /* a long path keeps its end, so that the message stays whole */
    enum { longest = 160 };
    size_t n = strlen(file);
    return rc_fail(err, status, "%s%s:%" PRId64 ": %s", n > longest ? "..." : "",
        n > longest ? file + n - longest : file, line, text);
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

int rc_mtx_is_blank(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    return begin == end;
}

int rc_mtx_is_comment(const rc_mtx_line_t *line)
{
    size_t n;
    const char *p = rc_mtx_next_word(line->begin, line->end, &n);
    return n == 0 || *p == '%';
}

const char *rc_mtx_word(const char *p, const char *end, char *buf, size_t size)
{
    size_t n = 0;
    if (p >= end || *p == '\r' || *p == '\n') {
        snprintf(buf, size, "the end of the line");
        return buf;
    }
    buf[n++] = '\'';
    for (; p < end && !is_blank(*p) && *p != '\n' && n + 6 < size; p++)
        buf[n++] = *p > ' ' && *p < 127 ? *p : '?';
    snprintf(buf + n, size - n, "%s'", p < end && !is_blank(*p) && *p != '\n' ? "..." : "");
    return buf;
}

const char *rc_mtx_next_word(const char *p, const char *end, size_t *n)
{
    while (p < end && is_blank(*p))
        p++;
    const char *q = p;
    while (q < end && !is_blank(*q))
        q++;
    *n = (size_t)(q - p);
    return p;
}

int64_t rc_mtx_whole(const char *word, size_t n, int64_t most)
{
    int64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        if (word[i] < '0' || word[i] > '9')
            return -1;
        if (value <= most)
            value = value * 10 + (word[i] - '0');
    }
    return n == 0 ? -1 : value <= most ? value : most + 1;
}

rc_status_t rc_mtx_expected(const rc_mtx_line_t *line, rc_status_t status, const char *what,
    const char *word, rc_err_t *err)
{
    char found[48];
    return rc_mtx_fail(err, status, line->file, line->number, "expected %s, found %s", what,
        rc_mtx_word(word, line->end, found, sizeof found));
}

/* ------------------------------------------------------------------ entries */

/* A walk over the words of a line. */
typedef struct walk {
    const rc_mtx_line_t *line;
    const char *p; /* current word, and its length */
    size_t n;
    rc_err_t *err;
} walk_t;

static void step(walk_t *w)
{
    w->p = rc_mtx_next_word(w->p + w->n, w->line->end, &w->n);
}

static rc_status_t expected(const walk_t *w, rc_status_t status, const char *what)
{
    return rc_mtx_expected(w->line, status, what, w->p, w->err);
}

static rc_status_t explain_index(walk_t *w, const char *what, int64_t most, int64_t *out)
{
    char text[80];
    *out = rc_mtx_whole(w->p, w->n, most);
    if (*out >= 1 && *out <= most) {
        step(w);
        return RC_OK;
    }
    snprintf(text, sizeof text, "a %s from 1 to %" PRId64, what, most);
    return expected(w, RC_EFORMAT, text);
}

static rc_status_t explain_number(
    walk_t *w, const rc_mtx_head_t *head, locale_t c, const char *what, double *out)
{
    char text[96];
    const char *after = w->p;
    const char *end = w->p + w->n;
    int is_integer = head->field == RC_MTX_INTEGER;
    rc_number_t kind = is_integer ? rc_number_whole(w->p, end, out, &after)
                                  : rc_number_parse(w->p, end, c, out, &after);
    if (kind == RC_NUMBER_NONE && !is_integer)
        kind = rc_number_not_finite(w->p, end, out, &after);
    if (kind == RC_NUMBER_HUGE)
        return expected(w, RC_ERANGE,
            is_integer ? "a whole number that a double holds exactly"
                       : "a number that fits a double");
    if (kind == RC_NUMBER_LONG)
        return expected(w, RC_ERANGE, "a number of at most 1100 characters");
    if (kind == RC_NUMBER_PART)
        return expected(w, RC_EFORMAT, "a whole number (the banner says integer)");
    if (kind == RC_NUMBER_NONE || after != end) {
        snprintf(text, sizeof text, "%s (a decimal number)", what);
        return expected(w, RC_EFORMAT, text);
    }
    if (head->is_unsigned && *out < 0)
        return expected(
            w, RC_EFORMAT, "a number that is not negative (the banner says unsigned-integer)");
    step(w);
    return RC_OK;
}

/* Whether an entry may stand where it does. */
static rc_status_t explain_place(const rc_mtx_head_t *head, const walk_t *w, int64_t row,
    int64_t col, double real, double imaginary)
{
    const rc_mtx_line_t *l = w->line;
    if (head->symmetry == RC_MTX_GENERAL)
        return RC_OK;
    if (row < col && head->one_triangle)
        return rc_mtx_fail(w->err, RC_EFORMAT, l->file, l->number,
            "expected an entry on or below the diagonal (the banner says %s), found (%" PRId64
            ", %" PRId64 ")",
            rc_mtx_symmetry_names[head->symmetry], row, col);
    if (row == col && head->symmetry == RC_MTX_SKEW && (real != 0 || imaginary != 0))
        return rc_mtx_fail(w->err, RC_EFORMAT, l->file, l->number,
            "expected 0 on the diagonal of a skew-symmetric matrix, found %g at (%" PRId64
            ", %" PRId64 ")",
            real != 0 ? real : imaginary, row, col);
    if (row == col && head->symmetry == RC_MTX_HERMITIAN && imaginary != 0)
        return rc_mtx_fail(w->err, RC_EFORMAT, l->file, l->number,
            "expected an imaginary part of 0 on the diagonal of a hermitian matrix, found %g at "
            "(%" PRId64 ", %" PRId64 ")",
            imaginary, row, col);
    return RC_OK;
}

static double complex_digest(double real, double imaginary)
{
    double part[] = {
        isnan(real) ? (double)NAN : real + 0.0, isnan(imaginary) ? (double)NAN : imaginary + 0.0};
    uint64_t bits[2];
    memcpy(bits, part, sizeof bits);
    return (double)(rc_rng_hash(bits[0], bits[1]) >> 16);
}

double rc_mtx_kept(const rc_mtx_head_t *head, int is_above, double real, double imaginary)
{
    if (head->field != RC_MTX_COMPLEX || head->part == RC_MTX_PART_REAL)
        return real;
    if (head->part == RC_MTX_PART_IMAGINARY)
        return imaginary;
    if (head->is_array || head->symmetry == RC_MTX_GENERAL)
        return 0;
    return complex_digest(is_above && head->symmetry == RC_MTX_SKEW ? -real : real,
        is_above && head->symmetry != RC_MTX_SYMMETRIC ? -imaginary : imaginary);
}

rc_status_t rc_mtx_parse_slowly(const rc_mtx_head_t *head, locale_t c, const rc_mtx_line_t *line,
    rc_triple_t *out, rc_err_t *err)
{
    walk_t w = {line, line->begin, 0, err};
    int64_t row = 1;
    int64_t col = 1;
    double real = 0;
    double imaginary = 0;
    step(&w);
    if (!head->is_array) {
        RC_PASS(explain_index(&w, "row", head->rows, &row));
        RC_PASS(explain_index(&w, "column", head->cols, &col));
    }
    if (head->field != RC_MTX_PATTERN)
        RC_PASS(explain_number(
            &w, head, c, head->field == RC_MTX_COMPLEX ? "a real part" : "a value", &real));
    if (head->field == RC_MTX_COMPLEX)
        RC_PASS(explain_number(&w, head, c, "an imaginary part", &imaginary));
    if (w.n > 0)
        return expected(&w, RC_EFORMAT, "the end of the line after the entry");
    if (!head->is_array)
        RC_PASS(explain_place(head, &w, row, col, real, imaginary));
    *out = (rc_triple_t){
        (int32_t)(row - 1), (int32_t)(col - 1), rc_mtx_kept(head, row < col, real, imaginary)};
    return RC_OK;
}

const char *rc_mtx_parse_other(
    const rc_mtx_head_t *head, const char *p, locale_t c, rc_mtx_slice_t *s)
{
    const char *line_end = rc_mtx_line_end(p, s->end);
    rc_mtx_line_t line = {"", 0, p, line_end ? line_end : s->end};
    rc_triple_t *t = &s->triple[s->n];
    if (rc_mtx_is_comment(&line))
        return line.end;
    if (s->n >= s->most || rc_mtx_parse_slowly(head, c, &line, t, NULL) < 0)
        return NULL;
    s->upper += head->symmetry != RC_MTX_GENERAL && t->row < t->col;
    s->n++;
    return line.end;
}

/* ---------------------------------------------------------------- triangles */

/* The place of (row, col), or -1. */
static int64_t find(const rc_csr_t *a, int32_t row, int32_t col)
{
    return rc_csr_has(a, row, col) ? rc_csr_seek(a, row, col) : -1;
}

/* Of complex values digests are compared, which are those of the image already. */
static int agree(const rc_mtx_head_t *head, double x, double y)
{
    if (head->symmetry == RC_MTX_SKEW && head->field != RC_MTX_COMPLEX)
        y = -y;
    return x == y || (isnan(x) && isnan(y));
}

int rc_mtx_triangles_agree(const rc_mtx_head_t *head, const rc_csr_t *a, int32_t *row, int32_t *col)
{
    for (int32_t i = 0; i < (int32_t)a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            int32_t j = a->col_idx[k];
            int64_t image = i == j ? k : find(a, j, i);
            if (i != j && (image < 0 || !agree(head, a->val[k], a->val[image]))) {
                *row = i;
                *col = j;
                return 0;
            }
        }
    return 1;
}

rc_status_t rc_mtx_triangles_differ(const rc_mtx_head_t *head, const rc_csr_t *a, int32_t row,
    int32_t col, const rc_mtx_line_t *line, rc_err_t *err)
{
    char values[96] = "two values";
    int64_t image = find(a, col, row);
    const char *says = rc_mtx_symmetry_names[head->symmetry];
    int64_t i = row + INT64_C(1);
    int64_t j = col + INT64_C(1);
    if (image < 0)
        return rc_mtx_fail(err, RC_EFORMAT, line->file, line->number,
            "expected an entry on or below the diagonal (the banner says %s) or all of both "
            "triangles, found (%" PRId64 ", %" PRId64 ") without (%" PRId64 ", %" PRId64 ")",
            says, i, j, j, i);
    if (head->field != RC_MTX_COMPLEX)
        snprintf(
            values, sizeof values, "%.17g and %.17g", a->val[find(a, row, col)], a->val[image]);
    return rc_mtx_fail(err, RC_EFORMAT, line->file, line->number,
        "expected (%" PRId64 ", %" PRId64 ") and (%" PRId64 ", %" PRId64
        ") to agree (the banner says %s), found %s",
        i, j, j, i, says, values);
}
