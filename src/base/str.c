#include "config.h"
#include "base/str.h"
#include "base/alloc.h"
#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reserve(rc_str_t *s, size_t more)
{
    if (!s->failed)
        s->failed = RC_GROW(s->text, s->capacity, s->len + more + 1, "a string", NULL) < 0;
    return !s->failed;
}

void rc_str_addn(rc_str_t *s, const char *text, size_t n)
{
    if (!reserve(s, n))
        return;
    memcpy(s->text + s->len, text, n);
    s->len += n;
    s->text[s->len] = '\0';
}

void rc_str_add(rc_str_t *s, const char *text)
{
    rc_str_addn(s, text, strlen(text));
}

static void addv(rc_str_t *s, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0)
        s->failed = 1;
    else if (reserve(s, (size_t)n)) {
        vsnprintf(s->text + s->len, (size_t)n + 1, fmt, again);
        s->len += (size_t)n;
    }
    va_end(again);
}

void rc_str_addf(rc_str_t *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    addv(s, fmt, ap);
    va_end(ap);
}

char *rc_str_take(rc_str_t *s, const char *what, rc_err_t *err)
{
    if (s->failed) {
        rc_str_free(s);
        rc_fail(err, RC_ENOMEM, "no memory for %s", what);
    }
    return s->text;
}

char *rc_strf(const char *what, rc_err_t *err, const char *fmt, ...)
{
    rc_str_t s = {0};
    va_list ap;
    va_start(ap, fmt);
    addv(&s, fmt, ap);
    va_end(ap);
    return rc_str_take(&s, what, err);
}

void rc_str_free(rc_str_t *s)
{
    if (s) {
        free(s->text);
        *s = (rc_str_t){0};
    }
}

char *rc_strdup(const char *text, rc_err_t *err)
{
    size_t n = strlen(text) + 1;
    char *copy = rc_alloc(n, 1, "a string", err);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

int rc_str_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

rc_status_t rc_strcpy(char *to, size_t size, const char *from, const char *what, rc_err_t *err)
{
    size_t n = strlen(from);
    if (n >= size)
        return rc_fail(err, RC_ERANGE, "%s has %zu characters, at most %zu fit: %.40s...", what, n,
            size - 1, from);
    memset(to, 0, size);
    memcpy(to, from, n);
    return RC_OK;
}

rc_status_t rc_parse_int(
    const char *text, int64_t min, int64_t max, const char *what, int64_t *out, rc_err_t *err)
{
    char *end;
    errno = 0;
    intmax_t value = strtoimax(text, &end, 10);
    if (end == text || *end != '\0' || isspace((unsigned char)text[0]))
        return rc_fail(err, RC_EINVAL, "%s: expected a whole number, found '%s'", what, text);
    if (errno == ERANGE || value < min || value > max)
        return rc_fail(err, RC_ERANGE, "%s: expected %" PRId64 " to %" PRId64 ", found %s", what,
            min, max, text);
    *out = (int64_t)value;
    return RC_OK;
}

rc_status_t rc_parse_double(const char *text, const char *what, double *out, rc_err_t *err)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || isspace((unsigned char)text[0]) || !isfinite(value))
        return rc_fail(err, RC_EINVAL, "%s: expected a number, found '%s'", what, text);
    *out = value;
    return RC_OK;
}

