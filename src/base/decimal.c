#include "config.h"
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide_t;

/* Powers of five below 2^63, and how far a quotient of two wide numbers may be shifted. */
enum { FIVES = 27, SHIFT = 63 };

static uint64_t power_of(uint64_t base, int n)
{
    uint64_t x = 1;
    for (; n > 0; n /= 2, base *= base)
        x *= n % 2 ? base : 1;
    return x;
}

/* a / b to the nearest, of two as near to the even one. */
static uint64_t divide(wide_t a, wide_t b)
{
    wide_t whole = a / b;
    wide_t twice = 2 * (a - whole * b);
    return (uint64_t)whole + (twice > b || (twice == b && (whole & 1)));
}

/* The same of a / 2^n, 0 <= n <= 127. */
static uint64_t shift(wide_t a, int n)
{
    const wide_t one = 1;
    wide_t whole = a >> n;
    wide_t rest = a - (whole << n);
    wide_t half = n ? one << (n - 1) : 1;
    return (uint64_t)whole + (rest > half || (rest == half && (whole & 1)));
}

/* m 2^e 10^q to the nearest, where that is below 2^64 and what it takes fits; 0: it does not. */
static uint64_t scaled(uint64_t m, int e, int q)
{
    int bits = e + q; /* 10^q is 5^q 2^q */
    if (abs(q) > FIVES || abs(bits) > 2 * SHIFT)
        return 0;
    wide_t fives = power_of(5, abs(q));
    if (q >= 0)
        return bits > 0 ? (uint64_t)(m * fives << bits) : shift(m * fives, -bits);
    if (abs(bits) > SHIFT)
        return 0;
    return bits > 0 ? divide((wide_t)m << bits, fives) : divide(m, fives << -bits);
}

static uint64_t by_printf(double x, int n, int *power)
{
    char text[RC_DECIMAL_BYTES];
    uint64_t digits = 0;
    snprintf(text, sizeof text, "%.*e", n - 1, x);
    const char *at = text;
    for (; *at != 'e'; at++)
        digits = *at == '.' ? digits : 10 * digits + (uint64_t)(*at - '0');
    *power = (int)strtol(at + 1, NULL, 10);
    return digits;
}

uint64_t rc_decimal(double x, int n, int *power)
{
    const uint64_t above = power_of(10, n);
    int e;
    *power = 0;
    if (x == 0)
        return 0;
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &e), 53);
    int p = (int)floor((e - 1) * 0.30103); /* of ten, right or one too small */
    for (int tries = 0; tries < 2; tries++, p++) {
        uint64_t digits = scaled(m, e - 53, n - 1 - p);
        if (digits < above / 10)
            break;
        *power = p;
        if (digits < above)
            return digits;
    }
    return by_printf(fabs(x), n, power);
}

void rc_decimal_int(int64_t x, char *text)
{
    char digit[RC_DECIMAL_BYTES];
    int n = 0;
    uint64_t rest = x < 0 ? -(uint64_t)x : (uint64_t)x;
    do
        digit[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (x < 0)
        *text++ = '-';
    while (n > 0)
        *text++ = digit[--n];
    *text = '\0';
}

/* n digits with a point behind the first `whole` of them, where any are left. */
static char *put_digits(char *text, const char *digit, int n, int whole)
{
    memcpy(text, digit, (size_t)(n < whole ? n : whole));
    memset(text + (n < whole ? n : whole), '0', (size_t)(n < whole ? whole - n : 0));
    text += whole;
    if (n > whole) {
        *text++ = '.';
        memcpy(text, digit + whole, (size_t)(n - whole));
        text += n - whole;
    }
    *text = '\0';
    return text;
}

void rc_decimal_real(double x, int n, char *text)
{
    char digit[RC_DECIMAL_BYTES];
    int power;
    int left = n;
    rc_decimal_int((int64_t)rc_decimal(x, n, &power), digit);
    if (x == 0)
        left = 1;
    while (left > 1 && digit[left - 1] == '0')
        left--;
    if (signbit(x))
        *text++ = '-';
    if (power < -4 || power >= n) {
        text = put_digits(text, digit, left, 1);
        *text++ = 'e';
        *text++ = power < 0 ? '-' : '+';
        if (abs(power) < 10)
            *text++ = '0';
        rc_decimal_int(abs(power), text);
    } else if (power < 0) {
        memcpy(text, "0.0000", 6);
        put_digits(text + 1 - power, digit, left, left);
    } else
        put_digits(text, digit, left, power + 1);
}
