/** \file analysis/bootstrap.h  Bootstrap intervals of figures that are functions of sums over units
 *  that are drawn whole.  Local. */
#ifndef RC_ANALYSIS_BOOTSTRAP_H
#define RC_ANALYSIS_BOOTSTRAP_H

#include "analysis/evaluation.h"

/** Figures from sums: out[figures] of sum[sums]; NaN where there is none. */
typedef void rc_statistic_fn(const double *sum, double *out);

/** Figures with their percentile intervals (2.5 and 97.5 %) over RC_RESAMPLES seeded draws of
 *  `units` units with replacement.  Draws without a figure are left out of its interval.
 *  \param[in]  unit  [units * sums] sums of each unit, units >= 1
 *  \param[out] out   [figures]; the interval is NaN for one unit, or without a value
 *  \return RC_OK, RC_ENOMEM.  Cost O(RC_RESAMPLES * units * sums).
 *  Source: Efron, Bootstrap methods: another look at the jackknife, 1979. */
rc_status_t rc_bootstrap(const double *unit, int64_t units, int sums, rc_statistic_fn *statistic,
    int figures, uint64_t seed, rc_figure_t *out, rc_err_t *err);

#endif
