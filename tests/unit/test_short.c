/* The numbers of 16 bits (base/value/short.h), and several of them at once (device/cpu/value.h), against
 * arithmetic in fp64. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "device/cpu/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A type as its definition says: bits of the exponent, and of the significand that are stored. */
typedef struct format {
    rc_precision_t precision;
    int exponent;
    int mantissa;
} format_t;

static const format_t formats[] = {{RC_BF16, 8, 7}, {RC_FP16, 5, 10}};
enum { FORMATS = sizeof formats / sizeof *formats, WORDS = 1 << 16 };

static double value_of(const format_t *f, uint32_t word)
{
    int exponent = (int)(word >> f->mantissa) & ((1 << f->exponent) - 1);
    double mantissa = (double)(word & ((1u << f->mantissa) - 1));
    int bias = (1 << (f->exponent - 1)) - 1;
    double v = exponent == 0 ? ldexp(mantissa, 1 - bias - f->mantissa)
                             : ldexp(mantissa + ldexp(1, f->mantissa), exponent - bias - f->mantissa);
    if (exponent == (1 << f->exponent) - 1)
        v = mantissa == 0 ? INFINITY : NAN;
    return word >> 15 ? -v : v;
}

/* The number of the type that is nearest, by the distances to both beside it. */
static double nearest(const format_t *f, double x)
{
    int exponent;
    if (!isfinite(x) || x == 0)
        return x;
    (void)frexp(x, &exponent);
    int bias = (1 << (f->exponent - 1)) - 1;
    int unit = exponent - 1 - f->mantissa;
    int least = 1 - bias - f->mantissa;
    unit = unit > least ? unit : least;
    double scaled = ldexp(x, -unit);
    double low = floor(scaled);
    double rest = scaled - low;
    double whole = rest < 0.5 || (rest == 0.5 && fmod(low, 2) == 0) ? low : low + 1;
    double rounded = copysign(ldexp(whole, unit), x);
    return fabs(rounded) < ldexp(1, bias + 1) ? rounded : copysign(INFINITY, x);
}

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static uint16_t bits_of(const format_t *f, float x)
{
    return f->precision == RC_BF16 ? rc_bf16_store(x).bits : rc_fp16_store(x).bits;
}

static float float_of(const format_t *f, uint16_t word)
{
    return f->precision == RC_BF16 ? rc_bf16_load((rc_bf16_t){word}) : rc_fp16_load((rc_fp16_t){word});
}

/* Every word means what the format says, and comes back. */
static void every_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS; i++)
        for (uint32_t w = 0; w < WORDS; w++) {
            const uint16_t word = (uint16_t)w;
            const double v = value_of(&formats[i], w);
            const float x = float_of(&formats[i], word);
            assert_true(same((double)x, v));
            assert_true(same(rc_type(formats[i].precision)->load(&word, 0), v));
            const uint16_t back = bits_of(&formats[i], x);
            assert_true(isnan(v) ? isnan(value_of(&formats[i], back)) : back == word);
        }
}

static void check(const format_t *f, float x)
{
    const rc_type_t *type = rc_type(f->precision);
    const double want = nearest(f, (double)x);
    const uint16_t word = bits_of(f, x);
    uint16_t stored;
    type->store(&stored, 0, (double)x);
    if (!same(value_of(f, word), want) || !same(value_of(f, stored), want))
        fail_msg("%s: %a became %04x and %04x, not %a", type->name, (double)x, word, stored, want);
}

/* Floats of all kinds, and those at and beside the middle of two words. */
static void floats_round_to_nearest(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 11);
    for (size_t i = 0; i < FORMATS; i++) {
        for (int n = 0; n < 1000000; n++)
            check(&formats[i], rc_float_of((uint32_t)rc_rng_next(&rng)));
        for (uint32_t w = 0; w + 1 < WORDS / 2; w++) {
            const double middle = (value_of(&formats[i], w) + value_of(&formats[i], w + 1)) / 2;
            const float x = (float)(isfinite(middle) ? middle : 0);
            const float around[] = {x, nextafterf(x, 0), nextafterf(x, INFINITY)};
            for (int k = 0; k < 3; k++) {
                check(&formats[i], around[k]);
                check(&formats[i], -around[k]);
            }
        }
        const float odd[] = {0, -0.0F, INFINITY, -INFINITY, NAN, 65504, 65519.996F, 65520, 65536, FLT_MAX,
            -FLT_MAX, FLT_MIN, 0x1p-149F, 0x1p-126F, 0x1p-24F, 0x1p-25F, 0x1.8p-25F, 0x1.000002p-25F,
            0x1.fffffep-15F, 0x1.fep127F, 0x1.ffp127F, 0x1.fefffep127F};
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
            check(&formats[i], odd[k]);
    }
}

