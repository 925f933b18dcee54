#include "config.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

int rc_stats_compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

double rc_stats_quantile(const double *sorted, int64_t n, double q)
{
    double at = q * (double)(n - 1);
    int64_t low = (int64_t)at;
    if (low >= n - 1)
        return sorted[n - 1];
    double part = at - (double)low;
    return sorted[low] + part * (sorted[low + 1] - sorted[low]);
}

/* Median of |x[i] - center| for sorted x, without a second array: the deviations grow away from
 * the centre on both sides, so the n/2 smallest are found by widening a window. */
static double median_deviation(const double *x, int64_t n, double center)
{
    int64_t right = 0;
    while (right < n && x[right] < center)
        right++;
    int64_t left = right - 1;
    double last = 0;
    double before = 0;
    for (int64_t taken = 0; taken <= n / 2; taken++) {
        double dl = left >= 0 ? center - x[left] : INFINITY;
        double dr = right < n ? x[right] - center : INFINITY;
        before = last;
        if (dl <= dr) {
            last = dl;
            left--;
        } else {
            last = dr;
            right++;
        }
    }
    return n % 2 ? last : 0.5 * (before + last);
}

void rc_stats_compute(double *x, int64_t n, rc_stats_t *out)
{
    *out = (rc_stats_t){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n == 0)
        return;
    qsort(x, (size_t)n, sizeof *x, rc_stats_compare);
    double sum = 0;
    double log_sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        log_sum += log(x[i]);
    }
    double mean = sum / (double)n;
    double square = 0;
    for (int64_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean);
    out->count = n;
    out->min = x[0];
    out->max = x[n - 1];
    out->mean = mean;
    out->median = rc_stats_quantile(x, n, 0.5);
    out->sd = n > 1 ? sqrt(square / (double)(n - 1)) : 0;
    out->geomean = x[0] > 0 ? exp(log_sum / (double)n) : NAN;
    out->rel_err = n > 2 ? 1.2533 * 1.4826 * median_deviation(x, n, out->median) /
                               (sqrt((double)n) * out->median)
                         : NAN;
}

void rc_sums_add(rc_sums_t *t, double x)
{
    t->least = t->n == 0 || x < t->least ? x : t->least;
    t->most = t->n == 0 || x > t->most ? x : t->most;
    t->sum += x;
    t->logs += log(x);
    t->n++;
}

double rc_sums_mean(const rc_sums_t *t)
{
    return t->n ? t->sum / (double)t->n : NAN;
}

double rc_sums_geomean(const rc_sums_t *t)
{
    return t->n ? exp(t->logs / (double)t->n) : NAN;
}

double rc_sums_least(const rc_sums_t *t)
{
    return t->n ? t->least : NAN;
}

double rc_sums_most(const rc_sums_t *t)
{
    return t->n ? t->most : NAN;
}

int rc_compare_lists(const int64_t *a, const int64_t *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}
