/** \file sparse/generate/rows.h  A matrix made row by row, in parallel; inner header of the room.
 *
 *  A generator says what is in row i as a function of i alone; rows are made by all threads and the
 *  matrix does not depend on how many there are.  Whole numbers, comparisons and single operations
 *  on doubles only (see entries.h). */
#ifndef RC_SPARSE_GENERATE_ROWS_H
#define RC_SPARSE_GENERATE_ROWS_H

#include "base/rng_hash.h"
#include "rowcast.h"

/** The columns of the row that is made. */
typedef struct rc_row {
    uint64_t *col; /**< in any order; equal ones count once */
    int64_t n;
    size_t capacity;
    int failed; /**< no memory; stays set */
} rc_row_t;

/** Add an entry to the row; columns outside the matrix are left out. */
void rc_row_add(rc_row_t *r, int64_t col);

struct rc_rows;

/** Make row i.  \param[in] r  what is made */
typedef void rc_rows_make_fn(const struct rc_rows *r, int64_t i, rc_row_t *out);

/** What is made. */
typedef struct rc_rows {
    int64_t rows;
    int64_t cols;
    double mean;     /**< entries of a row in the end, on average: what memory is asked for */
    int mirror;      /**< 1: with (i, j) also (j, i); needs rows == cols */
    int loops;       /**< 0: entries (i, i) are left out */
    int64_t same;    /**< from 2: rows with the same i / same have the same columns but for those
                       entries, which `row` adds, and it is asked for one of them; 0 or 1: of
                       each */
    const double *p; /**< parameters of the generator, in the order of its descriptor */
    uint64_t seed;   /**< of the values, and of what rows draw */
    rc_rows_make_fn *row;
    const void *of; /**< what `row` needs beside */
} rc_rows_t;

/** A square matrix of p[0] rows without entries (i, i). */
static inline rc_rows_t rc_rows_of(
    const double *p, uint64_t seed, rc_rows_make_fn *row, double mean)
{
    const int64_t n = (int64_t)p[0];
    return (rc_rows_t){.rows = n, .cols = n, .mean = mean, .p = p, .seed = seed, .row = row};
}

/** Make the matrix.  The value at (i, j) depends on the seed, i and j only.
 *  \return RC_OK; RC_ENOMEM, before it is taken when more is needed than there is; RC_ERANGE.
 *  Cost O(rows + entries log(row length)) over the threads, O(entries) of one thread to mirror;
 *  memory 28 bytes a row and 30 an entry, the result included. */
rc_status_t rc_rows_build(const rc_rows_t *r, rc_csr_t *out, rc_err_t *err);

/** RC_ENOMEM when rc_rows_build would need more memory than there is; for what a generator takes
 *  before it. */
rc_status_t rc_rows_check(const rc_rows_t *r, rc_err_t *err);

/** RC_ENOMEM with the figures when what is available is less than `bytes`. */
rc_status_t rc_rows_memory(int64_t bytes, int64_t rows, double entries, rc_err_t *err);

/** Random numbers of one row (or of another numbered thing): hashes of a counter. */
typedef struct rc_draw {
    uint64_t key;
    uint64_t next;
} rc_draw_t;

static inline rc_draw_t rc_draw_of(uint64_t seed, int64_t i)
{
    return (rc_draw_t){rc_rng_keyed(rc_rng_key(seed), (uint64_t)i), 0};
}

static inline uint64_t rc_draw_bits(rc_draw_t *d)
{
    return rc_rng_keyed(d->key, d->next++);
}

/** Uniform over 0 .. bound - 1, bound from 1 to 2^32; its bias is below 2^-32 of a value. */
static inline int64_t rc_draw_below(rc_draw_t *d, int64_t bound)
{
    return (int64_t)((rc_draw_bits(d) >> 32) * (uint64_t)bound >> 32);
}

/** Uniform in [0, 1), 53 bits. */
static inline double rc_draw_unit(rc_draw_t *d)
{
    return (double)(rc_draw_bits(d) >> 11) * 0x1p-53;
}

/** A whole number whose mean is `mean` >= 0: its floor, or one more. */
static inline int64_t rc_draw_count(rc_draw_t *d, double mean)
{
    int64_t whole = (int64_t)mean;
    return whole + (rc_draw_unit(d) < mean - (double)whole);
}

/** A number of 0 .. n - 1 of which small ones are more frequent: floor(n u^skew), so the r-th is
 *  drawn as r^(1/skew - 1), a power law of exponent 1 + skew / (skew - 1) for the counts. */
static inline int64_t rc_draw_skewed(rc_draw_t *d, int64_t n, int skew)
{
    double u = rc_draw_unit(d);
    double x = u;
    for (int k = 1; k < skew; k++)
        x *= u;
    return (int64_t)(x * (double)n);
}

/** Share of the draws of rc_draw_skewed that are below `r` of `n`: the skew-th root of r / n, to
 *  2^-48, by bisection. */
double rc_skewed_share(int64_t r, int64_t n, int skew);

/** The last run that begins at i or before.  \param[in] start  [runs] ascending, from 0 */
int64_t rc_run_of(const int32_t *start, int64_t runs, int64_t i);

/** The smallest whole number whose `power`-th power (1 to 3) is at least n >= 0. */
int64_t rc_whole_root(int64_t n, int power);

#endif
