#include "config.h"
#include "analysis/bootstrap.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(double *sum, const double *unit, int sums)
{
    for (int s = 0; s < sums; s++)
        sum[s] += unit[s];
}

/* Interval of one figure from its values over the draws; sorts them. */
static void interval(double *draw, rc_figure_t *f)
{
    const double tail = 0.025;
    int64_t count = 0;
    qsort(draw, RC_RESAMPLES, sizeof *draw, rc_stats_compare);
    while (count < RC_RESAMPLES && !isnan(draw[count])) /* NaN is last */
        count++;
    if (count == 0 || isnan(f->value))
        return;
    f->low = rc_stats_quantile(draw, count, tail);
    f->high = rc_stats_quantile(draw, count, 1 - tail);
}

rc_status_t rc_bootstrap(const double *unit, int64_t units, int sums, rc_statistic_fn *statistic,
    int figures, uint64_t seed, rc_figure_t *out, rc_err_t *err)
{
    rc_status_t st;
    rc_rng_t rng;
    rc_pool_t pool = {0};
    size_t width = (size_t)sums;
    size_t count = (size_t)figures;
    double *sum = rc_pool_get0(&pool, width, sizeof *sum);
    double *value = rc_pool_get(&pool, count, sizeof *value);
    double *draw = rc_pool_get(&pool, count * RC_RESAMPLES, sizeof *draw);
    RC_TRY(rc_pool_check(&pool, "a bootstrap", err));
    for (int64_t u = 0; u < units; u++)
        add(sum, unit + u * sums, sums);
    statistic(sum, value);
    for (int f = 0; f < figures; f++)
        out[f] = (rc_figure_t){value[f], NAN, NAN};
    if (units < 2)
        goto done;
    rc_rng_seed(&rng, seed);
    for (int i = 0; i < RC_RESAMPLES; i++) {
        memset(sum, 0, width * sizeof *sum);
        for (int64_t u = 0; u < units; u++)
            add(sum, unit + (int64_t)rc_rng_below(&rng, (uint64_t)units) * sums, sums);
        statistic(sum, value);
        for (int f = 0; f < figures; f++)
            draw[f * RC_RESAMPLES + i] = value[f];
    }
    for (int f = 0; f < figures; f++)
        interval(draw + f * RC_RESAMPLES, &out[f]);
done:
    rc_pool_free(&pool);
    return st;
}
