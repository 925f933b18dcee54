#include "config.h"
#include "io/number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    digits_exact = 19,  /* that many digits always fit 64 bits */
    power_exact = 27,   /* 5^27 < 2^63 */
    text_longest = 1100 /* characters; 767 significant digits decide any double */
};

/* ------------------------------------------------------------------ digits */

static int is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Append digits to w (which wraps after 19 of them); returns the first character that is none. */
static const char *digits(const char *p, const char *end, uint64_t *w)
{
    static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    while (end - p >= 8) {
        uint64_t value;
        int n = rc_digits8(p, &value);
        *w = *w * ten[n] + value;
        p += n;
        if (n < 8)
            return p;
    }
    for (; p < end && is_digit(*p); p++)
        *w = *w * 10 + (uint64_t)(*p - '0');
    return p;
}

static const char *zeros(const char *p, const char *end)
{
    while (p < end && *p == '0')
        p++;
    return p;
}

/* --------------------------------------------------------------- conversion */

__extension__ typedef unsigned __int128 wide_t;

static double power_of_two(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* m * 2^e rounded to nearest even; m != 0 and the result is far from the ends of the range.  The
 * lowest bit of m may stand for any non-zero rest when m has more than 55 bits. */
static double round_wide(wide_t m, int e)
{
    uint64_t top = (uint64_t)(m >> 64);
    int bits = top ? 128 - __builtin_clzll(top) : 64 - __builtin_clzll((uint64_t)m);
    if (bits <= 53)
        return (double)(uint64_t)m * power_of_two(e);
    int drop = bits - 53;
    uint64_t kept = (uint64_t)(m >> drop);
    wide_t rest = m & (((wide_t)1 << drop) - 1);
    wide_t half = (wide_t)1 << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return (double)kept * power_of_two(e + drop);
}

/* w * 10^e with w != 0, |e| <= power_exact.  10^e = 5^e * 2^e, so only 5^|e| is multiplied or
 * divided by, and both are exact up to a remainder that is kept as a sticky bit. */
static double scale(uint64_t w, int e)
{
    static const double ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
        1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    static const uint64_t five[power_exact + 1] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 390625,
        1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625, 30517578125, 152587890625,
        762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125,
        2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125,
        1490116119384765625, 7450580596923828125};
    int size = e < 0 ? -e : e;
    /* both factors exact in a double: one rounding (Clinger 1990, doi:10.1145/93542.93557) */
    if (w <= UINT64_C(1) << 53 && size <= 22)
        return e < 0 ? (double)w / ten[size] : (double)w * ten[size];
    if (e >= 0)
        return round_wide((wide_t)w * five[size], e);
    int shift = 64 + __builtin_clzll(w);
    wide_t n = (wide_t)w << shift;
    wide_t q = n / five[size];
    q |= (n - q * five[size]) != 0;
    return round_wide(q, e - shift);
}

/* Digits and what they are multiplied with: w 10^e. */
typedef struct parts {
    uint64_t w;    /* which wraps when there are more than digits_exact */
    int64_t count; /* significant ones */
    int64_t e;
    int negative;
} parts_t;

static rc_number_t by_strtod(const char *p, const char *end, locale_t c, double *value)
{
    char text[text_longest + 1];
    size_t n = (size_t)(end - p);
    if (n > text_longest)
        return RC_NUMBER_LONG;
    memcpy(text, p, n);
    text[n] = '\0';
    *value = strtod_l(text, NULL, c);
    return isfinite(*value) ? RC_NUMBER_OK : RC_NUMBER_HUGE;
}

/* The exponent after 'e'; a text without digits is left as it is. */
static const char *exponent(const char *p, const char *end, int64_t *e)
{
    enum { enough = 100000 }; /* beyond it every double is 0 or infinite */
    int negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p >= end || !is_digit(*p))
        return NULL;
    int64_t value = 0;
    for (; p < end && is_digit(*p); p++)
        if (value < enough)
            value = value * 10 + (*p - '0');
    *e += negative ? -value : value;
    return p;
}

