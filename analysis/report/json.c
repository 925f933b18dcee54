#include "config.h"
#include "analysis/report/json.h"
#include "base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Levels whose values begin a line: enough to find one's way. */
enum { LINE_DEPTH = 2 };

/* ------------------------------------------------------------------- parts of texts */

/* Bytes of the UTF-8 sequence at s; 0: it is none (RFC 3629, section 4). */
static size_t sequence(const unsigned char *s)
{
    size_t n = s[0] < 0x80                    ? 1
               : s[0] >= 0xc2 && s[0] <= 0xdf ? 2
               : s[0] >= 0xe0 && s[0] <= 0xef ? 3
               : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                              : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) /* also the NUL at the end */
            return 0;
    int outside = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
                  (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return outside ? 0 : n;
}

static void put_text(rc_str_t *s, const char *text)
{
    rc_str_add(s, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t n = sequence(at);
        int separator = n == 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] | 1) == 0xa9;
        if (n == 0)
            rc_str_add(s, "\\ufffd");
        else if (separator)
            rc_str_addf(s, "\\u20%02x", at[2] - 0x80);
        else if (n == 1 && (*at < 0x20 || *at == 0x7f || strchr("<>&\"'\\", *at)))
            rc_str_addf(s, "\\u%04x", *at);
        else
            rc_str_addn(s, (const char *)at, n);
        at += n ? n : 1;
    }
    rc_str_add(s, "\"");
}

/* ------------------------------------------------------------------------ structure */

/* What stands before a value: a comma, a line, its key. */
static void begin(rc_json_t *j, const char *key)
{
    rc_str_add(j->out, j->follows ? "," : "");
    if (j->depth > 0 && j->depth <= LINE_DEPTH)
        rc_str_add(j->out, "\n");
    j->follows = 1;
    if (key) {
        put_text(j->out, key);
        rc_str_add(j->out, ":");
    }
}

void rc_json_open(rc_json_t *j, const char *key, char bracket)
{
    begin(j, key);
    rc_str_addn(j->out, &bracket, 1);
    j->depth++;
    j->follows = 0;
}

void rc_json_close(rc_json_t *j, char bracket)
{
    j->depth--;
    j->follows = 1;
    rc_str_add(j->out, bracket == '{' ? "}" : "]");
}

void rc_json_text(rc_json_t *j, const char *key, const char *text)
{
    begin(j, key);
    if (text)
        put_text(j->out, text);
    else
        rc_str_add(j->out, "null");
}

void rc_json_int(rc_json_t *j, const char *key, int64_t n)
{
    begin(j, key);
    rc_str_addf(j->out, "%" PRId64, n);
}

void rc_json_index(rc_json_t *j, const char *key, int64_t n)
{
    if (n < 0)
        rc_json_text(j, key, NULL);
    else
        rc_json_int(j, key, n);
}

/* -------------------------------------------------------------------------- numbers */

void rc_json_real(rc_json_t *j, const char *key, double x)
{
    enum { DIGITS = 6 };
    char digits[RC_DECIMAL_BYTES];
    int power;
    rc_str_t *s = j->out;
    begin(j, key);
    if (!isfinite(x)) {
        rc_str_add(s, "null");
        return;
    }
    rc_decimal_int((int64_t)rc_decimal(x, DIGITS, &power), digits);
    int n = x == 0 ? 1 : DIGITS;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    power -= n - 1; /* of the last digit */
    rc_str_add(s, x < 0 ? "-" : "");
    if (digits[0] == '0') {
        rc_str_add(s, "0");
    } else if (power >= 0 && power <= 2) {
        rc_str_addn(s, digits, (size_t)n);
        rc_str_addn(s, "00", (size_t)power);
    } else if (power < 0 && -power <= n) {
        int whole = n + power;
        rc_str_addn(s, whole ? digits : "0", whole ? (size_t)whole : 1);
        rc_str_add(s, ".");
        rc_str_addn(s, digits + whole, (size_t)-power);
    } else {
        rc_str_addn(s, digits, (size_t)n);
        rc_str_addf(s, "e%d", power);
    }
}

void rc_json_base64(rc_json_t *j, const char *key, const char *data, size_t n)
{
    const unsigned char *byte = (const unsigned char *)data;
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    begin(j, key);
    rc_str_add(j->out, "\"");
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        unsigned x = (unsigned)byte[i] << 16 | (left > 1 ? (unsigned)byte[i + 1] << 8 : 0) |
                     (left > 2 ? (unsigned)byte[i + 2] : 0);
        char four[4] = {digit[x >> 18], digit[x >> 12 & 63], left > 1 ? digit[x >> 6 & 63] : '=',
            left > 2 ? digit[x & 63] : '='};
        rc_str_addn(j->out, four, sizeof four);
    }
    rc_str_add(j->out, "\"");
}
