#include "config.h"
#include "base/type.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double round_fp32(double value)
{
    return (double)(float)value;
}

static double load_fp32(const void *from, int64_t i)
{
    return (double)((const float *)from)[i];
}

static void store_fp32(void *to, int64_t i, double value)
{
    ((float *)to)[i] = (float)value;
}

static double round_fp64(double value)
{
    return value;
}

static double load_fp64(const void *from, int64_t i)
{
    return ((const double *)from)[i];
}

static void store_fp64(void *to, int64_t i, double value)
{
    ((double *)to)[i] = value;
}

/* A power of two of the normal numbers. */
static double two_to(int exponent)
{
    enum { bias = 1023, mantissa = 52 };
    uint64_t bits = (uint64_t)(exponent + bias) << mantissa;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To nearest, ties to even, from fp64 at once: rounding to fp32 first would round twice.  `least`
 * is the exponent of the smallest number above 0. */
static double round_short(double value, int bits, int least, double largest)
{
    int exponent;
    if (!isfinite(value) || value == 0)
        return value;
    (void)frexp(value, &exponent);
    int unit = exponent - bits > least ? exponent - bits : least;
    double rounded = rint(value * two_to(-unit)) * two_to(unit);
    return fabs(rounded) > largest ? copysign(INFINITY, value) : rounded;
}

static double round_bf16(double value)
{
    return round_short(value, 8, -133, 0x1.fep127);
}

static double load_bf16(const void *from, int64_t i)
{
    uint32_t word = (uint32_t)((const uint16_t *)from)[i] << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static void store_bf16(void *to, int64_t i, double value)
{
    float rounded = (float)round_bf16(value);
    uint32_t word;
    memcpy(&word, &rounded, sizeof word);
    ((uint16_t *)to)[i] = (uint16_t)(word >> 16);
}

/* fp16: sign, 5 bits of the exponent, 10 of the significand.  From 2^-14 on numbers are normal. */
enum { HALF_MANTISSA = 10, HALF_LEAST = -14, HALF_INFINITE = 0x7c00, HALF_NAN = 0x7e00 };

static double round_fp16(double value)
{
    return round_short(value, HALF_MANTISSA + 1, HALF_LEAST - HALF_MANTISSA, 65504);
}

static double load_fp16(const void *from, int64_t i)
{
    const unsigned word = ((const uint16_t *)from)[i];
    const unsigned bits = word & 0x7fff;
    const int exponent = (int)(bits >> HALF_MANTISSA);
    const double mantissa = bits & ((1 << HALF_MANTISSA) - 1);
    double value = bits > HALF_INFINITE    ? (double)NAN
                   : bits == HALF_INFINITE ? (double)INFINITY
                   : exponent == 0         ? mantissa * two_to(HALF_LEAST - HALF_MANTISSA)
                                           : (mantissa + (1 << HALF_MANTISSA)) *
                                         two_to(exponent - 1 + HALF_LEAST - HALF_MANTISSA);
    return word >> 15 ? -value : value;
}

static unsigned half_bits(double magnitude)
{
    int exponent;
    if (isnan(magnitude))
        return HALF_NAN;
    if (isinf(magnitude))
        return HALF_INFINITE;
    if (magnitude < two_to(HALF_LEAST))
        return (unsigned)(magnitude * two_to(HALF_MANTISSA - HALF_LEAST));
    (void)frexp(magnitude, &exponent);
    /* the leading bit of the significand adds one to the exponent */
    return ((unsigned)(exponent - 1 - HALF_LEAST) << HALF_MANTISSA) +
           (unsigned)(magnitude * two_to(HALF_MANTISSA + 1 - exponent));
}

static void store_fp16(void *to, int64_t i, double value)
{
    const unsigned sign = signbit(value) ? 0x8000 : 0;
    ((uint16_t *)to)[i] = (uint16_t)(sign | half_bits(fabs(round_fp16(value))));
}

/* Values of the host are fp64: most gathers are from there, and need no call for each. */
#define RC_GATHER(suffix)                                                                          \
    static void gather_##suffix(void *to, const double *from, const void *place, int place_bytes,  \
        int64_t begin, int64_t end)                                                                \
    {                                                                                              \
        for (int64_t i = begin; i < end; i++) {                                                    \
            int64_t at = place ? rc_place_at(place, place_bytes, i) - 1 : i;                       \
            store_##suffix(to, i, at < 0 ? 0 : from[at]);                                          \
        }                                                                                          \
    }
RC_GATHER(fp32)
RC_GATHER(fp64)
RC_GATHER(bf16)
RC_GATHER(fp16)

#define RC_TYPE(id, text, suffix, size, sums, bits, most, tiny, cuda, cuda_sum)                    \
    [id] = {.name = text,                                                                          \
        .bytes = size,                                                                             \
        .sum = sums,                                                                               \
        .unit = 1.0 / (double)((uint64_t)1 << bits),                                               \
        .largest = (double)most,                                                                   \
        .least = (double)tiny,                                                                     \
        .round = round_##suffix,                                                                   \
        .load = load_##suffix,                                                                     \
        .store = store_##suffix,                                                                   \
        .gather = gather_##suffix},
static const rc_type_t all[] = {RC_FOR_EACH_TYPE(RC_TYPE)};

const rc_type_t *rc_type(rc_precision_t t)
{
    return (unsigned)t < RC_TYPES ? &all[t] : &all[RC_FP64];
}

const char *rc_precision_name(rc_precision_t precision)
{
    return (unsigned)precision < RC_TYPES ? all[precision].name : NULL;
}

rc_status_t rc_type_parse(const char *name, rc_precision_t *out, rc_err_t *err)
{
    const char *names[RC_TYPES];
    for (int t = 0; t < RC_TYPES; t++) {
        names[t] = all[t].name;
        if (strcmp(name, names[t]) == 0) {
            *out = (rc_precision_t)t;
            return RC_OK;
        }
    }
    return rc_fail_unknown(err, RC_EINVAL, "precision", name, names, RC_TYPES);
}

rc_status_t rc_type_check(rc_precision_t t, const char *what, rc_err_t *err)
{
    enum { ROOM = 80 };
    char names[ROOM] = "";
    size_t at = 0;
    if ((unsigned)t < RC_TYPES)
        return RC_OK;
    for (int i = 0; i < RC_TYPES && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", all[i].name);
    return rc_fail(
        err, RC_EINVAL, "%s: expected a type of %s, found number %d", what, names, (int)t);
}

/* Values of 4 bytes that keep their type. */
static void gather_words(uint32_t *to, const uint32_t *from, const void *place, int place_bytes,
    int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        int64_t at = place ? rc_place_at(place, place_bytes, i) - 1 : i;
        to[i] = at < 0 ? 0 : from[at];
    }
}

void rc_type_gather(rc_precision_t to_type, void *to, rc_precision_t from_type, const void *from,
    const void *place, int place_bytes, int64_t begin, int64_t end)
{
    const rc_type_t *t = rc_type(to_type);
    const rc_type_t *f = rc_type(from_type);
    if (from_type == to_type && t->bytes == (int)sizeof(uint32_t)) {
        gather_words(to, from, place, place_bytes, begin, end);
        return;
    }
    if (from_type == RC_FP64) {
        t->gather(to, from, place, place_bytes, begin, end);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        int64_t at = place ? rc_place_at(place, place_bytes, i) - 1 : i;
        t->store(to, i, at < 0 ? 0 : f->load(from, at));
    }
}

void rc_type_beyond(rc_precision_t t, const double *value, int64_t n, char *out)
{
    const rc_type_t *type = rc_type(t);
    enum { thousand = 1000, grouped = 1000000 };
    char largest[32];
    int64_t beyond = 0;
    for (int64_t i = 0; i < n; i++)
        beyond += fabs(value[i]) > type->largest && isfinite(value[i]) &&
                  !isfinite(type->round(value[i]));
    out[0] = 0;
    if (beyond == 0)
        return;
    if (type->largest < grouped)
        (void)snprintf(largest, sizeof largest, "%d,%03d", (int)type->largest / thousand,
            (int)type->largest % thousand);
    else
        (void)snprintf(largest, sizeof largest, "%.3g", type->largest);
    (void)snprintf(out, RC_BEYOND_MAX + 1,
        "%" PRId64 " of %" PRId64 " value%s %s beyond %s (%s) and became infinity", beyond, n,
        rc_plural(n), beyond == 1 ? "is" : "are", type->name, largest);
}
