/** \file sparse/generate/entries.h  What the generators share: a growing list of positions that
 *  becomes a matrix; inner header of the room.
 *
 *  A generator may use whole numbers, comparisons and single floating-point operations, but no
 *  functions of the mathematics library: their last bit differs between machines. */
#ifndef RC_SPARSE_GENERATE_ENTRIES_H
#define RC_SPARSE_GENERATE_ENTRIES_H

#include "base/rng.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

/** Zero-initialise; rc_entries_build or rc_entries_free ends it. */
typedef struct rc_entries {
    rc_triple_t *triple;
    size_t n;
    size_t capacity;
    int failed; /**< no memory; stays set, so that one check at the end is enough */
} rc_entries_t;

/** Add a position; it may be added more than once. */
void rc_entries_add(rc_entries_t *e, int64_t row, int64_t col);

/** Add `count` positions in a row, uniform over the columns. */
void rc_entries_add_uniform(rc_entries_t *e, rc_rng_t *r, int64_t row, int64_t cols, int64_t count);

/** Make the matrix and free the list.  The value at (i, j) depends on the seed, i and j only. */
rc_status_t rc_entries_build(
    rc_entries_t *e, int64_t rows, int64_t cols, uint64_t seed, rc_csr_t *out, rc_err_t *err);

void rc_entries_free(rc_entries_t *e);

/** A whole number whose mean is `mean` >= 0: its floor, or one more. */
int64_t rc_entries_count(rc_rng_t *r, double mean);

#endif
