#include "config.h"
#include "analysis/trainer.h"

#include <math.h>

const char *const rc_weighting_names[] = {"inverse", "regret", "none", NULL};

/* What the baseline loses on a row, as log ratio to the best class. */
static double regret(const rc_dataset_t *d, int64_t row)
{
    const double *t = d->time + row * d->classes;
    return log(t[d->baseline] / t[rc_dataset_best(d, row)]);
}

/* Rows among row[0..n) that have the same best class as row[i]. */
static int64_t population(const rc_dataset_t *d, const int64_t *row, int64_t n, int best)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += rc_dataset_best(d, row[i]) == best;
    return count;
}

void rc_weights(
    const rc_dataset_t *d, const int64_t *row, int64_t n, rc_weighting_t kind, double *weight)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        weight[i] = 1;
    if (kind == RC_WEIGHT_INVERSE)
        for (int c = 0; c < d->classes; c++) {
            double w = 1.0 / (double)population(d, row, n, c);
            for (int64_t i = 0; i < n; i++)
                if (rc_dataset_best(d, row[i]) == c)
                    weight[i] = w;
        }
    else if (kind == RC_WEIGHT_REGRET)
        for (int64_t i = 0; i < n; i++)
            weight[i] = regret(d, row[i]);
    for (int64_t i = 0; i < n; i++)
        sum += weight[i];
    if (kind == RC_WEIGHT_REGRET && sum > 0) {
        double floor = 0.01 * sum / (double)n;
        for (int64_t i = 0; i < n; i++)
            weight[i] += floor;
        sum += floor * (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        weight[i] = sum > 0 ? weight[i] * (double)n / sum : 1;
}
