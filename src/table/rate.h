/** \file table/rate.h  The rates that kernels reach.  Results are
 *  compared on the same matrix within a setting (table/counted.h).  A kernel and order that were
 *  measured with several geometries count with the fastest.  Local. */
#ifndef RC_TABLE_RATE_H
#define RC_TABLE_RATE_H

#include "table/segmented.h"

/** Rates of a kernel and order over the matrices of a setting. */
typedef struct rc_rate {
    rc_setting_t setting;
    rc_segmented_set_t set;
    const char *kernel; /**< borrowed from the view */
    const char *policy;
    int64_t matrices;
    double gflops_geomean; /**< rc_view_flops / median */
    double gflops_mean;
    double gflops_max;
    double gbs_geomean; /**< compulsory traffic / median, in 1e9 bytes a second */
    double gbs_mean;
    double gbs_max;
} rc_rate_t;

/** Kernels with the parameters of a tuning have no rate on its training matrices
 *  (table/training.h).
 *  \param[out] out  [*count] in order of the settings, sets, kernel, policy; no line of a set
 *                   without matrices; free with free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_rate_make(
    const rc_view_t *v, const rc_expr_t *where, rc_rate_t **out, int *count, rc_err_t *err);

#endif