/* [+-] digits [. digits]; NULL: no digit. */
static const char *mantissa(const char *p, const char *end, parts_t *d)
{
    *d = (parts_t){.negative = p < end && *p == '-'};
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    const char *first = p;
    p = zeros(p, end);
    const char *from = p;
    p = digits(p, end, &d->w);
    d->count = p - from;
    int64_t seen = p - first; /* all digits */
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        if (d->count == 0)
            p = zeros(p, end);
        from = p;
        p = digits(p, end, &d->w);
        d->count += p - from;
        seen += p - fraction;
        d->e = fraction - p;
    }
    return seen > 0 ? p : NULL;
}

rc_number_t rc_number_parse(
    const char *p, const char *end, locale_t c, double *value, const char **after)
{
    const char *begin = p;
    parts_t d;
    p = mantissa(p, end, &d);
    if (p && p < end && (*p == 'e' || *p == 'E'))
        p = exponent(p + 1, end, &d.e);
    if (!p)
        return RC_NUMBER_NONE;
    *after = p;
    if (d.count == 0) {
        *value = d.negative ? -0.0 : 0.0;
        return RC_NUMBER_OK;
    }
    if (d.count > digits_exact || d.e < -power_exact || d.e > power_exact)
        return by_strtod(begin, p, c, value);
    double x = scale(d.w, (int)d.e);
    *value = d.negative ? -x : x;
    return RC_NUMBER_OK;
}

rc_number_t rc_number_not_finite(const char *p, const char *end, double *value, const char **after)
{
    static const struct {
        const char *word;
        size_t n;
        double value;
    } known[] = {
        {"infinity", 8, (double)INFINITY}, {"inf", 3, (double)INFINITY}, {"nan", 3, (double)NAN}};
    int negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((size_t)(end - p) >= known[i].n && strncasecmp(p, known[i].word, known[i].n) == 0) {
            *value = negative && !isnan(known[i].value) ? -known[i].value : known[i].value;
            *after = p + known[i].n;
            return RC_NUMBER_OK;
        }
    return RC_NUMBER_NONE;
}

/* Where the digits end when zeros behind them are left out: 64 bits do not hold any number of
 * these.  tens: how many of them were before the point. */
static const char *before_zeros(const char *p, const char *end, int64_t *tens)
{
    *tens = 0;
    if (memchr(p, '.', (size_t)(end - p))) {
        while (end[-1] == '0')
            end--;
        if (end[-1] != '.')
            return end;
        end--;
    }
    for (; end - p > 1 && end[-1] == '0' && is_digit(end[-2]); end--)
        ++*tens;
    return end;
}

rc_number_t rc_number_whole(const char *p, const char *end, double *value, const char **after)
{
    static const uint64_t most = UINT64_C(1) << 53;
    parts_t d;
    const char *behind = mantissa(p, end, &d);
    if (!behind)
        return RC_NUMBER_NONE;
    int64_t tens;
    const char *last = before_zeros(p, behind, &tens);
    if (last < behind)
        (void)mantissa(p, last, &d);
    d.e += tens;
    if (behind < end && (*behind == 'e' || *behind == 'E'))
        behind = exponent(behind + 1, end, &d.e);
    if (!behind)
        return RC_NUMBER_NONE;
    for (; d.e < 0 && d.w > 0 && d.w % 10 == 0; d.e++)
        d.w /= 10;
    if (d.count > 0 && d.e < 0)
        return RC_NUMBER_PART;
    for (; d.w > 0 && d.w <= most && d.e > 0; d.e--)
        d.w *= 10;
    if (d.w > most || d.count > digits_exact)
        return RC_NUMBER_HUGE;
    *after = behind;
    *value = (double)(d.negative ? -(int64_t)d.w : (int64_t)d.w);
    return RC_NUMBER_OK;
}
