#include "config.h"
#include "base/rng.h"
#include "base/rng_hash.h"

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void rc_rng_seed(rc_rng_t *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += rc_rng_golden(1);
        r->s[i] = rc_rng_mix(seed);
    }
}

uint64_t rc_rng_next(rc_rng_t *r)
{
    uint64_t *s = r->s;
    uint64_t result = rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t rc_rng_below(rc_rng_t *r, uint64_t bound)
{
    /* values under 2^64 mod bound would make the low residues more frequent: draw again */
    uint64_t reject = (0 - bound) % bound;
    uint64_t x;
    do
        x = rc_rng_next(r);
    while (x < reject);
    return x % bound;
}

double rc_rng_unit(rc_rng_t *r)
{
    return (double)(rc_rng_next(r) >> 11) * 0x1p-53;
}

uint64_t rc_rng_hash(uint64_t seed, uint64_t counter)
{
    return rc_rng_keyed(rc_rng_key(seed), counter);
}

double rc_rng_signed(uint64_t seed, uint64_t counter)
{
    return rc_rng_keyed_signed(rc_rng_key(seed), counter);
}
