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

/** Statistics of x[0..n), without NaN; all NaN for n = 0.  Sorts x in place.  Allocates nothing.
 *  Cost O(n log n). */
void rc_stats_compute(double *x, int64_t n, rc_stats_t *out);

/** Quantile q in [0, 1] of sorted x[0..n), n >= 1, by linear interpolation of order statistics. */
double rc_stats_quantile(const double *sorted, int64_t n, double q);

/** qsort comparison of two doubles, NaN last. */
int rc_stats_compare(const void *a, const void *b);

/** Values that come one after the other; zero-initialised. */
typedef struct rc_sums {
    int64_t n;
    double sum;
    double logs; /**< sum of logarithms */
    double least;
    double most;
} rc_sums_t;
void rc_sums_add(rc_sums_t *t, double x);

/** Their means, and the least and the largest; NaN without any. */
double rc_sums_mean(const rc_sums_t *t);
double rc_sums_geomean(const rc_sums_t *t);
double rc_sums_least(const rc_sums_t *t);
double rc_sums_most(const rc_sums_t *t);

/** Comparison of lists of n whole numbers, the first ones first: below 0, 0 or above 0. */
int rc_compare_lists(const int64_t *a, const int64_t *b, int n);

#endif
