/** \file sparse/csr_build.h  Building CSR from pieces of coordinate form; inner header of the room.
 *  All local. */
#ifndef RC_SPARSE_CSR_BUILD_H
#define RC_SPARSE_CSR_BUILD_H

#include "sparse/csr.h"

/** What an entry (i, j) off the diagonal stands for besides itself. */
typedef enum rc_mirror {
    RC_MIRROR_NONE = 0,
    RC_MIRROR_SAME = 1,   /**< (j, i) with the same value */
    RC_MIRROR_NEGATED = 2 /**< (j, i) with the negated value */
} rc_mirror_t;

/** A piece of a list of entries. */
typedef struct rc_segment {
    rc_triple_t *triple; /**< [n] */
    int64_t n;
} rc_segment_t;

/** Build a matrix from the concatenation of segments, whose indices are known to be in range.
 *  Duplicates are summed in their order.  The result does not depend on `threads`.
 *  \param[in,out] segment  [count]; with `consume`, each one's triples are freed as soon as they
 *                          are not needed and the pointer is NULLed; also on failure the caller
 *                          frees what is left
 *  \return RC_OK, RC_ENOMEM.  Cost O(n log(row length)). */
rc_status_t rc_csr_build(int64_t rows, int64_t cols, rc_segment_t *segment, int64_t count,
    rc_mirror_t mirror, int consume, int threads, rc_csr_t *out, int64_t *duplicates,
    rc_err_t *err);

#endif
