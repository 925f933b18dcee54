/** \file measure/verify.h  What the results of a group must be, and the check of them.
 *
 *  Inputs are seeded: input i has (r, j) = rc_rng_signed(rc_input_seed(seed, i), r K + j), rounded
 *  to the precision, the same matrix in both layouts. What the output should be is computed in
 *  fp64, from the values of A rounded to the kernel's precision (infinite where that overflows),
 *  for all columns or for a tile of them; it serves every schedule and every kernel of the
 *  operation:
 *
 *  1. a seeded sample of rows (the first, the last and the longest are always in) and columns,
 *     value by value, within the bound of operation/exact.h, which also says what may be infinite.
 *     The inputs are those of the generator on the host, so a wrong one on the device is found too;
 *  2. of products every row: C x against A (B x) for a seeded vector x of signs (Freivalds 1979),
 *     within the same bound summed over the columns, so that a value outside the sample cannot be
 *     lost.  The device sums B and C where they are, the host multiplies by A.  An infinite value
 *     would make its row's sum infinite: rows that may have one are left out here, and as many of
 *     them as of all rows join the sample;
 *  3. every value: none may hold the poison that the output was filled with, and rows without terms
 *     must be exactly zero, whether the schedule has them or not.
 *
 *  Complex numbers are checked part by part: a product of them is four of their parts, two for each
 *  part, so that the bound is that of as many terms.
 *
 *  An operation that is no product (rc_operation_t.project is NULL) has checks 1 and 3, with a
 *  sample as large as that of a product.
 *
 *  Where everything that was looked at says nothing about the kernel (rc_exact_error), but for
 *  values without terms, the case is not ok.
 *
 *  Operands stay on the device; host memory is O(rows + cols), of SDDMM and the transposed product
 *  O(nnz). */
#ifndef RC_MEASURE_VERIFY_H
#define RC_MEASURE_VERIFY_H

#include "measure/measure.h"
#include "measure/tiling.h"

/** What a product must be in some of its columns. */
typedef struct rc_reference rc_reference_t;

/** C on the device as a product under a schedule leaves it. */
typedef struct rc_product {
    rc_dense_t c;
    const rc_schedule_t *schedule;
    int by_slot; /**< 1: row p of C is slot p; 0: the original order */
} rc_product_t;

/** Of the rows of C, as the device finds them: grown and used again for one check after the
 *  other. */
typedef struct rc_row_finds {
    int64_t capacity;     /**< rows that there is room for */
    double *sum;          /**< [capacity] with the signs of the check, of each part of a row */
    unsigned char *found; /**< [capacity] RC_ROW_* */
} rc_row_finds_t;

/** Release what was grown; it can be used again. */
void rc_row_finds_free(rc_row_finds_t *finds);

/** A matrix as an operation reads it: A, or its transpose. */
typedef struct rc_read {
    const rc_csr_t *a;
    const double *parts; /**< as of the group, in the order of its entries */
} rc_read_t;

/** Seed of input i of an operation. */
uint64_t rc_input_seed(uint64_t seed, int i);

/** Compute the reference of a group for a tile of columns.  The matrices are borrowed.
 *  \param[in] g  with `place`: column c of A meets row place[c] of B
 *  \param[in] read  the matrix as the operation reads it: A, or its transpose
 *  \param[in] b  that tile of the first input, filled, on the device
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Free with rc_reference_free.
 *  Cost O(rows of b times K) on the device, O(nnz + sample) on the host; memory 16 bytes a row of
 *  the output, and while it computes 16 a row of b. */
rc_status_t rc_reference_new(const rc_group_t *g, const rc_measure_config_t *cfg,
    const rc_read_t *read, const rc_columns_t *columns, rc_device_t *d, const rc_dense_t *b,
    rc_reference_t **out, rc_err_t *err);

/** 1 when the reference is that of this group and these columns, so that a new one would be the
 *  same.  Matrices are told apart by their digests; without one nothing is. */
int rc_reference_serves(const rc_reference_t *ref, const rc_group_t *g,
    const rc_measure_config_t *cfg, const rc_columns_t *columns);

/** 1 when the reference is of the matrix of this group. */
int rc_reference_is_of(const rc_reference_t *ref, const rc_group_t *g);

/** Let a reference that serves a group borrow the matrix of it, as the operation reads it. */
void rc_reference_borrow(rc_reference_t *ref, const rc_read_t *read);

void rc_reference_free(rc_reference_t *ref);

/** Check C, on as many threads as the device has now.
 *  \param     finds      zeroed before the first check; free with rc_row_finds_free
 *  \param[out] error_max  largest |C - ref| / bound over the sample, or over the rows when check 2
 *                         failed; at most 1 when C is right; NaN when nothing could be compared
 *  \param[out] error_rel  largest |C - ref| / sum |a||b| over the sample; NaN likewise
 *  \return RC_OK; RC_EWRONG with the first finding in the text; RC_ERANGE: there are values, and
 *          none can be compared; RC_ENOMEM,
 *          RC_EDEVICE */
rc_status_t rc_reference_check(const rc_reference_t *ref, rc_row_finds_t *finds, rc_device_t *d,
    const rc_product_t *p, double *error_max, double *error_rel, rc_err_t *err);

#endif
