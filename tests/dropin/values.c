#include "values.h"

#include <math.h>
#include <string.h>

/* Bits of the significand, exponents of the smallest normal and of the largest number. */
typedef struct shape {
    cudaDataType type;
    cudaDataType sum;
    int parts;
    size_t bytes; /* of a part */
    int bits;
    int least;
    int most;
} shape_t;

static const shape_t *shape_of(cudaDataType type)
{
    static const shape_t shapes[] = {{CUDA_R_64F, CUDA_R_64F, 1, 8, 53, -1022, 1023},
        {CUDA_R_32F, CUDA_R_32F, 1, 4, 24, -126, 127}, {CUDA_R_16BF, CUDA_R_32F, 1, 2, 8, -126, 127},
        {CUDA_R_16F, CUDA_R_32F, 1, 2, 11, -14, 15}, {CUDA_C_32F, CUDA_C_32F, 2, 4, 24, -126, 127},
        {CUDA_C_64F, CUDA_C_64F, 2, 8, 53, -1022, 1023}};
    for (size_t i = 1; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].type == type)
            return &shapes[i];
    return &shapes[0];
}

size_t value_bytes(cudaDataType type)
{
    return shape_of(type)->bytes * (size_t)shape_of(type)->parts;
}

int value_parts(cudaDataType type)
{
    return shape_of(type)->parts;
}

cudaDataType value_sum(cudaDataType type)
{
    return shape_of(type)->sum;
}

double value_eps(cudaDataType type)
{
    return ldexp(1, 1 - shape_of(type)->bits);
}

double value_least(cudaDataType type)
{
    const shape_t *s = shape_of(type);
    return ldexp(1, s->least - s->bits + 1);
}

double value_round(cudaDataType type, double value)
{
    const shape_t *s = shape_of(type);
    int exponent;
    if (!isfinite(value) || value == 0 || s->bytes == 8)
        return value;
    (void)frexp(value, &exponent); /* 2^exponent is above it */
    double unit = ldexp(1, (exponent - 1 > s->least ? exponent - 1 : s->least) - s->bits + 1);
    double rounded = nearbyint(value / unit) * unit;
    return fabs(rounded) >= ldexp(1, s->most + 1) ? copysign(INFINITY, value) : rounded;
}

/* Sign, exponent and significand of what is rounded already. */
static uint16_t pack(const shape_t *s, double value)
{
    int mantissa = s->bits - 1;
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    int exponent;
    if (isnan(value))
        return 0x7fff;
    if (isinf(value))
        return (uint16_t)(sign | (unsigned)(s->most - s->least + 2) << mantissa);
    if (magnitude < ldexp(1, s->least))
        return (uint16_t)(sign | (unsigned)ldexp(magnitude, mantissa - s->least));
    double fraction = frexp(magnitude, &exponent);
    return (uint16_t)(sign
        | (((unsigned)(exponent - 1 - s->least + 1) << mantissa)
            + ((unsigned)ldexp(fraction, s->bits) - (1u << mantissa))));
}

static double unpack(const shape_t *s, uint16_t word)
{
    int mantissa = s->bits - 1;
    int exponent = (word & 0x7fff) >> mantissa;
    unsigned fraction = word & ((1u << mantissa) - 1);
    double value = exponent == 0 ? ldexp(fraction, s->least - mantissa)
                                 : ldexp(fraction + (1u << mantissa), s->least + exponent - 1 - mantissa);
    if (exponent == s->most - s->least + 2)
        value = fraction ? (double)NAN : (double)INFINITY;
    return word & 0x8000 ? -value : value;
}

static double load_part(const void *from, const shape_t *s, int64_t i)
{
    if (s->bytes == 2)
        return unpack(s, ((const uint16_t *)from)[i]);
    return s->bytes == 4 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static void store_part(void *to, const shape_t *s, int64_t i, double value)
{
    if (s->bytes == 2)
        ((uint16_t *)to)[i] = pack(s, value_round(s->type, value));
    else if (s->bytes == 4)
        ((float *)to)[i] = (float)value;
    else
        ((double *)to)[i] = value;
}

number_t number_load(const void *from, cudaDataType type, int64_t i)
{
    const shape_t *s = shape_of(type);
    return (number_t){load_part(from, s, i * s->parts), s->parts > 1 ? load_part(from, s, i * s->parts + 1) : 0};
}

void number_store(void *to, cudaDataType type, int64_t i, number_t x)
{
    const shape_t *s = shape_of(type);
    store_part(to, s, i * s->parts, x.re);
    if (s->parts > 1)
        store_part(to, s, i * s->parts + 1, x.im);
}

double value_load(const void *from, cudaDataType type, int64_t i)
{
    return number_load(from, type, i).re;
}

void value_store(void *to, cudaDataType type, int64_t i, double value)
{
    number_store(to, type, i, (number_t){value, 0});
}

number_t number_plus(number_t a, number_t b)
{
    return (number_t){a.re + b.re, a.im + b.im};
}

number_t number_times(number_t a, number_t b)
{
    if (a.im == 0)
        return (number_t){a.re * b.re, b.im == 0 ? 0 : a.re * b.im};
    if (b.im == 0)
        return (number_t){a.re * b.re, a.im * b.re};
    return (number_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

number_t number_conjugate(number_t x)
{
    return (number_t){x.re, -x.im};
}

double number_size(number_t x)
{
    return hypot(x.re, x.im);
}

int number_is_zero(number_t x)
{
    return x.re == 0 && x.im == 0;
}
