/** \file order/pairs.h  A list of pairs of rows with a similarity, none of them twice; inner header
 *  of the room, and of order/cuda/lsh_pairs.cu, which makes the same list and the same set. */
#ifndef RC_ORDER_PAIRS_H
#define RC_ORDER_PAIRS_H

#include "base/rng_hash.h"
#include "sparse/ranked.h"
#include "rowcast.h"

#include <string.h>

/** Hash i of column c: the upper half of rc_rng_hash(seed, i 2^32 + c).
 *  \param[in] key  rc_rng_key of the seed */
RC_HOST_DEVICE static inline uint32_t rc_signature_hash(uint64_t key, int64_t i, int64_t c)
{
    return (uint32_t)(rc_rng_keyed(key, ((uint64_t)i << 32) + (uint64_t)c) >> 32);
}

/** A pair x < y as a number; never 0. */
RC_HOST_DEVICE static inline uint64_t rc_pair(int32_t x, int32_t y)
{
    return x < y ? (uint64_t)(uint32_t)x << 32 | (uint32_t)y
                 : (uint64_t)(uint32_t)y << 32 | (uint32_t)x;
}

/** A similarity in [0, 1] as a key: more similar ones come first. */
RC_HOST_DEVICE static inline uint64_t rc_pair_key(double similarity)
{
    uint64_t bits;
    memcpy(&bits, &similarity, sizeof bits);
    return ~bits;
}

/** Pairs that have been seen, by open addressing.  Zero-initialise; free with rc_pair_set_free. */
typedef struct rc_pair_set {
    uint64_t *slot; /**< [slots], 0: free; NULL while it is empty */
    int64_t slots;
    int64_t count;
} rc_pair_set_t;

/** Where a pair is looked for first in a set of 2^bits slots. */
RC_HOST_DEVICE static inline uint64_t rc_pair_place(int bits, uint64_t pair)
{
    return rc_rng_golden(pair ^ pair >> 29) >> (64 - bits);
}

/** The same in any number of slots. */
static inline uint64_t rc_pair_slot(const rc_pair_set_t *s, uint64_t pair)
{
    return (
        uint64_t)((unsigned __int128)rc_rng_golden(pair ^ pair >> 29) * (uint64_t)s->slots >> 64);
}

/** The slot after slot i. */
static inline uint64_t rc_pair_next(const rc_pair_set_t *s, uint64_t i)
{
    return i + 1 == (uint64_t)s->slots ? 0 : i + 1;
}

enum { RC_PAIR_BITS_MIN = 10 }; /* of a set */

/** At most 7 of 8 slots are taken. */
static inline int rc_pair_set_fits(int64_t pairs, int64_t slots)
{
    return pairs <= slots / 8 * 7;
}

/** 1 when the pair is there. */
static inline int rc_pair_set_has(const rc_pair_set_t *s, uint64_t pair)
{
    if (!s->slot)
        return 0;
    uint64_t i = rc_pair_slot(s, pair);
    while (s->slot[i] && s->slot[i] != pair)
        i = rc_pair_next(s, i);
    return s->slot[i] == pair;
}

/** Make room for `more` pairs.  \return RC_OK, RC_ENOMEM (with the bytes) */
rc_status_t rc_pair_set_reserve(rc_pair_set_t *s, int64_t more, rc_err_t *err);

/** Add a pair for which there is room.  \return 1 when it was not there */
int rc_pair_set_add(rc_pair_set_t *s, uint64_t pair);

void rc_pair_set_free(rc_pair_set_t *s);

/** Pairs in a row: key rc_pair_key, tie rc_pair.  Zero-initialise; free with rc_pair_list_free. */
typedef struct rc_pair_list {
    rc_ranked_t *pair;
    int64_t count;
    size_t room;
} rc_pair_list_t;

/** Make room for `more` pairs.
 *  \return RC_OK, RC_ENOMEM with the bytes, also when so much memory is not available now */
rc_status_t rc_pair_list_reserve(rc_pair_list_t *l, int64_t more, rc_err_t *err);

void rc_pair_list_free(rc_pair_list_t *l);

/** Add the pairs of a list, none of them twice, of which the set has the first s->count, in order,
 *  and no other.  Where it must grow, the old slots are given back before there are new ones.
 *  \return RC_OK, RC_ENOMEM (with the bytes; the set may be empty then).  Cost O(list->count) */
rc_status_t rc_pair_set_follow(rc_pair_set_t *s, const rc_pair_list_t *list, rc_err_t *err);

/** RC_OK, or RC_ENOMEM with the bytes when so many cannot be had now. */
rc_status_t rc_pairs_check_memory(int64_t pairs, int64_t bytes, rc_err_t *err);

#endif
