/** \file table/rate_by.h  The rates of kernels by a feature of the matrices that is a share from 0
 *  to 1, in quarters: figure 16 of Hong et al. 2018 has them by heavy_ratio.  Training matrices of
 *  rs are left out.  Local. */
#ifndef RC_TABLE_RATE_BY_H
#define RC_TABLE_RATE_BY_H

#include "table/segmented.h"

enum { RC_QUARTERS = 4 };

/** Find the feature set of a store that has a feature and read its values.
 *  \param[out] out  [rc_view_matrices] the newest value of each matrix, NaN without one; free()
 *  \return RC_OK; RC_EINVAL: no set has it, or a value is not from 0 to 1; as
 *      rc_feature_table_read */
rc_status_t rc_feature_share(
    const rc_view_t *v, const char *store, const char *feature, double **out, rc_err_t *err);

/** The number of the quarter of a share: (0.25, 0.5] is 1; 0 is in the first. */
int rc_quarter(double share);

/** A kernel and order over the matrices of a quarter. */
typedef struct rc_rate_by {
    rc_setting_t setting;
    rc_segmented_set_t set;
    int quarter;
    const char *kernel; /**< borrowed from the view, as is the next */
    const char *policy;
    int64_t matrices;
    double gflops_geomean;
    double gflops_mean;
    double gflops_max;
} rc_rate_by_t;

/** \param[in] share  of rc_feature_share  \param[out] out  [*count] by setting, set, kernel, order,
 *  quarter; free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_rate_by_make(const rc_view_t *v, const rc_expr_t *where, const double *share,
    rc_rate_by_t **out, int *count, rc_err_t *err);

#endif
