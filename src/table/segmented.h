/** \file table/segmented.h  RS-SpMM over a store: which kernels and matrices are of what Hong et
 *  al. 2018 show, and both products of one structure, A B and A' B, with their times added up.
 *  Local. */
#ifndef RC_TABLE_SEGMENTED_H
#define RC_TABLE_SEGMENTED_H

#include "table/counted.h"

/** The matrices of a line. */
typedef enum rc_segmented_set {
    RC_SEGMENTED_REAL = 0,
    RC_SEGMENTED_ALL = 1,
    RC_SEGMENTED_SETS = 2
} rc_segmented_set_t;
extern const char *const rc_segmented_set_names[]; /**< "real", "all"; NULL-terminated */

/** Name of contestant i of both products, from 0, the library; static; NULL behind the last. */
const char *rc_both_name(int i);

/** The setting of A' B that is like one of A B otherwise; -1: none. */
int rc_both_setting(const rc_counted_t *c, const rc_setting_t *s);

/** The rows of a setting and matrix; empty: none.  Cost O(rows). */
void rc_both_rows(const rc_counted_t *c, int setting, int32_t matrix, int64_t range[2]);

/** Least sum of a product and a transposed one of contestant i, under one order; NaN.
 *  \param[in] a, at  rows [a[0], a[1]) and [at[0], at[1]) of a matrix
 *  \param[out] bytes  on the device, one structure once */
double rc_both_time(
    const rc_counted_t *c, int i, const int64_t a[2], const int64_t at[2], double *bytes);

/** 1: a matrix counts in the set. */
int rc_segmented_is_in(const rc_counted_t *c, int32_t matrix, rc_segmented_set_t set);

/** 1: rs or rs-spmm_t, the kernels whose parameters are trained. */
int rc_segmented_is_of(const char *kernel);

/** 1: one of these with parameters that a tuning file chose. */
int rc_segmented_is_tuned(const char *kernel);

/** 1: rs with t, cfv and cfh given and published behaviour otherwise. */
int rc_segmented_is_closed(const char *kernel);

/** 1: rs with all of them from a tuning file and published behaviour otherwise. */
int rc_segmented_is_model(const char *kernel);

#endif
