/** \file measure/verify.h  The operands of a group and the check of its products.
 *
 *  B is seeded: B(c, j) = rc_rng_signed(seed, c K + j), the same matrix in both layouts and both
 *  precisions.  What C should be is computed once per group, in fp64, from the values of A rounded
 *  to the kernel's precision, and serves all schedules:
 *
 *  1. a seeded sample of rows (the first, the last and the longest are always in) and columns,
 *     value by value, within (len + 2) eps sum |a||b| + len tiny, where len is the row's length,
 *     eps the spacing of 1 and tiny the smallest subnormal of the precision.  Twice the unit
 *     roundoff makes this hold for any order of summation and leaves room for the rounding of the
 *     reference in fp64 (Higham 2002, Accuracy and Stability, section 3.1);
 *  2. every row: C x against A (B x) for a seeded vector x of signs (Freivalds 1979), within the
 *     same bound summed over the columns, so that a value outside the sample cannot be lost;
 *  3. every value: none may hold the poison that C was filled with, and rows without entries must
 *     be exactly zero, whether the schedule has them (the kernel stores zeros) or not (nobody
 * does).
 *
 *  Values whose sum |a||b| is not finite or exceeds half of the largest number of the precision say
 *  nothing about the kernel (any overflow or NaN may be right) and are left out of 1 and 2. */
#ifndef RC_MEASURE_VERIFY_H
#define RC_MEASURE_VERIFY_H

#include "measure/measure.h"

/** What the products of a group must be. */
typedef struct rc_reference rc_reference_t;

/** Compute the reference of a group.  The matrix is borrowed.
 *  \return RC_OK, RC_ENOMEM.  Free with rc_reference_free.
 *  Cost O(n_col K + nnz + sample), memory O(rows + cols). */
rc_status_t rc_reference_new(const rc_group_t *g, const rc_measure_config_t *cfg, int threads,
    rc_reference_t **out, rc_err_t *err);

void rc_reference_free(rc_reference_t *ref);

/** Fill B on the device. */
rc_status_t rc_reference_fill_b(const rc_reference_t *ref, rc_device_t *d, void *b, rc_err_t *err);

/** Poison C on the device: NaN in the rows that the schedule holds, zero in the others. */
rc_status_t rc_reference_poison(const rc_reference_t *ref, rc_device_t *d,
    const rc_schedule_t *schedule, void *c, rc_err_t *err);

/** Check C.
 *  \param[out] error_max  largest |C - ref| / bound over the sample, or over the rows when check 2
 *                         failed; at most 1 when C is right; NaN when nothing could be compared
 *  \param[out] error_rel  largest |C - ref| / sum |a||b| over the sample; NaN likewise
 *  \return RC_OK; RC_EWRONG with the first finding in the text; RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_reference_check(const rc_reference_t *ref, rc_device_t *d, const void *c,
    double *error_max, double *error_rel, rc_err_t *err);

#endif
