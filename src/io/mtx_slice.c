#include "config.h"
#include "io/mtx_text.h"
#include "base/alloc.h"
#include "io/number.h"

#include <stdlib.h>

/* This file decides quickly whether a line is right, and is of a form that most lines have;
 * mtx_explain.c looks closer at one that is not.  A check that is added here needs its words
 * there. */

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

static int is_line_end(const char *p, const char *end)
{
    return p == end || *p == '\n' || *p == '\r';
}

/* An index from 1 to most, made 0-based; NULL when it is none. */
static const char *parse_index(const char *p, const char *end, int64_t most, int32_t *out)
{
    uint64_t front = 0;
    if (end - p >= 8)
        p += rc_digits8(p, &front);
    int64_t value = (int64_t)front;
    for (; p < end && value <= most && (unsigned char)(*p - '0') < 10; p++)
        value = value * 10 + (*p - '0');
    *out = (int32_t)(value - 1);
    return value > 0 && value <= most ? p : NULL;
}

static const char *next_word(const char *p, const char *end)
{
    const char *word = skip_blanks(p, end);
    return word == p ? NULL : word;
}

static const char *parse_real(const char *p, const char *end, locale_t c, double *out)
{
    return rc_number_parse(p, end, c, out, &p) == RC_NUMBER_OK ? p : NULL;
}

/* The numbers of a value, where p is at the first of them. */
static const char *parse_value(const rc_mtx_head_t *head, const char *p, const char *end,
    locale_t c, double *real, double *imaginary)
{
    if (head->field == RC_MTX_INTEGER)
        return rc_number_whole(p, end, real, &p) == RC_NUMBER_OK ? p : NULL;
    p = parse_real(p, end, c, real);
    if (p && head->field == RC_MTX_COMPLEX) {
        p = next_word(p, end);
        p = p ? parse_real(p, end, c, imaginary) : NULL;
    }
    return p;
}

static const char *parse_coordinate(
    const rc_mtx_head_t *head, const char *p, const char *end, locale_t c, rc_triple_t *t)
{
    double value = 0;
    double imaginary = 0;
    p = parse_index(p, end, head->rows, &t->row);
    p = p ? next_word(p, end) : NULL;
    p = p ? parse_index(p, end, head->cols, &t->col) : NULL;
    if (p && head->field != RC_MTX_PATTERN) {
        p = next_word(p, end);
        p = p ? parse_value(head, p, end, c, &value, &imaginary) : NULL;
    }
    if (!p)
        return NULL;
    t->val = rc_mtx_kept(head, 0, value, imaginary);
    if (!head->is_plain && (t->row <= t->col || head->is_unsigned)) {
        if ((head->symmetry != RC_MTX_GENERAL && t->row < t->col) ||
            (head->is_unsigned && value < 0) ||
            (head->symmetry == RC_MTX_SKEW && (value != 0 || imaginary != 0)) ||
            (head->symmetry == RC_MTX_HERMITIAN && imaginary != 0))
            return NULL;
    }
    return p;
}

static const char *parse_entry(
    const rc_mtx_head_t *head, const char *p, const char *end, locale_t c, rc_triple_t *t)
{
    if (!head->is_array)
        return parse_coordinate(head, p, end, c, t);
    double value = 0;
    double imaginary = 0;
    p = head->is_unsigned ? NULL : parse_value(head, p, end, c, &value, &imaginary);
    *t = (rc_triple_t){0, 0, rc_mtx_kept(head, 0, value, imaginary)};
    return p;
}

/* How many entries a slice may hold, judged by its first line. */
static size_t guess(const rc_mtx_slice_t *s)
{
    const char *p = s->begin;
    while (!is_line_end(p, s->end))
        p++;
    size_t line = (size_t)(p - s->begin) + 1;
    size_t n = (size_t)(s->end - s->begin) / line;
    n += n / 8 + 16;
    return s->most >= 0 && (uint64_t)s->most < n ? (size_t)s->most : n;
}

void rc_mtx_parse_slice(const rc_mtx_head_t *head, locale_t c, rc_mtx_slice_t *s)
{
    free(s->triple);
    *s = (rc_mtx_slice_t){.begin = s->begin, .end = s->end, .most = s->most};
    const char *end = s->end;
    for (const char *p = s->begin; p < end;) {
        const char *line = p;
        p = skip_blanks(p, end);
        if (!is_line_end(p, end)) {
            size_t need = (s->triple ? (size_t)s->n : guess(s)) + 1;
            if ((size_t)s->n >= s->capacity &&
                RC_GROW(s->triple, s->capacity, need, "entries", NULL) < 0) {
                s->no_memory = 1;
                return;
            }
            p = s->n < s->most ? parse_entry(head, p, end, c, &s->triple[s->n]) : NULL;
            p = p ? skip_blanks(p, end) : NULL;
            if (p && is_line_end(p, end))
                s->n++;
            else
                p = rc_mtx_parse_other(head, line, c, s);
            if (!p) {
                s->bad = line;
                return;
            }
        }
        if (p < end) {
            s->lines++;
            p = rc_mtx_after_line(p, end);
        }
    }
    /* most of the guess is used; the rest goes back */
    void *fit = s->triple ? realloc(s->triple, ((size_t)s->n + 1) * sizeof *s->triple) : NULL;
    if (fit)
        s->triple = fit;
}
