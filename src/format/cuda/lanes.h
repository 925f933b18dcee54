/** \file format/cuda/lanes.h  How many lanes take a row of a share whose products are in shared
 *  memory, and the pieces of rows that several CTAs take: plain arithmetic, compiled for the
 *  device and for the host, so that both prepare the same. */
#ifndef RC_FORMAT_CUDA_LANES_H
#define RC_FORMAT_CUDA_LANES_H

#include "device/cuda/ranges.h"
#include "format/cuda/shares.h"
#include "format/cuda/vector.h"

/** The number of lanes, a power of two up to 32, with which a CTA adds up rows in the fewest steps,
 *  and those steps: reads of products by the longest row in one round of the groups, of twice the
 *  mean in the others, and what a round takes beside.
 *  \param[in] rows  1 or more, of `entries` together, the longest of them of `longest` */
RC_BOTH int rc_spmv_lanes_for(int64_t rows, int64_t entries, int64_t longest, int64_t *steps)
{
    enum { READ = 3, SHUFFLE = 3, ROUND = 6 };
    const int64_t twice = rc_ceil_div(2 * entries, rows);
    const int64_t usual = twice < longest ? twice : longest;
    int best = 1;
    for (int log = 0; log <= 5; log++) {
        const int64_t lanes = 1 << log;
        const int64_t rounds = rc_ceil_div(rows * lanes, RC_SPMV_THREADS);
        const int64_t cost = READ * rc_ceil_div(longest, lanes) +
                             (rounds - 1) * READ * rc_ceil_div(usual, lanes) +
                             rounds * (ROUND + SHUFFLE * log);
        if (log == 0 || cost < *steps) {
            *steps = cost;
            best = (int)lanes;
        }
    }
    return best;
}

/** Lanes for a share; 0: not so.  \param[in] longest  of its `rows`, or of what the share has of
 *  the first and the last; `entries` together */
RC_BOTH int rc_spmv_lanes_of(
    const rc_spmv_lanes_t *rule, int64_t rows, int64_t entries, int64_t longest)
{
    int64_t steps = 0;
    if (rows <= 0 || rows + entries > RC_SPMV_TILE || longest > rule->longest)
        return 0;
    const int lanes = rc_spmv_lanes_for(rows, entries, longest, &steps);
    if (rule->most > 0 && steps > rule->most)
        return 0;
    return rule->every > 0 ? rule->every : lanes;
}

/** Pieces of a row of more than `longest` entries: of at most RC_SPMV_PIECE and `longest` more. */
RC_BOTH int64_t rc_spmv_pieces(int64_t entries, int64_t longest)
{
    return 1 + (entries - longest) / RC_SPMV_PIECE;
}

/** The entry of such a row where piece j of n begins. */
RC_BOTH int64_t rc_spmv_piece_at(int64_t entries, int64_t j, int64_t n)
{
    return entries / n * j + entries % n * j / n;
}

#endif
