/** \file device/cuda/ranges.h  Which thread of the C-stationary kernels does what: plain
 * arithmetic, compiled for the device and for the host, so that it can be tested without a GPU.
 *
 *  A CTA computes one strip of columns of C over one part of the slots.  Slots are taken in rounds
 *  of `workers`: slot p belongs to round p / workers and to worker p mod workers.  CTA number
 *  x = strip * split + part, so that CTAs that run at the same time share a strip of B. */
#ifndef RC_DEVICE_CUDA_RANGES_H
#define RC_DEVICE_CUDA_RANGES_H

#include <stdint.h>

#ifdef __CUDACC__
#define RC_BOTH __host__ __device__ static inline
#else
#define RC_BOTH static inline
#endif

enum { RC_CTA_THREADS = 1024, RC_STRIP_MAX = 16, RC_SPLIT_MAX = 65536 };

/** ceil(n / d) for n >= 0, d >= 1. */
RC_BOTH int64_t rc_ceil_div(int64_t n, int64_t d)
{
    return n / d + (n % d != 0);
}

/** Divide rounds among parts so that each has about the same work: part i has the rounds from
 *  part[i] up to part[i + 1].  A part may be empty; no part has more than its share and the work of
 *  one round.  Equal numbers of rounds would not do: an order that begins with the longest rows
 *  gives all of them to the first part.
 *  \param[in]  cost  [rounds] >= 0
 *  \param[out] part  [split + 1], from 0 to rounds */
static inline void rc_parts_divide(
    const int64_t *cost, int32_t rounds, int32_t split, int32_t *part)
{
    double total = 0;
    for (int32_t r = 0; r < rounds; r++)
        total += (double)cost[r];
    double sum = 0;
    int32_t next = 1;
    part[0] = 0;
    for (int32_t r = 0; r < rounds; r++) {
        sum += (double)cost[r];
        while (next < split && sum * split >= total * next)
            part[next++] = r + 1;
    }
    while (next <= split)
        part[next++] = rounds;
}

/** The width that a strip of `strip` columns is compiled for when there are only k columns: the
 *  largest power of two that is at most both. */
RC_BOTH int rc_strip_width(int64_t k, int strip)
{
    while (strip > 1 && strip > k)
        strip /= 2;
    return strip;
}

/** First column that strip number i loads: strip * i, but the last strip is moved back so that it
 *  is full; it stores only the columns from strip * i on.  k >= strip. */
RC_BOTH int64_t rc_strip_first(int64_t k, int strip, int64_t i)
{
    int64_t j = i * strip;
    return j + strip <= k ? j : k - strip;
}

/** First column, within the strip, of those that a lane holds after the reduction.  When there are
 *  more lanes than columns, the lanes of equal value here hold the same sum. */
RC_BOTH int rc_lane_column(int lane, int lanes, int strip)
{
    int column = 0;
    for (int step = lanes / 2, width = strip / 2; step >= 1 && width >= 1; step /= 2, width /= 2)
        column += lane & step ? width : 0;
    return column;
}

/** 1 for the one lane of those that hold the same sum that stores it. */
RC_BOTH int rc_lane_stores(int lane, int lanes, int strip)
{
    return strip >= lanes || (lane & (lanes / strip - 1)) == 0;
}

/** CTAs that a strip's slots are divided among when nothing is asked for: the fewest that fill the
 *  device evenly.
 *  \param[in] strips    strips of columns, >= 1
 *  \param[in] rounds    rounds of slots; at most that many parts
 *  \param[in] resident  CTAs that the device runs at once, >= 1 */
RC_BOTH int64_t rc_split_auto(int64_t strips, int64_t rounds, int64_t resident)
{
    enum { WAVES = 8 }; /* with that many waves the last one no longer matters */
    int64_t most = rc_ceil_div(WAVES * resident, strips);
    int64_t best = 1;
    int64_t best_share = 0; /* of the device's time that is used, in 1/1024 */
    for (int64_t split = 1; split <= most && split <= rounds; split++) {
        int64_t ctas = strips * split;
        int64_t waves = rc_ceil_div(ctas, resident);
        int64_t share = ctas * 1024 / (waves * resident);
        if (share > best_share) {
            best = split;
            best_share = share;
        }
        if (share >= 920) /* 90 % */
            break;
    }
    return best;
}

#endif
