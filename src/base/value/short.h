/** \file base/value/short.h  Numbers of 16 bits: bf16 and fp16 to fp32 and back, to nearest, ties
 *  to even.  NaN stays NaN, and what is too large becomes infinity.
 *
 *  There is no branch and no table, so that loops over arrays vectorise on any CPU.  Subnormal
 *  numbers take no arithmetic that a CPU which flushes them would lose. */
#ifndef RC_BASE_SHORT_H
#define RC_BASE_SHORT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct rc_bf16 {
    uint16_t bits; /**< sign, 8 of the exponent, 7 of the significand */
} rc_bf16_t;

typedef struct rc_fp16 {
    uint16_t bits; /**< sign, 5 of the exponent, 10 of the significand */
} rc_fp16_t;

/** Kernels are made of these: a call for each value would be most of their time. */
#define RC_SHORT_INLINE __attribute__((always_inline)) static inline

RC_SHORT_INLINE uint32_t rc_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

RC_SHORT_INLINE float rc_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/** Of fp32: the magnitude, and where infinity is. */
enum { RC_FLOAT_MAGNITUDE = 0x7fffffff, RC_FLOAT_INFINITE = 0x7f800000 };

RC_SHORT_INLINE float rc_bf16_load(rc_bf16_t x)
{
    return rc_float_of((uint32_t)x.bits << 16);
}

RC_SHORT_INLINE rc_bf16_t rc_bf16_store(float x)
{
    const uint32_t bits = rc_float_bits(x);
    const uint32_t nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const uint32_t quiet = bits >> 16 | 0x40;
    const int nan = (bits & RC_FLOAT_MAGNITUDE) > RC_FLOAT_INFINITE;
    return (rc_bf16_t){(uint16_t)(nan ? quiet : nearest)};
}

/* Where the instruction set converts, compilers vectorise that. */
#if defined(__FLT16_MAX__) && (defined(__aarch64__) || defined(__AVX512FP16__))

RC_SHORT_INLINE float rc_fp16_load(rc_fp16_t x)
{
    _Float16 y;
    memcpy(&y, &x, sizeof y);
    return (float)y;
}

RC_SHORT_INLINE rc_fp16_t rc_fp16_store(float x)
{
    const _Float16 y = (_Float16)x;
    rc_fp16_t to;
    memcpy(&to, &y, sizeof to);
    return to;
}

#else

/** The exponent of fp32 for that of fp16, and the bits that its significand has more. */
enum { RC_HALF_BIAS = (127 - 15) << 23, RC_HALF_MORE = 13 };

RC_SHORT_INLINE float rc_fp16_load(rc_fp16_t x)
{
    const uint32_t sign = (uint32_t)(x.bits & 0x8000) << 16;
    const uint32_t exponent = x.bits & 0x7c00;
    const uint32_t magnitude = (uint32_t)(x.bits & 0x7fff) << RC_HALF_MORE;
    const uint32_t normal = magnitude + RC_HALF_BIAS;
    /* a subnormal one counts 2^-24: as what is above 2^-14 in the significand of that */
    const float small = rc_float_of(magnitude + RC_HALF_BIAS + (1 << 23)) - 0x1p-14F;
    const uint32_t finite = exponent == 0 ? rc_float_bits(small) : normal;
    return rc_float_of(sign | finite | (exponent == 0x7c00 ? RC_FLOAT_INFINITE : 0));
}

RC_SHORT_INLINE rc_fp16_t rc_fp16_store(float x)
{
    enum { least = 113 << 23, infinite = 0x7c00, quiet = 0x7e00 };
    const uint32_t bits = rc_float_bits(x);
    const uint32_t magnitude = bits & RC_FLOAT_MAGNITUDE;
    const uint32_t half = 0xfff + (magnitude >> RC_HALF_MORE & 1);
    const uint32_t nearest = (magnitude - RC_HALF_BIAS + half) >> RC_HALF_MORE;
    const uint32_t normal = nearest < infinite ? nearest : infinite;
    /* below 2^-14 numbers are 2^-24 apart, as those of fp32 from 1/2 on are */
    const uint32_t small = rc_float_bits(rc_float_of(magnitude) + 0.5F) - rc_float_bits(0.5F);
    const uint32_t number = magnitude < least ? small : normal;
    const uint32_t found = magnitude > RC_FLOAT_INFINITE ? quiet : number;
    return (rc_fp16_t){(uint16_t)(bits >> 16 & 0x8000) | (uint16_t)found};
}

#endif

/** fp32 to odd: of the two numbers beside one that fp32 has not, that with the last bit set.
 *  Rounded to a type with at least two bits less it gives what rounding at once gives. */
static inline float rc_float_to_odd(double value)
{
    const float nearest = (float)value;
    if ((double)nearest == value || isnan(value))
        return nearest;
    const uint32_t beyond = fabs((double)nearest) > fabs(value);
    return rc_float_of((rc_float_bits(nearest) - beyond) | 1);
}

/** From fp64, rounded once. */
static inline rc_bf16_t rc_bf16_of(double value)
{
    return rc_bf16_store(rc_float_to_odd(value));
}

static inline rc_fp16_t rc_fp16_of(double value)
{
    return rc_fp16_store(rc_float_to_odd(value));
}

#endif
