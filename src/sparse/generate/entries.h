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

/** A list, and the shape of the matrix that it becomes. */
typedef struct rc_entries {
    int64_t rows;
    int64_t cols;
    rc_triple_t *triple;
    size_t n;
    size_t capacity;
    int failed; /**< no memory; stays set, so that one check at the end is enough */
} rc_entries_t;

/** Add a position; it may be added more than once. */
void rc_entries_add(rc_entries_t *e, int64_t row, int64_t col);

/** Add `count` positions in a row, uniform over the columns. */
void rc_entries_add_uniform(rc_entries_t *e, rc_rng_t *r, int64_t row, int64_t cols, int64_t count);

/** Have a generator fill a list and make the matrix of it.  The value at (i, j) depends on the
 *  seed, i and j only.
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_entries_build(
    const rc_generator_t *g, const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err);

/** A whole number whose mean is `mean` >= 0: its floor, or one more. */
int64_t rc_entries_count(rc_rng_t *r, double mean);

#endif
