#include "config.h"
#include "analysis/report/page_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void rc_page_text(rc_str_t *s, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "&<>\"'");
        rc_str_addn(s, at, n);
        at += n;
        switch (*at) {
        case '&':
            rc_str_add(s, "&amp;");
            break;
        case '<':
            rc_str_add(s, "&lt;");
            break;
        case '>':
            rc_str_add(s, "&gt;");
            break;
        case '"':
            rc_str_add(s, "&quot;");
            break;
        case '\'':
            rc_str_add(s, "&#39;");
            break;
        default:
            return;
        }
        at++;
    }
}

void rc_page_code(rc_str_t *s, const char *text)
{
    rc_str_add(s, "<code>");
    rc_page_kernel(s, text);
    rc_str_add(s, "</code>");
}

void rc_page_kernel(rc_str_t *s, const char *name)
{
    for (const char *at = name; *at;) {
        rc_str_t part = {0};
        size_t n = strcspn(at, ":");
        n += at[n] == ':';
        rc_str_addn(&part, at, n);
        rc_page_text(s, part.text ? part.text : "");
        rc_str_add(s, at[n] ? "<wbr>" : "");
        s->failed |= part.failed;
        rc_str_free(&part);
        at += n;
    }
}

void rc_page_count(rc_str_t *s, int64_t n)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, n);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            rc_str_add(s, ",");
        rc_str_addn(s, &digits[i], 1);
    }
}

void rc_page_counted(rc_str_t *s, int64_t n, const char *one, const char *many)
{
    rc_page_count(s, n);
    rc_str_addf(s, " %s", n == 1 ? one : many);
}

void rc_page_ratio(rc_str_t *s, double ratio)
{
    if (!isfinite(ratio))
        rc_str_add(s, "&ndash;");
    else if (ratio < 10)
        rc_str_addf(s, "%.3f&times;", ratio);
    else
        rc_str_addf(s, "%.4g&times;", ratio);
}

void rc_page_share(rc_str_t *s, int64_t part, int64_t whole)
{
    double share = whole ? 100 * (double)part / (double)whole : NAN;
    if (!isfinite(share))
        rc_str_add(s, "&ndash;");
    else
        rc_str_addf(s, "%.*f&nbsp;%%", share > 0 && share < 10 ? 1 : 0, share);
}

void rc_page_when(rc_str_t *s, int64_t utc_ns)
{
    time_t seconds = (time_t)(utc_ns / INT64_C(1000000000));
    struct tm tm;
    char text[64];
    if (gmtime_r(&seconds, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &tm))
        rc_str_add(s, text);
}

/* ------------------------------------------------------------------------ JSON */

void rc_page_json_text(rc_str_t *s, const char *text)
{
    rc_str_add(s, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        int separator = at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9);
        if (separator) {
            rc_str_addf(s, "\\u20%02x", at[2] == 0xa8 ? 0x28 : 0x29);
            at += 2;
        } else if (*at < 0x20 || *at == 0x7f || strchr("<>&\"'\\", *at)) {
            rc_str_addf(s, "\\u%04x", *at);
        } else {
            rc_str_addn(s, (const char *)at, 1);
        }
    }
    rc_str_add(s, "\"");
}

void rc_page_json_real(rc_str_t *s, double x)
{
    enum { DIGITS = 6 };
    char text[40];
    if (!isfinite(x)) {
        rc_str_add(s, "null");
        return;
    }
    /* d.ddddde+XX as dddddd and a power of ten, without the zeros at its end */
    snprintf(text, sizeof text, "%.*e", DIGITS - 1, x);
    char *e = strchr(text, 'e');
    long power = strtol(e + 1, NULL, 10) - (DIGITS - 1);
    *e = '\0';
    char digits[DIGITS + 2] = "0";
    int n = 0;
    for (const char *at = text; *at; at++)
        if (*at >= '0' && *at <= '9' && n < DIGITS)
            digits[n++] = *at;
    while (n > 1 && digits[n - 1] == '0') {
        n--;
        power++;
    }
    int first = 0;
    while (first < n - 1 && digits[first] == '0')
        first++;
    if (x < 0)
        rc_str_add(s, "-");
    if (digits[first] == '0') {
        rc_str_add(s, "0");
    } else if (power >= 0 && power <= 2) {
        rc_str_addn(s, digits + first, (size_t)(n - first));
        rc_str_addn(s, "00", (size_t)power);
    } else if (power < 0 && -power <= n - first) {
        int whole = n - first + (int)power;
        rc_str_addn(s, whole ? digits + first : "0", whole ? (size_t)whole : 1);
        rc_str_add(s, ".");
        rc_str_addn(s, digits + first + whole, (size_t)-power);
    } else {
        rc_str_addn(s, digits + first, (size_t)(n - first));
        rc_str_addf(s, "e%ld", power);
    }
}
