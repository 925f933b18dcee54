/* Metrics of Nisa et al. 2018: a value for each row, and the mean of it over the test parts. */
#include "config.h"
#include "analysis/bootstrap.h"
#include "analysis/papers/nisa/protocol.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS = 2 * RC_STUDY_FOLDS }; /* count and sum of each part */

/* The mean over the parts of the mean of each, of those that have values. */
static void mean_of_parts(const double *sum, double *out)
{
    double means = 0;
    int parts = 0;
    for (int f = 0; f < RC_STUDY_FOLDS; f++)
        if (sum[2 * f] > 0) {
            means += sum[2 * f + 1] / sum[2 * f];
            parts++;
        }
    *out = parts ? means / parts : NAN;
}

rc_status_t rc_study_figure(const double *value, const int *fold, int64_t rows, uint64_t seed,
    rc_study_figure_t *out, rc_err_t *err)
{
    double first = 0;
    double *unit = rc_alloc0((size_t)rows * SUMS, sizeof *unit, "values of a figure", err);
    RC_PASS(unit ? RC_OK : RC_ENOMEM);
    *out = (rc_study_figure_t){.mean = {NAN, NAN, NAN}};
    for (int64_t i = 0; i < rows; i++) {
        if (isnan(value[i]))
            continue;
        unit[i * SUMS + 2 * fold[i]] = 1;
        unit[i * SUMS + 2 * fold[i] + 1] = value[i];
        out->count++;
        out->first_count += fold[i] == 0;
        first += fold[i] == 0 ? value[i] : 0;
    }
    out->first = out->first_count ? first / (double)out->first_count : NAN;
    rc_status_t st = rc_bootstrap(unit, rows, SUMS, mean_of_parts, 1, seed, &out->mean, err);
    free(unit);
    return st;
}

/* ----------------------------------------------------------------- choices */

/* Standard error of the log of a time, from its halves: each has twice the variance of the
 * whole, so half their difference has that of the whole.  NaN: not known. */
static double error_of(const rc_dataset_t *d, int64_t row, int c)
{
    double sum = 0;
    if (!d->half.cost)
        return NAN;
    const double *half = d->half.cost + (row * d->half.columns + c) * RC_HALVES;
    for (int h = 0; h < RC_HALVES; h += 2)
        sum += (half[h] - half[h + 1]) * (half[h] - half[h + 1]) / 4;
    return sqrt(sum / RC_SPLITS);
}

int rc_study_is_clear(const rc_dataset_t *d, int64_t row)
{
    const double *time = d->time + row * d->classes;
    int best = rc_dataset_best(d, row);
    int second = -1;
    for (int c = 0; c < d->classes; c++)
        if (c != best && (second < 0 || time[c] < time[second]))
            second = c;
    if (second < 0 || !isfinite(time[second]))
        return 1;
    double error = hypot(error_of(d, row, best), error_of(d, row, second));
    return log(time[second] / time[best]) > 2 * error;
}

/* 1: the choice on a row is within a tolerance. */
static int is_within(
    const rc_dataset_t *d, const rc_predictions_t *p, int64_t i, double tolerance, int predicted)
{
    const double *time = d->time + i * d->classes;
    int label = rc_dataset_best(d, i);
    if (!predicted)
        return time[p->choice[i]] <= (1 + tolerance) * time[label];
    const double *guess = p->time + i * d->classes;
    double least = guess[0];
    for (int c = 1; c < d->classes; c++)
        least = fmin(least, guess[c]);
    return guess[label] <= (1 + tolerance) * least;
}

/* The most frequent label of the rows that are not of a part. */
static int most_common(const rc_dataset_t *d, const int *fold, int part)
{
    int best = 0;
    int64_t most = -1;
    for (int c = 0; c < d->classes; c++) {
        int64_t n = 0;
        for (int64_t i = 0; i < d->rows; i++)
            n += fold[i] != part && rc_dataset_best(d, i) == c;
        if (n > most) {
            most = n;
            best = c;
        }
    }
    return best;
}

static void count_slow(double s, int64_t slow[RC_STUDY_SLOWDOWNS])
{
    slow[0] += s <= 1;
    slow[1] += s > 1;
    slow[2] += s >= 1.2;
    slow[3] += s >= 1.5;
    slow[4] += s >= 2;
}

static double slowdown(const rc_dataset_t *d, const rc_predictions_t *p, int64_t i)
{
    const double *time = d->time + i * d->classes;
    return time[p->choice[i]] / time[rc_dataset_best(d, i)];
}

static void exponentiate(rc_study_figure_t *f)
{
    f->mean = (rc_figure_t){exp(f->mean.value), exp(f->mean.low), exp(f->mean.high)};
    f->first = exp(f->first);
}

