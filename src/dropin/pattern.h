/** \file dropin/pattern.h  Kernels of the drop-in: a digest of a pattern, a copy of it, and a plain product. */
#ifndef RC_DROPIN_PATTERN_H
#define RC_DROPIN_PATTERN_H

#include "dropin/engine.h"

#include <cuda_runtime_api.h>

/** What a check leaves in device memory; zeros before the first.  The last block of a check clears sum and arrived. */
typedef struct rc_pattern_sum {
    uint64_t sum;
    uint32_t arrived;  /**< blocks that have added */
    uint32_t differs;  /**< of the newest check */
    uint64_t expected; /**< of the pattern of the plan */
} rc_pattern_sum_t;

/** In memory of the host that the device writes to. */
typedef struct rc_heard {
    volatile uint64_t equal;
    volatile uint64_t differs;
    volatile uint64_t other_equal; /**< of comparisons */
    volatile uint64_t other_differs;
} rc_heard_t;

#ifdef __cplusplus
extern "C" {
#endif

/** Copy a pattern: columns become int32_t, those that are none of the matrix -1; row pointers int64_t. */
cudaError_t rc_pattern_copy(
    const rc_sparse_view_t *a, int64_t *row_ptr, int32_t *col_idx, cudaStream_t stream);

/** Digest of a pattern: a 64-bit sum of mixed (place, number) of all row pointers and columns.
 *  \param[in] number  0: the digest becomes `expected`; else it is compared, and the host hears of the number
 *  \param[in] other   1: as a comparison */
cudaError_t rc_pattern_check(const rc_sparse_view_t *a, rc_pattern_sum_t *check, rc_heard_t *heard, uint64_t number,
    int other, int blocks, cudaStream_t stream);

/** C = alpha A B from the arrays of the program, when the newest check differed; otherwise nothing.  Sums in the order of
 *  the entries. */
cudaError_t rc_pattern_product(
    const rc_spmm_t *p, const rc_pattern_sum_t *check, int blocks, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
