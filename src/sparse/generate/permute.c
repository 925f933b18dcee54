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

int64_t rc_permute_at(const rc_permute_t *p, int64_t i)
{
    enum { rounds = 6 };
    uint64_t mask = (UINT64_C(1) << p->half) - 1;
    uint64_t x = (uint64_t)i;
    do {
        uint64_t left = x >> p->half;
        uint64_t right = x & mask;
        for (uint64_t r = 0; r < rounds; r++) {
            uint64_t next = left ^ (rc_rng_keyed(p->key, right << 3 | r) >> 33 & mask);
            left = right;
            right = next;
        }
        x = left << p->half | right;
    } while (x >= p->n);
    return (int64_t)x;
}
