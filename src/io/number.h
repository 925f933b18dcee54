/** \file io/number.h  Decimal text to double, correctly rounded; inner header of the room. */
#ifndef RC_IO_NUMBER_H
#define RC_IO_NUMBER_H

#include <locale.h>
#include <stdint.h>
#include <string.h>

/** The digits at the front of p[0..8): how many there are, and their value.  Without branches, so
 *  that numbers of mixed length cost no mispredictions. */
static inline int rc_digits8(const char *p, uint64_t *value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t x;
    memcpy(&x, p, sizeof x);
    x ^= UINT64_C(0x3030303030303030);
    /* bit 7 of every byte above 9; a carry goes up, past the first of them, and does no harm */
    uint64_t other = ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
    int n = other ? __builtin_ctzll(other) / 8 : 8;
    /* right-align: the empty bytes in front become leading zeros */
    x = n ? x << (64 - 8 * n) : 0;
    /* pairs, then fours, then all eight */
    x = x * 10 + (x >> 8);
    x = (x & UINT64_C(0x00ff00ff00ff00ff)) * 100 + ((x >> 16) & UINT64_C(0x00ff00ff00ff00ff));
    x = (x & UINT64_C(0x0000ffff0000ffff)) * 10000 + ((x >> 32) & UINT64_C(0x0000ffff0000ffff));
    *value = x & UINT64_C(0xffffffff);
    return n;
#else
    uint64_t x = 0;
    int n = 0;
    for (; n < 8 && (unsigned char)(p[n] - '0') < 10; n++)
        x = x * 10 + (uint64_t)(p[n] - '0');
    *value = x;
    return n;
#endif
}

/** What a number turned out to be. */
typedef enum rc_number {
    RC_NUMBER_OK = 0,
    RC_NUMBER_NONE = 1, /**< the text does not start with a decimal number */
    RC_NUMBER_HUGE = 2, /**< its magnitude does not fit a double */
    RC_NUMBER_LONG = 3, /**< more characters than anybody needs */
    RC_NUMBER_PART = 4  /**< not a whole number */
} rc_number_t;

/** Parse a decimal number ([+-] digits [. digits] [e [+-] digits]; no inf, nan or hexadecimal) at
 *  the start of [p, end).  Up to 19 digits and powers of ten up to 27 are converted exactly in
 *  128-bit integers; the rest goes through strtod_l.
 *  \param[in]  c      a locale with a decimal point
 *  \param[out] value  round to nearest, ties to even
 *  \param[out] after  first character behind the number; set when it is RC_NUMBER_OK */
rc_number_t rc_number_parse(
    const char *p, const char *end, locale_t c, double *value, const char **after);

/** Parse nan, inf or infinity with or without a sign, in any case of letters; there is one NaN.
 *  \return RC_NUMBER_OK or RC_NUMBER_NONE; otherwise as rc_number_parse */
rc_number_t rc_number_not_finite(const char *p, const char *end, double *value, const char **after);

/** Parse a decimal number that is whole and at most 2^53, by its digits alone: "12", "12.",
 *  "1.2e1".
 *  \return RC_NUMBER_OK, RC_NUMBER_NONE, RC_NUMBER_PART, RC_NUMBER_HUGE; otherwise as
 *      rc_number_parse */
rc_number_t rc_number_whole(const char *p, const char *end, double *value, const char **after);

#endif
