/** \file device/cpu/value.h  What instances.inc makes instances of: for each value type of
 *  base/type.h, by the suffix of its functions,
 *
 *      VALUE               of arrays
 *      WORD                an unsigned number of its size
 *      SUM, SUM_BYTES      what products are added up in
 *      PART, PARTS         real numbers that a sum is made of: itself, or two
 *      LOAD(isa, x)        a value as a sum
 *      STORE(isa, x)       a sum rounded to a value
 *      ROUND(x)            a double rounded to a value, of real numbers
 *      FACTOR(x)           real and imaginary part, two doubles, as a sum
 *      TIMES(x, y)         a product of two sums
 *      SCALED(f, x)        a product of a factor and a sum
 *      PART_OF(x, q)       part q of a sum
 *      JOINED(acc, i, l)   sum l of vector i of parts: acc[q] has those of products with part q
 *      LOADS(isa, to, from, n), STORES(isa, to, from, n)
 *                          the same of n values next to each other, a power of two and a constant;
 *                          the sums are a vector
 *      OLD(isa, out, i)
 *                          value i of an output (rc_out_t) as a sum
 *      FROM(out, i)        an output from value i on
 *      PUT(isa, out, i, x), PUTS(isa, out, i, from, n)
 *                          a sum, or a vector of n as of STORES, becomes value i of an output
 *
 *  where isa is base, avx2 or avx512 (simd.h). */
#ifndef RC_DEVICE_CPU_VALUE_H
#define RC_DEVICE_CPU_VALUE_H

#include "base/value/complex.h"
#include "base/value/short.h"
#include "device/cpu/simd.h"

#if RC_SIMD_X86
#include <immintrin.h>
#endif

/* ------------------------------------------------------- n values of 16 bits */

RC_SHORT_INLINE void rc_bf16_loads_base(float *to, const rc_bf16_t *from, int n)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        to[i] = rc_bf16_load(from[i]);
}

RC_SHORT_INLINE void rc_bf16_stores(rc_bf16_t *to, const float *from, int n)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        /* cppcheck-suppress objectIndex */
        to[i] = rc_bf16_store(from[i]);
}

#define rc_fp16_load_base rc_fp16_load
#define rc_fp16_store_base rc_fp16_store

RC_SHORT_INLINE void rc_fp16_loads_base(float *to, const rc_fp16_t *from, int n)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        to[i] = rc_fp16_load(from[i]);
}

RC_SHORT_INLINE void rc_fp16_stores_base(rc_fp16_t *to, const float *from, int n)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        to[i] = rc_fp16_store(from[i]);
}

/* Compilers split what is said without these in halves, which then go through memory. */
#if RC_SIMD_X86

RC_TARGET_AVX2 RC_SHORT_INLINE void rc_bf16_loads_avx2(float *to, const rc_bf16_t *from, int n)
{
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(from + i));
        const __m256i wide = _mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16);
        _mm256_storeu_ps(to + i, _mm256_castsi256_ps(wide));
    }
    for (; i < n; i++)
        to[i] = rc_bf16_load(from[i]);
}

RC_TARGET_AVX512 RC_SHORT_INLINE void rc_bf16_loads_avx512(float *to, const rc_bf16_t *from, int n)
{
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(from + i));
        const __m512i wide = _mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16);
        _mm512_storeu_ps(to + i, _mm512_castsi512_ps(wide));
    }
    rc_bf16_loads_avx2(to + i, from + i, n - i);
}

RC_TARGET_AVX2 RC_SHORT_INLINE float rc_fp16_load_avx2(rc_fp16_t x)
{
    return _cvtsh_ss(x.bits);
}

RC_TARGET_AVX2 RC_SHORT_INLINE rc_fp16_t rc_fp16_store_avx2(float x)
{
    return (rc_fp16_t){_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT)};
}

RC_TARGET_AVX2 RC_SHORT_INLINE void rc_fp16_loads_avx2(float *to, const rc_fp16_t *from, int n)
{
    int i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
    for (; i + 4 <= n; i += 4)
        _mm_storeu_ps(to + i, _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)(from + i))));
    for (; i < n; i++)
        to[i] = rc_fp16_load_avx2(from[i]);
}

