/** \file dropin/pattern.h  Kernels of the drop-in: sums of a pattern beside new values, a copy of
 *  it, and a plain product. */
#ifndef RC_DROPIN_PATTERN_H
#define RC_DROPIN_PATTERN_H

#include "dropin/engine.h"
#include "dropin/heard.h"
#include "rowcast_device.h"

#include <cuda_runtime_api.h>

/** What is known of the pattern of a plan, in device memory; zeros before the first check. */
typedef struct rc_pattern {
    uint64_t differs;       /**< number of the newest check that found another one */
    uint64_t other_differs; /**< of the newest comparison that did */
    uint32_t arrived;       /**< pieces, of a check that is told; the last one clears it */
    uint32_t unused;
    uint64_t expected[]; /**< [rc_pattern_pieces] sum of each piece */
} rc_pattern_t;

/** What a launch of rc_pattern_begin does. */
typedef struct rc_pattern_ask {
    int check;       /**< 1: the pattern is summed */
    uint64_t number; /**< 0: the sums become the expected ones; else they are compared with them */
    int other;       /**< 1: as a comparison */
    int told;        /**< 1: the host hears of it also where it is the same */
    int conjugated;  /**< 1: new values are complex, and are put there conjugated */
} rc_pattern_ask_t;

/** How a product is made again. */
typedef struct rc_pattern_again {
    const rc_pattern_t *pattern;
    uint64_t number; /**< of the check */
    void *sums;      /**< of the bytes of rc_pattern_sums_bytes */
    int blocks;      /**< of each launch */
    int overlaps;    /**< 1: the GPU can overlap launches (compute capability 9.0) */
} rc_pattern_again_t;

#ifdef __cplusplus
extern "C" {
#endif

/** Copy a pattern: columns become int32_t, those that are none of the matrix -1; row pointers
 *  int64_t. */
cudaError_t rc_pattern_copy(
    const rc_plan_matrix_t *a, int64_t *row_ptr, int32_t *col_idx, cudaStream_t stream);

/** Sum row pointers and columns, each in 64 bits of well mixed (place, number), so that the widths
 *  of both do not matter.  No memory is asked for: the first pool of a process takes 10 ms.
 *  \param[in] heard  hears of it; awaited, and of no other launch */
cudaError_t rc_pattern_sum(const rc_plan_matrix_t *a, rc_heard_t *heard, cudaStream_t stream);

/** Find the length of the longest row; it is heard as `columns`.  Arguments as of
 *  rc_pattern_sum. */
cudaError_t rc_pattern_longest(const rc_plan_matrix_t *a, rc_heard_t *heard, cudaStream_t stream);

/** Pieces that a pattern is summed in. */
int64_t rc_pattern_pieces(const rc_plan_matrix_t *a);

/** What precedes a product, in one launch, because two cost more than what they do.
 *
 *  New values go where a plan has them.  Beside that the row pointers and columns are summed in
 *  pieces: for each a sum of 64 bits of well mixed (place, number).  Nothing is added up over
 *  pieces: one whose sum is another one says so.
 *  \param[in] values  NULL: no new values */
cudaError_t rc_pattern_begin(const rc_plan_matrix_t *a, const rc_plan_places_t *values,
    rc_pattern_t *pattern, rc_heard_t *heard, const rc_pattern_ask_t *ask, cudaStream_t stream);

/** Nothing, between rc_pattern_begin and a run of a plan, which reads the values before it waits
 *  for the kernel before it.
 *  \param[in] overlaps  1: the GPU can overlap launches (compute capability 9.0) */
cudaError_t rc_pattern_between(int overlaps, cudaStream_t stream);

/** Bytes of device memory that rc_pattern_product needs for sums; 0: none. */
int64_t rc_pattern_sums_bytes(const rc_asked_t *p);

/** C = alpha A B from the arrays of the program, when the check of that number found another
 *  pattern; otherwise nothing.  Its launches overlap with the kernel before them.  CSR is summed in
 *  the order of the entries, other forms in any.  Sums of 16 bits are in fp32, and rounded once
 *  where C is not. */
cudaError_t rc_pattern_product(
    const rc_asked_t *p, const rc_pattern_again_t *how, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
