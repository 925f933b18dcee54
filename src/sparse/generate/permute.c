#include "config.h"
#include "sparse/generate/permute.h"
#include "base/rng_hash.h"

rc_permute_t rc_permute_make(uint64_t seed, int64_t n)
{
    rc_permute_t p = {.key = rc_rng_key(seed), .n = (uint64_t)n, .half = 1};
    while (p.half < 31 && (UINT64_C(1) << (2 * p.half)) < p.n)
        p.half++;
    return p;
}

enum { ROUNDS = 6 };

/* What round r adds to one half, out of the other. */
static inline uint64_t mixed(const rc_permute_t *p, uint64_t half, uint64_t r, uint64_t mask)
{
    return rc_rng_keyed(p->key, half << 3 | r) >> 33 & mask;
}

/* Backwards is forwards with the halves exchanged and the rounds from the last one on. */
static int64_t walk(const rc_permute_t *p, int64_t i, int back)
{
    uint64_t mask = (UINT64_C(1) << p->half) - 1;
    uint64_t x = (uint64_t)i;
    do {
        uint64_t left = back ? x & mask : x >> p->half;
        uint64_t right = back ? x >> p->half : x & mask;
        for (uint64_t r = 0; r < ROUNDS; r++) {
            uint64_t next = left ^ mixed(p, right, back ? ROUNDS - 1 - r : r, mask);
            left = right;
            right = next;
        }
        x = back ? right << p->half | left : left << p->half | right;
    } while (x >= p->n);
    return (int64_t)x;
}

int64_t rc_permute_at(const rc_permute_t *p, int64_t i)
{
    return walk(p, i, 0);
}

int64_t rc_permute_from(const rc_permute_t *p, int64_t at)
{
    return walk(p, at, 1);
}
