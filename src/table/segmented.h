/** \file table/segmented.h  RS-SpMM over a store, as Hong et al. 2018 show it: what its model
 *  gains, after how many products its split has paid, both products of one structure, and rates by
 *  the share of heavy entries.  Matrices of the training set (table/training.h) are in none of what
 *  is of rs.  Local. */
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

/** Something over the matrices of a setting. */
typedef struct rc_segmented_mean {
    int64_t matrices;
    double geomean; /**< NaN without any */
    double worst;   /**< the least; NaN without any */
} rc_segmented_mean_t;

/** Figure 7: what parameters reach of those that are best for each matrix, best time over
 *  theirs. */
typedef struct rc_modelling {
    rc_setting_t setting;
    rc_segmented_set_t set;
    int64_t t;                 /**< most often best on training matrices, that of `none` */
    rc_segmented_mean_t none;  /**< rs:t=T:cfv=1:cfh=1 */
    rc_segmented_mean_t model; /**< rs:t=0:cfv=0 */
    double gain;               /**< geomean of time of none over model; NaN */
    double close;              /**< share of matrices on which the model reaches at least 0.95 */
} rc_modelling_t;

/** \param[in] where  NULL: all  \param[out] out  [*count] by setting, set; free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_modelling_make(
    const rc_view_t *v, const rc_expr_t *where, rc_modelling_t **out, int *count, rc_err_t *err);

/** Figure 13: time to prepare over that of a product. */
typedef struct rc_paying {
    rc_setting_t setting;
    rc_segmented_set_t set;
    const char *kernel; /**< with its parameters, borrowed from the view */
    int64_t matrices;
    double median;
    double p90; /**< as many products are enough for 90 % of the matrices */
    double most;
    double within; /**< share of matrices with at most two */
} rc_paying_t;

/** \param[in] kernel  name, without parameters; of another than rs and rs-spmm_t training matrices
 *  count too  \param[out] out  as rc_modelling_make
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_paying_make(const rc_view_t *v, const rc_expr_t *where, const char *kernel,
    rc_paying_t **out, int *count, rc_err_t *err);

/** Figures 14 and 15: A B and A' B, times added up. */
typedef struct rc_both {
    rc_setting_t setting; /**< of spmm */
    rc_segmented_set_t set;
    const char *contestant;   /**< "rs", "growmajor with a copy", "cusparse"; static */
    rc_segmented_mean_t over; /**< time of the library's fastest pair over its own */
    double bytes;             /**< geomean of the bytes on the device over the library's; NaN */
} rc_both_t;

/** \param[out] out  as rc_modelling_make  \return RC_OK, RC_ENOMEM */
rc_status_t rc_both_make(
    const rc_view_t *v, const rc_expr_t *where, rc_both_t **out, int *count, rc_err_t *err);

/** Name of contestant i, from 0; NULL behind the last. */
const char *rc_both_name(int i);

/** The setting of A' B that is like one of A B otherwise; -1: none. */
int rc_both_setting(const rc_counted_t *c, int setting);

/** The rows of a setting and matrix; empty: none.  Cost O(rows). */
void rc_both_rows(const rc_counted_t *c, int setting, int32_t matrix, int64_t range[2]);

/** Least sum of a product and a transposed one of contestant i, under one order; NaN.
 *  \param[in] a, at  rows [a[0], a[1]) and [at[0], at[1]) of a matrix
 *  \param[out] bytes  on the device, one structure once */
double rc_both_time(
    const rc_counted_t *c, int i, const int64_t a[2], const int64_t at[2], double *bytes);

/** 1: a matrix counts in the set. */
int rc_segmented_is_in(const rc_counted_t *c, int32_t matrix, rc_segmented_set_t set);

/** 1: rs or rs-spmm_t with parameters that a tuning file chose. */
int rc_segmented_is_tuned(const char *kernel);

/** 1: rs with t, cfv and cfh given and published behaviour otherwise. */
int rc_segmented_is_closed(const char *kernel);

/** 1: rs with all of them from a tuning file and published behaviour otherwise. */
int rc_segmented_is_model(const char *kernel);

#endif