RC_TARGET_AVX2 RC_SHORT_INLINE void rc_fp16_stores_avx2(rc_fp16_t *to, const float *from, int n)
{
    int i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(to + i),
            _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i + 4 <= n; i += 4)
        _mm_storel_epi64(
            (__m128i *)(to + i), _mm_cvtps_ph(_mm_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < n; i++)
        to[i] = rc_fp16_store_avx2(from[i]);
}

#define rc_fp16_load_avx512 rc_fp16_load_avx2
#define rc_fp16_store_avx512 rc_fp16_store_avx2

RC_TARGET_AVX512 RC_SHORT_INLINE void rc_fp16_loads_avx512(float *to, const rc_fp16_t *from, int n)
{
    int i = 0;
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from + i))));
    rc_fp16_loads_avx2(to + i, from + i, n - i);
}

RC_TARGET_AVX512 RC_SHORT_INLINE void rc_fp16_stores_avx512(rc_fp16_t *to, const float *from, int n)
{
    int i = 0;
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(to + i),
            _mm512_cvtps_ph(_mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    rc_fp16_stores_avx2(to + i, from + i, n - i);
}

#endif

/* ------------------------------------------------------------------ the types */

/* The outputs of products of 16 bits are of theirs or in fp32, as a run says. */
#define RC_OLD_SHORT(load, value, out, i)                                                          \
    ((out).sums ? ((const float *)(out).data)[i] : load(((const value *)(out).data)[i]))
#define RC_FROM_SHORT(value, out, i)                                                               \
    ((rc_out_t){                                                                                   \
        (char *)(out).data + ((out).sums ? (int64_t)sizeof(float) : (int64_t)sizeof(value)) * (i), \
        (out).sums})
#define RC_PUT_SHORT(store, value, out, i, x)                                                      \
    ((out).sums ? (void)(((float *)(out).data)[i] = (x))                                           \
                : (void)(((value *)(out).data)[i] = store(x)))
#define RC_PUTS_SHORT(stores, value, isa, out, i, from, n)                                         \
    ((out).sums ? (void)RC_STORES_fp32(isa, (float *)(out).data + (i), from, n)                    \
                : stores(isa, (value *)(out).data + (i), from, n))

/* a ## b after both were replaced */
#define RC_PASTE(a, b) a##b
#define RC_JOIN(a, b) RC_PASTE(a, b)

#define RC_TIMES_REAL(x, y) ((x) * (y))

#define RC_VALUE_fp32 float
#define RC_WORD_fp32 uint32_t
#define RC_SUM_fp32 float
#define RC_SUM_BYTES_fp32 4
#define RC_PART_fp32 RC_SUM_fp32
#define RC_PARTS_fp32 1
#define RC_LOAD_fp32(isa, x) (x)
#define RC_STORE_fp32(isa, x) (x)
#define RC_ROUND_fp32(x) ((float)(x))
#define RC_FACTOR_fp32(x) ((RC_SUM_fp32)(x)[0])
#define RC_TIMES_fp32(x, y) RC_TIMES_REAL(x, y)
#define RC_SCALED_fp32(f, x) RC_TIMES_REAL(f, x)
#define RC_PART_OF_fp32(x, q) (x)
#define RC_JOINED_fp32(acc, i, l) ((acc)[0][i][l])
#define RC_LOADS_fp32(isa, to, from, n) (*(to) = *(const __typeof__(*(to)) *)(from))
#define RC_STORES_fp32(isa, to, from, n) (*(__typeof__(*(from)) *)(to) = *(from))
#define RC_OLD_fp32(isa, out, i) (((const float *)(out).data)[i])
#define RC_FROM_fp32(out, i) ((rc_out_t){(float *)(out).data + (i), 0})
#define RC_PUT_fp32(isa, out, i, x) ((void)(((float *)(out).data)[i] = (x)))
#define RC_PUTS_fp32(isa, out, i, from, n) RC_STORES_fp32(isa, (float *)(out).data + (i), from, n)

#define RC_VALUE_fp64 double
#define RC_WORD_fp64 uint64_t
#define RC_SUM_fp64 double
#define RC_SUM_BYTES_fp64 8
#define RC_PART_fp64 RC_SUM_fp64
#define RC_PARTS_fp64 1
#define RC_LOAD_fp64(isa, x) (x)
#define RC_STORE_fp64(isa, x) (x)
#define RC_ROUND_fp64(x) (x)
#define RC_FACTOR_fp64(x) ((RC_SUM_fp64)(x)[0])
#define RC_TIMES_fp64(x, y) RC_TIMES_REAL(x, y)
#define RC_SCALED_fp64(f, x) RC_TIMES_REAL(f, x)
#define RC_PART_OF_fp64(x, q) (x)
#define RC_JOINED_fp64(acc, i, l) ((acc)[0][i][l])
#define RC_LOADS_fp64(isa, to, from, n) RC_LOADS_fp32(isa, to, from, n)
#define RC_STORES_fp64(isa, to, from, n) RC_STORES_fp32(isa, to, from, n)
#define RC_OLD_fp64(isa, out, i) (((const double *)(out).data)[i])
#define RC_FROM_fp64(out, i) ((rc_out_t){(double *)(out).data + (i), 0})
#define RC_PUT_fp64(isa, out, i, x) ((void)(((double *)(out).data)[i] = (x)))
#define RC_PUTS_fp64(isa, out, i, from, n) RC_STORES_fp64(isa, (double *)(out).data + (i), from, n)

#define RC_VALUE_bf16 rc_bf16_t
#define RC_WORD_bf16 uint16_t
#define RC_SUM_bf16 float
#define RC_SUM_BYTES_bf16 4
#define RC_PART_bf16 RC_SUM_bf16
#define RC_PARTS_bf16 1
#define RC_LOAD_bf16(isa, x) rc_bf16_load(x)
#define RC_STORE_bf16(isa, x) rc_bf16_store(x)
#define RC_ROUND_bf16(x) rc_bf16_of(x)
#define RC_FACTOR_bf16(x) ((RC_SUM_bf16)(x)[0])
#define RC_TIMES_bf16(x, y) RC_TIMES_REAL(x, y)
#define RC_SCALED_bf16(f, x) RC_TIMES_REAL(f, x)
#define RC_PART_OF_bf16(x, q) (x)
#define RC_JOINED_bf16(acc, i, l) ((acc)[0][i][l])
#define RC_LOADS_bf16(isa, to, from, n) RC_JOIN(rc_bf16_loads_, isa)((float *)(to), from, n)
#define RC_STORES_bf16(isa, to, from, n) rc_bf16_stores(to, (const float *)(from), n)
#define RC_OLD_bf16(isa, out, i) RC_OLD_SHORT(rc_bf16_load, rc_bf16_t, out, i)
#define RC_FROM_bf16(out, i) RC_FROM_SHORT(rc_bf16_t, out, i)
#define RC_PUT_bf16(isa, out, i, x) RC_PUT_SHORT(rc_bf16_store, rc_bf16_t, out, i, x)
#define RC_PUTS_bf16(isa, out, i, from, n)                                                         \
    RC_PUTS_SHORT(RC_STORES_bf16, rc_bf16_t, isa, out, i, from, n)

#define RC_VALUE_fp16 rc_fp16_t
#define RC_WORD_fp16 uint16_t
#define RC_SUM_fp16 float
#define RC_SUM_BYTES_fp16 4
#define RC_PART_fp16 RC_SUM_fp16
#define RC_PARTS_fp16 1
#define RC_LOAD_fp16(isa, x) RC_JOIN(rc_fp16_load_, isa)(x)
#define RC_STORE_fp16(isa, x) RC_JOIN(rc_fp16_store_, isa)(x)
#define RC_ROUND_fp16(x) rc_fp16_of(x)
#define RC_FACTOR_fp16(x) ((RC_SUM_fp16)(x)[0])
#define RC_TIMES_fp16(x, y) RC_TIMES_REAL(x, y)
#define RC_SCALED_fp16(f, x) RC_TIMES_REAL(f, x)
#define RC_PART_OF_fp16(x, q) (x)
#define RC_JOINED_fp16(acc, i, l) ((acc)[0][i][l])
#define RC_LOADS_fp16(isa, to, from, n) RC_JOIN(rc_fp16_loads_, isa)((float *)(to), from, n)
#define RC_STORES_fp16(isa, to, from, n) RC_JOIN(rc_fp16_stores_, isa)(to, (const float *)(from), n)
#define RC_OLD_fp16(isa, out, i) RC_OLD_SHORT(RC_JOIN(rc_fp16_load_, isa), rc_fp16_t, out, i)
#define RC_FROM_fp16(out, i) RC_FROM_SHORT(rc_fp16_t, out, i)
#define RC_PUT_fp16(isa, out, i, x) RC_PUT_SHORT(RC_JOIN(rc_fp16_store_, isa), rc_fp16_t, out, i, x)
#define RC_PUTS_fp16(isa, out, i, from, n)                                                         \
    RC_PUTS_SHORT(RC_STORES_fp16, rc_fp16_t, isa, out, i, from, n)

#define RC_VALUE_c64 float _Complex
#define RC_SUM_c64 float _Complex
#define RC_SUM_BYTES_c64 8
#define RC_PART_c64 float
#define RC_PARTS_c64 2
#define RC_LOAD_c64(isa, x) (x)
#define RC_STORE_c64(isa, x) (x)
#define RC_FACTOR_c64(x) rc_c64_of((float)(x)[0], (float)(x)[1])
#define RC_TIMES_c64(x, y) rc_c64_times(x, y)
#define RC_SCALED_c64(f, x) rc_c64_scaled(f, x)
#define RC_PART_OF_c64(x, q) ((q) == 0 ? crealf(x) : cimagf(x))
#define RC_JOINED_c64(acc, i, l)                                                                   \
    rc_c64_of((acc)[0][i][2 * (l)] - (acc)[1][i][2 * (l) + 1],                                     \
        (acc)[0][i][2 * (l) + 1] + (acc)[1][i][2 * (l)])
#define RC_LOADS_c64(isa, to, from, n) RC_LOADS_fp32(isa, to, from, n)
#define RC_OLD_c64(isa, out, i) (((const float _Complex *)(out).data)[i])
#define RC_FROM_c64(out, i) ((rc_out_t){(float _Complex *)(out).data + (i), 0})
#define RC_PUT_c64(isa, out, i, x) ((void)(((float _Complex *)(out).data)[i] = (x)))

#define RC_VALUE_c128 double _Complex
#define RC_SUM_c128 double _Complex
#define RC_SUM_BYTES_c128 16
#define RC_PART_c128 double
#define RC_PARTS_c128 2
#define RC_LOAD_c128(isa, x) (x)
#define RC_STORE_c128(isa, x) (x)
#define RC_FACTOR_c128(x) rc_c128_of((double)(x)[0], (double)(x)[1])
#define RC_TIMES_c128(x, y) rc_c128_times(x, y)
#define RC_SCALED_c128(f, x) rc_c128_scaled(f, x)
#define RC_PART_OF_c128(x, q) ((q) == 0 ? creal(x) : cimag(x))
#define RC_JOINED_c128(acc, i, l)                                                                  \
    rc_c128_of((acc)[0][i][2 * (l)] - (acc)[1][i][2 * (l) + 1],                                    \
        (acc)[0][i][2 * (l) + 1] + (acc)[1][i][2 * (l)])
#define RC_LOADS_c128(isa, to, from, n) RC_LOADS_fp32(isa, to, from, n)
#define RC_OLD_c128(isa, out, i) (((const double _Complex *)(out).data)[i])
#define RC_FROM_c128(out, i) ((rc_out_t){(double _Complex *)(out).data + (i), 0})
#define RC_PUT_c128(isa, out, i, x) ((void)(((double _Complex *)(out).data)[i] = (x)))

#endif
