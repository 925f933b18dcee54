/** \file order/signature.h  The hashes of signatures (lsh.c), inline for the host and for a GPU;
 *  inner header of the room, but for order/cuda/lsh_pairs.cu. */
#ifndef RC_ORDER_SIGNATURE_H
#define RC_ORDER_SIGNATURE_H

#include "base/rng_hash.h"

/** Hash i of column c: the upper half of rc_rng_hash(seed, i 2^32 + c).
 *  \param[in] key  rc_rng_key of the seed */
RC_HOST_DEVICE static inline uint32_t rc_signature_hash(uint64_t key, int64_t i, int64_t c)
{
    return (uint32_t)(rc_rng_keyed(key, ((uint64_t)i << 32) + (uint64_t)c) >> 32);
}

#endif
