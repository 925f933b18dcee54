#include "config.h"
#include "base/visible.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The character at p: its bytes, 0 when they are no UTF-8 (overlong forms and surrogates are
 * none). */
static size_t decode(const unsigned char *p, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *p < 0x80 ? 1 : *p >= 0xf0 && *p < 0xf8 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc0 ? 2 : 0;
    if (n == 0 || *p >= 0xf8)
        return 0;
    uint32_t c = n == 1 ? *p : *p & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if ((n > 1 && c < least[n]) || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *out = c;
    return n;
}

static int is_hidden(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* One character of text as it is shown, at most 6 bytes and a NUL; returns how many bytes it
 * had. */
static size_t spell(const char *text, char shown[8])
{
    uint32_t c;
    size_t n = decode((const unsigned char *)text, &c);
    if (n == 0)
        snprintf(shown, 8, "\\x%02x", (unsigned)(unsigned char)*text);
    else if (is_hidden(c))
        snprintf(shown, 8, c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c & 0xffff);
    else {
        memcpy(shown, text, n);
        shown[n] = '\0';
    }
    return n ? n : 1;
}

/* How many bytes from here on are ASCII and shown as they are: nearly always all. */
static size_t plain_run(const char *text)
{
    size_t n = 0;
    while ((unsigned char)text[n] >= 0x20 && (unsigned char)text[n] < 0x7f)
        n++;
    return n;
}

void rc_str_add_visible(rc_str_t *s, const char *text)
{
    char shown[8];
    size_t n = plain_run(text);
    rc_str_addn(s, text, n); /* "" is a text too */
    for (text += n; *text;) {
        text += spell(text, shown);
        rc_str_add(s, shown);
    }
}

void rc_visible(const char *text, char *buf, size_t size)
{
    char shown[8];
    size_t used = 0;
    while (*text) {
        text += spell(text, shown);
        size_t n = strlen(shown);
        if (used + n >= size)
            break;
        memcpy(buf + used, shown, n);
        used += n;
    }
    if (size > 0)
        buf[used] = '\0';
}

int rc_is_visible(const char *text)
{
    uint32_t c;
    for (size_t n; *text; text += n) {
        n = decode((const unsigned char *)text, &c);
        if (n == 0 || is_hidden(c))
            return 0;
    }
    return 1;
}

static int is_number(const char *text)
{
    char *end;
    if (text[strspn(text, "+-.0123456789eE")])
        return 0;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

void rc_str_add_csv(rc_str_t *s, const char *text)
{
    int formula = *text && strchr("=+-@", *text) && text[1] && !is_number(text);
    if (!formula && !strpbrk(text, ",\"")) {
        rc_str_add_visible(s, text);
        return;
    }
    rc_str_t shown = {0};
    rc_str_add_visible(&shown, text);
    s->failed |= shown.failed;
    rc_str_add(s, formula ? "\"'" : "\"");
    for (const char *p = shown.failed ? "" : shown.text; *p; p++)
        rc_str_addn(s, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    rc_str_add(s, "\"");
    rc_str_free(&shown);
}

/* -------------------------------------------------------------------- width */

typedef struct range {
    uint32_t first;
    uint32_t last;
} range_t;

static int is_in(const range_t *r, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n && r[i].first <= c; i++)
        if (c <= r[i].last)
            return 1;
    return 0;
}

static int columns_of(uint32_t c)
{
    static const range_t none[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x610, 0x61a},
        {0x64b, 0x65f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x20d0, 0x20ff},
        {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
    static const range_t two[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
        {0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60},
        {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
        {0x20000, 0x3fffd}};
    if (is_in(none, sizeof none / sizeof *none, c))
        return 0;
    return is_in(two, sizeof two / sizeof *two, c) ? 2 : 1;
}

int rc_text_width(const char *text)
{
    int width = 0;
    while (*text) {
        size_t n = plain_run(text);
        uint32_t c;
        width += (int)n;
        text += n;
        if (!*text)
            break;
        n = decode((const unsigned char *)text, &c);
        width += n ? columns_of(c) : 1;
        text += n ? n : 1;
    }
    return width;
}

/* ------------------------------------------------------------------ numbers */

const char *rc_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

const char *rc_matrices(int64_t n)
{
    return n == 1 ? "matrix" : "matrices";
}
