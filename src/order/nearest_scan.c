/* Popcounts of one signature against many.  Eight signatures lie side by side, word by word, so
 * that compilers make vectors of one word of several signatures, whose lanes need no sum across. */
#include "config.h"
#include "order/nearest_parts.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define RC_X86 1
#endif

static inline __attribute__((always_inline)) void distances(
    const uint64_t *scan, int64_t blocks, int64_t words, const uint64_t *ref, uint64_t *out)
{
    for (int64_t b = 0; b < blocks; b++, out += RC_NEAREST_BLOCK) {
        uint64_t sum[RC_NEAREST_BLOCK] = {0};
        for (int64_t w = 0; w < words; w++, scan += RC_NEAREST_BLOCK)
            for (int i = 0; i < RC_NEAREST_BLOCK; i++)
                sum[i] += (uint64_t)__builtin_popcountll(scan[i] ^ ref[w]);
        for (int i = 0; i < RC_NEAREST_BLOCK; i++)
            out[i] = sum[i];
    }
}

static void distances_portable(
    const uint64_t *scan, int64_t blocks, int64_t words, const uint64_t *ref, uint64_t *out)
{
    distances(scan, blocks, words, ref, out);
}

#ifdef RC_X86
__attribute__((target("popcnt"))) static void distances_popcnt(
    const uint64_t *scan, int64_t blocks, int64_t words, const uint64_t *ref, uint64_t *out)
{
    distances(scan, blocks, words, ref, out);
}

__attribute__((target("avx512f,avx512vpopcntdq"))) static void distances_avx512(
    const uint64_t *scan, int64_t blocks, int64_t words, const uint64_t *ref, uint64_t *out)
{
    distances(scan, blocks, words, ref, out);
}
#endif

rc_nearest_distances_fn *rc_nearest_variant(int variant)
{
#ifdef RC_X86
    if (variant == 2)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")
                   ? distances_avx512
                   : NULL;
    if (variant == 1)
        return __builtin_cpu_supports("popcnt") ? distances_popcnt : NULL;
#endif
    return variant == 0 ? distances_portable : NULL;
}

void rc_nearest_distances(
    const uint64_t *scan, int64_t blocks, int64_t words, const uint64_t *ref, uint64_t *out)
{
    rc_nearest_distances_fn *distances_here = rc_nearest_variant(2);
    for (int variant = 1; !distances_here; variant--)
        distances_here = rc_nearest_variant(variant);
    distances_here(scan, blocks, words, ref, out);
}

static inline __attribute__((always_inline)) int64_t popcount(
    const uint64_t *a, const uint64_t *b, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += __builtin_popcountll(a[i] ^ b[i]);
    return sum;
}

#ifdef RC_X86
__attribute__((target("popcnt"))) static int64_t popcount_popcnt(
    const uint64_t *a, const uint64_t *b, int64_t n)
{
    return popcount(a, b, n);
}
#endif

int64_t rc_nearest_popcount(const uint64_t *a, const uint64_t *b, int64_t n)
{
#ifdef RC_X86
    if (rc_nearest_variant(1))
        return popcount_popcnt(a, b, n);
#endif
    return popcount(a, b, n);
}
