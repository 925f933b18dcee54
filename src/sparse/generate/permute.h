/** \file sparse/generate/permute.h  A seeded permutation of 0 .. n - 1 whose values are computed
 *  one by one, in any order and without a table; inner header of the room.
 *
 *  A Feistel network over the smallest even number of bits that holds n, walked until the value is
 *  below n: Black and Rogaway 2002, doi:10.1007/3-540-45760-7_9, section 3. */
#ifndef RC_SPARSE_GENERATE_PERMUTE_H
#define RC_SPARSE_GENERATE_PERMUTE_H

#include <stdint.h>

/** A permutation; a plain value. */
typedef struct rc_permute {
    uint64_t key;
    uint64_t n;
    int half; /**< bits of each half */
} rc_permute_t;

/** The permutation of 0 .. n - 1 (n up to 2^62) that a seed gives. */
rc_permute_t rc_permute_make(uint64_t seed, int64_t n);

/** Where i, 0 <= i < n, goes.  Cost: at most four walks of six hashes on average. */
int64_t rc_permute_at(const rc_permute_t *p, int64_t i);

/** What goes to `at`, 0 <= at < n: the inverse, at the same cost. */
int64_t rc_permute_from(const rc_permute_t *p, int64_t at);

#endif
