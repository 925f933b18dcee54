#include "config.h"
#include "base/visible.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The character at p: its bytes, 0 when they are no UTF-8 (overlong forms and surrogates are none). */
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

/* One character of text as it is shown, at most 6 bytes and a NUL; returns how many bytes it had. */
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