rc_status_t rc_parse_bytes(const char *text, const char *what, int64_t *out, rc_err_t *err)
{
    static const char suffixes[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    double unit = 1;
    const char *at = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
    if (at) {
        unit = ldexp(1, 10 * (int)(at - suffixes + 1));
        end++;
    }
    if (end == text || *end != '\0' || !(value >= 0) || value * unit >= 0x1p62)
        return rc_fail(
            err, RC_EINVAL, "%s: expected bytes, as 1500000, 800M or 1.5G; found '%s'", what, text);
    *out = (int64_t)(value * unit);
    return RC_OK;
}

rc_status_t rc_words_split(const char *text, char separator, rc_words_t *out, rc_err_t *err)
{
    size_t count = 1;
    for (const char *p = text; *p; p++)
        count += *p == separator;
    rc_words_t w = {.word = rc_alloc0(count, sizeof *w.word, "a list of words", err)};
    char *rest = w.word ? rc_strdup(text, err) : NULL;
    rc_status_t st = rest ? RC_OK : RC_ENOMEM;
    while (st == RC_OK && rest) { /* the first word has the memory of all */
        char *word = rest;
        rest = strchr(word, separator);
        if (rest)
            *rest++ = '\0';
        w.word[w.count++] = word;
        if (!*word)
            st = rc_fail(err, RC_EINVAL, "empty word in the list '%s'", text);
    }
    if (st < 0)
        rc_words_free(&w);
    else
        *out = w;
    return st;
}

void rc_words_free(rc_words_t *w)
{
    if (!w)
        return;
    if (w->count > 0)
        free(w->word[0]);
    free(w->word);
    *w = (rc_words_t){NULL, 0};
}

/* Levenshtein distance with one row of state; longer words than the buffer are never "near". */
static size_t edit_distance(const char *a, const char *b)
{
    enum { longest = 64 };
    size_t row[longest + 1];
    size_t na = strlen(a);
    size_t nb = strlen(b);
    if (nb > longest)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

const char *rc_similar(const char *text, const char *const *names, int count)
{
    size_t limit = strlen(text) / 3;
    if (limit < 1)
        limit = 1;
    const char *best = NULL;
    for (int i = 0; i < count; i++) {
        size_t d = edit_distance(text, names[i]);
        if (d <= limit) {
            limit = d - (d > 0);
            best = names[i];
            if (d == 0)
                break;
        }
    }
    return best;
}

rc_status_t rc_fail_unknown(rc_err_t *err, rc_status_t status, const char *what, const char *word,
    const char *const *names, int count)
{
    enum { longest = 380, rest = 8 }; /* of the list, and of what ends it */
    rc_str_t list = {0};
    int n = 0;
    while (count < 0 ? names[n] != NULL : n < count)
        n++;
    int i = 0;
    for (; i < n && list.len + strlen(names[i]) + rest < longest; i++)
        rc_str_addf(&list, "%s%s", i ? ", " : "", names[i]);
    const char *near = rc_similar(word, names, n);
    rc_fail(err, status, "unknown %s '%.60s'%s%s%s; known: %s%s", what, word,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
        list.text && !list.failed ? list.text : "", i < n ? ", ..." : "");
    rc_str_free(&list);
    return status;
}

rc_text_t rc_text_bytes(double bytes)
{
    rc_text_t t;
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int i = 0;
    while (bytes >= 1000 && i < 5) {
        bytes /= 1000;
        i++;
    }
    snprintf(t.text, sizeof t.text, i ? "%.2f %s" : "%.0f %s", bytes, unit[i]);
    return t;
}

rc_text_t rc_text_count(double n)
{
    rc_text_t t = {""};
    char digits[sizeof t.text / 2]; /* beyond which no count is exact, nor commas of use */
    int length = snprintf(digits, sizeof digits, "%.0f", ceil(n));
    if (length >= (int)sizeof digits)
        (void)snprintf(t.text, sizeof t.text, "%.3g", n);
    for (int i = 0, at = 0; length < (int)sizeof digits && i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            t.text[at++] = ',';
        t.text[at++] = digits[i];
    }
    return t;
}

rc_text_t rc_text_seconds(double s)
{
    rc_text_t t;
    if (s < 0)
        s = 0;
    if (s < 1e-6)
        snprintf(t.text, sizeof t.text, "%.0f ns", s * 1e9);
    else if (s < 1e-3)
        snprintf(t.text, sizeof t.text, "%.2f us", s * 1e6);
    else if (s < 1)
        snprintf(t.text, sizeof t.text, "%.2f ms", s * 1e3);
    else if (s < 60)
        snprintf(t.text, sizeof t.text, "%.1f s", s);
    else if (s < 3600)
        snprintf(t.text, sizeof t.text, "%d min %02d s", (int)(s / 60), (int)fmod(s, 60));
    else
        snprintf(t.text, sizeof t.text, "%d h %02d min", (int)(s / 3600), (int)fmod(s / 60, 60));
    return t;
}
