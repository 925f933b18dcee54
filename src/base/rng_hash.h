/** \file base/rng_hash.h  The arithmetic of the counter-based generator of base/rng.h, inline, so
 *  that device code fills a matrix with exactly the values that the host knows. */
#ifndef RC_BASE_RNG_HASH_H
#define RC_BASE_RNG_HASH_H

#include <stdint.h>

#ifdef __CUDACC__
#define RC_HOST_DEVICE __host__ __device__
#else
#define RC_HOST_DEVICE
#endif

/** The finaliser of splitmix64 (Steele, Lea and Flood 2014, doi:10.1145/2714064.2660195). */
RC_HOST_DEVICE static inline uint64_t rc_rng_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** x golden ratios of 2^64: the step of splitmix64. */
RC_HOST_DEVICE static inline uint64_t rc_rng_golden(uint64_t x)
{
    return x * UINT64_C(0x9e3779b97f4a7c15);
}

/** What all numbers of a seed share. */
RC_HOST_DEVICE static inline uint64_t rc_rng_key(uint64_t seed)
{
    return rc_rng_mix(seed + rc_rng_golden(1));
}

/** rc_rng_hash(seed, counter) from rc_rng_key(seed). */
RC_HOST_DEVICE static inline uint64_t rc_rng_keyed(uint64_t key, uint64_t counter)
{
    return rc_rng_mix(key + rc_rng_golden(counter + 1));
}

/** The top 24 bits of a hash as an integer in [-2^23, 2^23). */
RC_HOST_DEVICE static inline int32_t rc_rng_top(uint64_t hash)
{
    return (int32_t)(hash >> 40) - (INT32_C(1) << 23);
}

/** rc_rng_signed(seed, counter) from rc_rng_key(seed). */
RC_HOST_DEVICE static inline double rc_rng_keyed_signed(uint64_t key, uint64_t counter)
{
    return (double)rc_rng_top(rc_rng_keyed(key, counter)) * 0x1p-23;
}

#endif
