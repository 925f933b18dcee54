/** \file base/rng.h  Seeded random numbers, the same on every machine and for every thread count.
 *  A seed is an input and is stored; nothing is seeded from a clock. */
#ifndef RC_BASE_RNG_H
#define RC_BASE_RNG_H

#include <stdint.h>

/** Sequential generator: xoshiro256** (Blackman and Vigna, doi:10.1145/3460772), seeded by
 *  splitmix64. */
typedef struct rc_rng {
    uint64_t s[4];
} rc_rng_t;

void rc_rng_seed(rc_rng_t *r, uint64_t seed);
uint64_t rc_rng_next(rc_rng_t *r);

/** Uniform integer in [0, bound), bound >= 1, without modulo bias. */
uint64_t rc_rng_below(rc_rng_t *r, uint64_t bound);

/** Uniform double in [0, 1) with 53 random bits. */
double rc_rng_unit(rc_rng_t *r);

/** Counter-based generator: 64 well mixed bits of (seed, counter), for parallel fills. */
uint64_t rc_rng_hash(uint64_t seed, uint64_t counter);

/** Uniform double in [-1, 1) of (seed, counter); a multiple of 2^-23, so exact in fp32. */
double rc_rng_signed(uint64_t seed, uint64_t counter);

#endif
