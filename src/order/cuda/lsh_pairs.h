/** \file order/cuda/lsh_pairs.h  The steps of src/order/lsh.c on a GPU: signatures, sorting of a
 *  band, similarities of candidates, and the set of pairs.  All are asked for on the stream of
 *  the executor and not waited for. */
#ifndef RC_ORDER_CUDA_LSH_PAIRS_H
#define RC_ORDER_CUDA_LSH_PAIRS_H

#include "order/cuda/sort.h"
#include "order/pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A search under way; all memory is the device's. */
typedef struct rc_cuda_lsh {
    rc_executor_t *x;
    rc_cuda_pattern_t a;
    const int32_t *unit; /**< [units] rows */
    int64_t units;       /**< at least 1 */
    uint64_t key;        /**< rc_rng_key of the seed */
    int64_t bsize;
    int64_t words;  /**< of a band: bsize / 2, rounded up */
    int64_t window; /**< at least 1 */
    double sim_min;
    uint64_t *word[2]; /**< [words * units] of this band and of the next one, word by word */
    /** units in the order of this band and the next one; keys are the first words of this one */
    rc_cuda_pairs64_t by;
    void *temp; /**< of sorting units */
    int64_t temp_bytes;
    unsigned long long *found; /**< pairs found, or candidates counted */
    uint64_t *similar;         /**< [room] rc_pair_key of the pairs */
    uint64_t *pair;            /**< [room] rc_pair */
    int64_t pairs;             /**< kept in the bands before */
    int64_t room;
    uint64_t *slot; /**< [2^bits] rc_pair_set_t of them; NULL: none yet */
    int bits;
} rc_cuda_lsh_t;

/** The signatures of a band, to one of its `word`. */
rc_status_t rc_cuda_lsh_sign(const rc_cuda_lsh_t *l, int64_t band, uint64_t *word, rc_err_t *err);

/** Units in the order of this band and the next one. */
rc_status_t rc_cuda_lsh_sort(rc_cuda_lsh_t *l, rc_err_t *err);

/** Pairs of the band behind those before; those that the room does not hold are counted only:
 *  found tells. */
rc_status_t rc_cuda_lsh_compare(const rc_cuda_lsh_t *l, rc_err_t *err);

/** Pairs that share a bucket of the band, added to found. */
rc_status_t rc_cuda_lsh_count(const rc_cuda_lsh_t *l, rc_err_t *err);

/** Put pairs first up to end of the list into the set, which has free slots for them. */
rc_status_t rc_cuda_lsh_remember(const rc_cuda_lsh_t *l, int64_t first, int64_t end, rc_err_t *err);

/** Device memory that rc_cuda_lsh_rank takes. */
rc_status_t rc_cuda_lsh_rank_bytes(int64_t pairs, int64_t *bytes, rc_err_t *err);

/** The list, sorted as rc_ranked_sort does.
 *  \param[in]  work  of rc_cuda_lsh_rank_bytes; NULL: it is not sorted
 *  \param[out] out   [pairs], device memory; pairs are at least 1 and, sorted, at most INT32_MAX */
rc_status_t rc_cuda_lsh_rank(const rc_cuda_lsh_t *l, void *work, rc_ranked_t *out, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