/* From fp64 at once: by way of fp32 these would be ties that are none. */
static void doubles_round_once(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 12);
    for (size_t i = 0; i < FORMATS; i++) {
        const rc_type_t *type = rc_type(formats[i].precision);
        for (uint32_t w = 0; w + 1 < WORDS / 2; w++) {
            const double middle = (value_of(&formats[i], w) + value_of(&formats[i], w + 1)) / 2;
            const double x = isfinite(middle) ? middle : 0;
            const double around[] = {x, nextafter(x, 0), nextafter(x, INFINITY), ldexp(rc_rng_unit(&rng), (int)(w % 400) - 200)};
            for (int k = 0; k < 4; k++)
                assert_true(same(type->round(around[k]), nearest(&formats[i], around[k])));
        }
        const double odd[] = {1e300, -1e300, 1e-300, DBL_MAX, DBL_TRUE_MIN, INFINITY, NAN, -0.0, 0x1p-150, 65519.99999999999};
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
            assert_true(same(type->round(odd[k]), nearest(&formats[i], odd[k])));
    }
}

/* ---------------------------------------------------- several, of each instruction set */

/* Takes words and floats of which it makes the others. */
typedef void several_fn(const uint16_t *word, float *load, const float *x, uint16_t *store);

enum { SEVERAL = 16 };

#define SETS(type, isa, target)                                                                    \
    target static void several_##type##_##isa(                                                     \
        const uint16_t *word, float *load, const float *x, uint16_t *store)                        \
    {                                                                                              \
        rc_##type##_t from[SEVERAL], to[SEVERAL];                                                  \
        memcpy(from, word, sizeof from);                                                           \
        RC_LOADS_##type(isa, load, from, 16);                                                      \
        RC_STORES_##type(isa, to, x, 8);                                                           \
        RC_STORES_##type(isa, to + 8, x + 8, 4);                                                   \
        RC_STORES_##type(isa, to + 12, x + 12, 2);                                                 \
        to[14] = RC_STORE_##type(isa, x[14]);                                                      \
        RC_STORES_##type(isa, to + 15, x + 15, 1);                                                 \
        memcpy(store, to, sizeof to);                                                              \
    }                                                                                              \
    target static void parts_##type##_##isa(                                                       \
        const uint16_t *word, float *load, const float *x, uint16_t *store)                        \
    {                                                                                              \
        rc_##type##_t from[SEVERAL], to[SEVERAL];                                                  \
        memcpy(from, word, sizeof from);                                                           \
        RC_LOADS_##type(isa, load, from, 8);                                                       \
        RC_LOADS_##type(isa, load + 8, from + 8, 4);                                               \
        RC_LOADS_##type(isa, load + 12, from + 12, 2);                                             \
        load[14] = RC_LOAD_##type(isa, from[14]);                                                  \
        RC_LOADS_##type(isa, load + 15, from + 15, 1);                                             \
        RC_STORES_##type(isa, to, x, 16);                                                          \
        memcpy(store, to, sizeof to);                                                              \
    }
SETS(bf16, base, )
SETS(fp16, base, )
#if RC_SIMD_X86
SETS(bf16, avx2, RC_TARGET_AVX2)
SETS(fp16, avx2, RC_TARGET_AVX2)
SETS(bf16, avx512, RC_TARGET_AVX512)
SETS(fp16, avx512, RC_TARGET_AVX512)
#endif

static several_fn *const sets[][FORMATS][2] = {
    {{several_bf16_base, parts_bf16_base}, {several_fp16_base, parts_fp16_base}},
#if RC_SIMD_X86
    {{several_bf16_avx2, parts_bf16_avx2}, {several_fp16_avx2, parts_fp16_avx2}},
    {{several_bf16_avx512, parts_bf16_avx512}, {several_fp16_avx512, parts_fp16_avx512}},
#endif
};

static void check_several(const format_t *f, several_fn *several, uint32_t first, rc_rng_t *rng)
{
    uint16_t word[SEVERAL], store[SEVERAL];
    float load[SEVERAL], x[SEVERAL];
    for (int i = 0; i < SEVERAL; i++) {
        word[i] = (uint16_t)(first + (uint32_t)i);
        x[i] = rc_float_of((uint32_t)rc_rng_next(rng));
        if (i % 2)
            x[i] = (float)((value_of(f, word[i]) + value_of(f, word[i] ^ 1u)) / 2); /* a tie */
    }
    several(word, load, x, store);
    for (int i = 0; i < SEVERAL; i++) {
        assert_true(same((double)load[i], value_of(f, word[i])));
        assert_true(same(value_of(f, store[i]), nearest(f, (double)x[i])));
    }
}

static void several_at_once(void **state)
{
    (void)state;
    const char *isa;
    rc_rng_t rng;
    rc_rng_seed(&rng, 13);
    for (int level = 0; level <= rc_simd_level(rc_simd_lanes32(&isa)); level++)
        for (size_t i = 0; i < FORMATS; i++)
            for (uint32_t w = 0; w < WORDS; w += SEVERAL)
                for (int k = 0; k < 2; k++)
                    check_several(&formats[i], sets[level][i][k], w, &rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word),
        cmocka_unit_test(floats_round_to_nearest),
        cmocka_unit_test(doubles_round_once),
        cmocka_unit_test(several_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