/* Figures of which each row has a share of 0 or 1, or does not count. */
static rc_status_t score_shares(const rc_dataset_t *d, const rc_study_run_t *r, uint64_t seed,
    double *value, rc_study_score_t *out, rc_err_t *err)
{
    int common[RC_STUDY_FOLDS];
    for (int f = 0; f < RC_STUDY_FOLDS; f++)
        common[f] = most_common(d, r->fold, f);
    for (int64_t i = 0; i < d->rows; i++)
        value[i] = r->p.choice[i] == rc_dataset_best(d, i);
    RC_PASS(rc_study_figure(value, r->fold, d->rows, seed, &out->accuracy, err));
    for (int64_t i = 0; i < d->rows; i++)
        value[i] = rc_study_is_clear(d, i) ? value[i] : NAN;
    RC_PASS(rc_study_figure(value, r->fold, d->rows, seed, &out->clear, err));
    for (int64_t i = 0; i < d->rows; i++)
        value[i] = common[r->fold[i]] == rc_dataset_best(d, i);
    return rc_study_figure(value, r->fold, d->rows, seed, &out->common, err);
}

rc_status_t rc_study_score(const rc_dataset_t *d, const rc_study_run_t *r, const double *tolerance,
    int tolerances, int predicted, uint64_t seed, rc_study_score_t *out, rc_err_t *err)
{
    rc_status_t st;
    *out = (rc_study_score_t){.fit_s = r->fit_s};
    if (predicted && !r->p.time)
        return rc_fail(
            err, RC_EINVAL, "a tolerance of predicted times needs a model that predicts times");
    if (tolerances > RC_STUDY_TOLERANCES)
        return rc_fail(err, RC_EINVAL, "expected at most %d tolerances, found %d",
            (int)RC_STUDY_TOLERANCES, tolerances);
    double *value = rc_alloc((size_t)d->rows, sizeof *value, "values of a figure", err);
    RC_PASS(value ? RC_OK : RC_ENOMEM);
    RC_TRY(score_shares(d, r, seed, value, out, err));
    for (int t = 0; t < tolerances; t++) {
        for (int64_t i = 0; i < d->rows; i++)
            value[i] = is_within(d, &r->p, i, tolerance[t], predicted);
        RC_TRY(rc_study_figure(value, r->fold, d->rows, seed, &out->within[t], err));
    }
    for (int64_t i = 0; i < d->rows; i++) {
        value[i] = slowdown(d, &r->p, i);
        count_slow(value[i], out->slow[1]);
        if (r->fold[i] == 0)
            count_slow(value[i], out->slow[0]);
    }
    RC_TRY(rc_study_figure(value, r->fold, d->rows, seed, &out->mean, err));
    for (int64_t i = 0; i < d->rows; i++)
        value[i] = log(value[i]);
    RC_TRY(rc_study_figure(value, r->fold, d->rows, seed, &out->geomean, err));
    exponentiate(&out->geomean);
done:
    free(value);
    return st;
}

/* ------------------------------------------------------------------- times */

rc_status_t rc_study_rme(const rc_dataset_t *d, const rc_study_run_t *r, int rate, uint64_t seed,
    rc_study_figure_t *out, rc_err_t *err)
{
    int classes = d->classes;
    rc_status_t st = RC_OK;
    if (!r->p.time)
        return rc_fail(err, RC_EINVAL, "an error of times needs a model that predicts times");
    double *value = rc_alloc((size_t)d->rows, sizeof *value, "values of a figure", err);
    double *all = rc_alloc0((size_t)d->rows, sizeof *all, "values of a figure", err);
    double *terms = rc_alloc0((size_t)d->rows, sizeof *terms, "values of a figure", err);
    RC_TRY(value && all && terms ? RC_OK : RC_ENOMEM);
    for (int c = 0; c < classes; c++) {
        for (int64_t i = 0; i < d->rows; i++) {
            double guess = r->p.time[i * classes + c];
            double time = d->time[i * classes + c];
            double error = fabs(rate ? time / guess - 1 : guess / time - 1);
            value[i] = isfinite(time) ? error : NAN; /* what failed has no time to predict */
            if (isfinite(time)) {
                all[i] += error;
                terms[i]++;
            }
        }
        RC_TRY(rc_study_figure(value, r->fold, d->rows, seed, &out[c], err));
    }
    for (int64_t i = 0; i < d->rows; i++)
        all[i] /= terms[i]; /* never 0: the best class has a time */
    RC_TRY(rc_study_figure(all, r->fold, d->rows, seed, &out[classes], err));
done:
    free(value);
    free(all);
    free(terms);
    return st;
}
