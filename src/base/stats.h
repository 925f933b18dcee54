/** \file base/stats.h  Statistics of samples.  All local; none allocates unless it says so. */
#ifndef RC_BASE_STATS_H
#define RC_BASE_STATS_H

#include "rowcast.h"

typedef struct rc_stats {
    int64_t count;
    double min;
    double max;
    double mean;
    double median;
    double sd;      /**< sample standard deviation, 0 for one sample */
    double geomean; /**< NaN unless all samples are positive */
    double rel_err; /**< relative standard error of the median, 1.2533 * 1.4826 * MAD /
                         (sqrt(n) * median): the normal-theory factor with the median absolute
                         deviation as a robust scale; NaN for fewer than 3 samples */
} rc_stats_t;

/** Statistics of x[0..n).  Sorts x in place.  n >= 1, no NaN.  Allocates nothing.
 *  Cost O(n log n). */
void rc_stats_compute(double *x, int64_t n, rc_stats_t *out);

/** Quantile q in [0, 1] of sorted x[0..n), n >= 1, by linear interpolation of order statistics. */
double rc_stats_quantile(const double *sorted, int64_t n, double q);

/** qsort comparison of two doubles, NaN last. */
int rc_stats_compare(const void *a, const void *b);

#endif
