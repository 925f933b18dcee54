/** \file feature/walk_counters.h  Counting bits with AVX-512: in how many words each bit is set,
 *  and how many bits each word has.  Private to src/feature; only for machines that have it. */
#ifndef RC_FEATURE_WALK_COUNTERS_H
#define RC_FEATURE_WALK_COUNTERS_H

#include <immintrin.h>
#include <stdint.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,popcnt")))
/* small pieces of loops, whose counters must stay in registers */
#define INLINE __attribute__((always_inline)) AVX512 static inline

enum { BLOCK = 8 }; /* words of a vector */

/* In how many words each of the 64 bits is set. */
typedef struct counters {
    __m512i wide[4]; /* 64 x int32 */
    __m512i narrow;  /* 64 x uint8, not yet in wide */
    int room;        /* vectors of words until one of them may overflow */
} counters_t;

INLINE void widen(counters_t *c)
{
    c->wide[0] =
        _mm512_add_epi32(c->wide[0], _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(c->narrow, 0)));
    c->wide[1] =
        _mm512_add_epi32(c->wide[1], _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(c->narrow, 1)));
    c->wide[2] =
        _mm512_add_epi32(c->wide[2], _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(c->narrow, 2)));
    c->wide[3] =
        _mm512_add_epi32(c->wide[3], _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(c->narrow, 3)));
    c->narrow = _mm512_setzero_si512();
    c->room = UINT8_MAX / BLOCK;
}

INLINE void counters_clear(counters_t *c)
{
    for (int i = 0; i < 4; i++)
        c->wide[i] = _mm512_setzero_si512();
    c->narrow = _mm512_setzero_si512();
    c->room = UINT8_MAX / BLOCK;
}

/* A word is a set of bytes to add 1 to. */
INLINE void count_words(counters_t *c, __m512i words)
{
    const __m512i one = _mm512_set1_epi8(1);
    uint64_t word[BLOCK];
    _mm512_storeu_si512(word, words);
#pragma GCC unroll 8
    for (int i = 0; i < BLOCK; i++)
        c->narrow = _mm512_mask_add_epi8(c->narrow, (__mmask64)word[i], c->narrow, one);
    if (--c->room == 0)
        widen(c);
}

AVX512 static void counters_read(counters_t *c, int32_t count[64])
{
    widen(c);
    for (int i = 0; i < 4; i++)
        _mm512_storeu_si512(count + i * 16, c->wide[i]);
}

INLINE __m512i popcount_words(__m512i x)
{
    const __m512i low = _mm512_set1_epi8(15);
    const __m512i of_nibble =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(of_nibble, _mm512_and_si512(x, low)),
        _mm512_shuffle_epi8(of_nibble, _mm512_and_si512(_mm512_srli_epi16(x, 4), low)));
    return _mm512_sad_epu8(bytes, _mm512_setzero_si512());
}

#endif
