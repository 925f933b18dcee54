/** \file sparse/ranked.h  Sorting pairs of 64-bit numbers in place. */
#ifndef RC_SPARSE_RANKED_H
#define RC_SPARSE_RANKED_H

#include <stdint.h>

/** Ordered by key, then by tie. */
typedef struct rc_ranked {
    uint64_t key;
    uint64_t tie;
} rc_ranked_t;

static inline int rc_ranked_before(rc_ranked_t x, rc_ranked_t y)
{
    return x.key < y.key || (x.key == y.key && x.tie < y.tie);
}

/** Sort in place, smallest first.  Those that differ in nothing cannot be told apart, so the result
 *  does not depend on threads.
 *  \param[in] threads  >= 1
 *  Cost O(n log n), O(n^2) at worst of up to 2^11 at a time; memory O(log n) and 2 kB for each of
 *  at most 16 levels. */
void rc_ranked_sort(rc_ranked_t *r, int64_t n, int threads);

/** Move the root of a heap, smallest first, down to where it belongs: r[0] may be anything, the
 *  rest is a heap.  Cost O(log n). */
void rc_ranked_sift(rc_ranked_t *r, int64_t n);

/** Make a heap of the first n, smallest first, from one of the first n - 1.  Cost O(log n). */
void rc_ranked_lift(rc_ranked_t *r, int64_t n);

#endif
