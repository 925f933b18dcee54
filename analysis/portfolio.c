#include "config.h"
#include "analysis/portfolio.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* The class that is not used yet and brings the sum over the rows of the best log time down most.
 */
static int pick(const double *log_time, const double *best, int64_t n, int classes, const int *used,
    double *sum)
{
    int at = -1;
    for (int c = 0; c < classes; c++) {
        double s = 0;
        if (used[c])
            continue;
        for (int64_t i = 0; i < n; i++)
            s += fmin(best[i], log_time[c * n + i]);
        if (at < 0 || s < *sum) {
            at = c;
            *sum = s;
        }
    }
    return at;
}

rc_status_t rc_greedy_portfolio(const rc_dataset_t *d, const int64_t *row, int64_t n,
    double *geomean, int *added, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int classes = d->classes;
    size_t rows = (size_t)n;
    double base = 0;
    double *log_time =
        rc_alloc((size_t)classes * rows, sizeof *log_time, "times of a portfolio", err);
    double *best = rc_alloc(rows, sizeof *best, "times of a portfolio", err);
    int *used = rc_alloc0((size_t)classes, sizeof *used, "classes of a portfolio", err);
    if (!log_time || !best || !used) {
        st = RC_ENOMEM;
        goto done;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < classes; c++)
            log_time[c * n + i] = log(d->time[row[i] * classes + c]);
        best[i] = INFINITY;
        base += log_time[d->baseline * n + i];
    }
    for (int step = 0; step < classes; step++) {
        double sum = INFINITY;
        int c = pick(log_time, best, n, classes, used, &sum);
        used[c] = 1;
        added[step] = c;
        geomean[step] = exp((base - sum) / (double)n);
        for (int64_t i = 0; i < n; i++)
            best[i] = fmin(best[i], log_time[c * n + i]);
    }
done:
    free(log_time);
    free(best);
    free(used);
    return st;
}
