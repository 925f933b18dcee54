/** \file order/curve.h  The integer arithmetic of the order `multilevel`, whose rule is at the top
 *  of policy_multilevel.c, inline for the host and for a GPU; inner header of the room, but for
 *  order/cuda/multilevel.cu. */
#ifndef RC_ORDER_CURVE_H
#define RC_ORDER_CURVE_H

#include "order/local.h"

enum {
    RC_CURVE_TOP = 512, /**< cells of the top level, at most */
    RC_CURVE_NEAR = 32, /**< neighbours of a cell there that count */
    RC_CURVE_DIMS = 3,
    RC_CURVE_BRANCH = 128, /**< cells that join to one, at most, about */
    RC_CURVE_TIMES = 80,   /**< smoothings of the top */
    RC_CURVE_EVERY = 40,   /**< and from one time that coordinates are made independent to the
                                 next */
    RC_CURVE_REFINE = 3,   /**< smoothings of a level below */
    RC_CURVE_THINNING = 8, /**< rows from one link to the next there, over those of the joining */
    RC_CURVE_PLACE_BITS = 20, /**< of a coordinate */
    RC_CURVE_KEY_BITS = 10    /**< of these in a key */
};

/** Cells that join to one, of a level of n > RC_CURVE_TOP. */
RC_HOST_DEVICE static inline int64_t rc_curve_branch(int64_t n)
{
    int64_t most = (n + RC_CURVE_TOP - 1) / RC_CURVE_TOP;
    return most < RC_CURVE_BRANCH ? most : (int64_t)RC_CURVE_BRANCH;
}

/** Coordinate d of cell k of the top, in the beginning. */
RC_HOST_DEVICE static inline int32_t rc_curve_begin(int k, int d)
{
    return (int32_t)(rc_local_hash((uint32_t)(RC_CURVE_DIMS * k + d)) >> 12) - (INT32_C(1) << 19);
}

/** A coordinate whose magnitudes have the sum `size` over n cells, levelled. */
RC_HOST_DEVICE static inline int32_t rc_curve_level(int32_t x, int n, int64_t size)
{
    const int64_t most = INT64_C(1) << RC_CURVE_PLACE_BITS;
    int64_t y = (int64_t)x * ((int64_t)n << 18) / size;
    return (int32_t)(y > most ? most : y < -most ? -most : y);
}

/** x without its part along y.  \param[in] both  <x, y>  \param[in] own  <y, y>, above 0 */
RC_HOST_DEVICE static inline int32_t rc_curve_without(
    int32_t x, int32_t y, int64_t both, int64_t own)
{
    return x - (int32_t)(y * (both * 1024 / own) / 1024);
}

/** The coordinate of that rank among n. */
RC_HOST_DEVICE static inline int32_t rc_curve_rank(int rank, int n)
{
    return (int32_t)(((int64_t)rank << RC_CURVE_PLACE_BITS) / n);
}

/** Where a place is on the Hilbert curve through the cube: 30 bits.  Bit after bit from the highest
 *  on, the octant counts by the Gray code of its three bits, after the turns and reflections of the
 *  octants before (Skilling 2004, doi:10.1063/1.1751381).  \param[in] place  [3] */
RC_HOST_DEVICE static inline uint32_t rc_curve_key(const int32_t *place)
{
    uint32_t x[RC_CURVE_DIMS];
    uint32_t key = 0;
    uint32_t odd = 0;
    for (int d = 0; d < RC_CURVE_DIMS; d++)
        x[d] = (uint32_t)place[d] >> (RC_CURVE_PLACE_BITS - RC_CURVE_KEY_BITS);
    for (int bit = RC_CURVE_KEY_BITS - 1; bit > 0; bit--) {
        const uint32_t low = (UINT32_C(1) << bit) - 1;
        for (int d = 0; d < RC_CURVE_DIMS; d++) {
            const uint32_t differ = (x[0] ^ x[d]) & low;
            if (x[d] >> bit & 1)
                x[0] ^= low; /* reflected */
            else {
                x[0] ^= differ; /* exchanged */
                x[d] ^= differ;
            }
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    for (int bit = RC_CURVE_KEY_BITS - 1; bit > 0; bit--)
        if (x[2] >> bit & 1)
            odd ^= (UINT32_C(1) << bit) - 1;
    for (int bit = RC_CURVE_KEY_BITS - 1; bit >= 0; bit--)
        for (int d = 0; d < RC_CURVE_DIMS; d++)
            key = key << 1 | ((x[d] ^ odd) >> bit & 1);
    return key;
}

#endif
