#include "config.h"
#include "analysis/papers/nisa/protocol.h"
#include "analysis/bootstrap.h"
#include "analysis/importance.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_study_set_names[RC_STUDY_SETS] = {"1", "1-2", "1-3", "top7"};

/* Definitions of rowcast, "Nisa: features, sets, importance": 1, then 2, then 3. */
static const char *const features[] = {"rows", "cols", "nnz", "nnz_mu", "density", "nnz_max",
    "nnz_sigma", "row_block_count_mean", "row_block_count_sd", "row_block_size_mean",
    "row_block_size_sd", "nnz_min", "block_count", "row_block_count_min", "row_block_count_max",
    "row_block_size_min", "row_block_size_max"};
static const int counts[] = {5, 11, 17};

/* A pass over the folds. */
typedef struct pass {
    const rc_dataset_t *d;
    const rc_study_options_t *o;
    rc_fit_options_t fit; /* with the progress of this file */
    int fold_now;
    int *fold;      /* [rows], owned */
    int64_t *train; /* [rows] of the fold in hand, owned */
    int64_t *test;
    int64_t trains;
    int64_t tests;
    rc_err_t *err;
} pass_t;

static void forward(void *context, const char *what, double done, double loss)
{
    const pass_t *x = context;
    char text[256];
    (void)snprintf(text, sizeof text, "fold %d/%d: %s", x->fold_now + 1, (int)RC_STUDY_FOLDS,
        what ? what : "");
    x->o->fit.progress(x->o->fit.context, text, (x->fold_now + done) / RC_STUDY_FOLDS, loss);
}

static void pass_free(pass_t *x)
{
    free(x->fold);
    free(x->train);
    free(x->test);
}

static rc_status_t check_rows(const rc_dataset_t *d, rc_err_t *err)
{
    for (int64_t i = 1; i < d->rows; i++) /* sorted by digest */
        if (strcmp(d->sample[i].digest, d->sample[i - 1].digest) == 0)
            return rc_fail(err, RC_EINVAL,
                "the study needs one row a matrix; %s has several: name one precision",
                d->sample[i].name);
    return RC_OK;
}

static rc_status_t pass_begin(pass_t *x)
{
    size_t rows = (size_t)x->d->rows;
    RC_PASS(check_rows(x->d, x->err));
    RC_PASS(RC_NEW(x->fold, rows, "folds", x->err));
    RC_PASS(RC_NEW(x->train, rows, "rows to train on", x->err));
    RC_PASS(RC_NEW(x->test, rows, "rows to test on", x->err));
    x->fit = x->o->fit;
    if (x->fit.progress) {
        x->fit.progress = forward;
        x->fit.context = x;
    }
    const rc_split_t split = {x->d, NULL, x->d->rows, x->o->split, x->o->seed};
    return rc_split_folds(&split, RC_STUDY_FOLDS, x->fold, x->err);
}

static void pass_fold(pass_t *x, int fold)
{
    x->fold_now = fold;
    x->trains = x->tests = 0;
    for (int64_t i = 0; i < x->d->rows; i++)
        if (x->fold[i] == fold)
            x->test[x->tests++] = i;
        else
            x->train[x->trains++] = i;
}

/* -------------------------------------------------------------- importances */

/* The inputs of largest weight. */
static void choose_top(const double *weight, int inputs, int *top)
{
    int n = 0;
    for (int i = 0; i < inputs; i++)
        if (rc_importance_rank(weight, inputs, i) < RC_STUDY_TOP)
            top[n++] = i;
}

/* What a model of the fold in hand tells.  \param[in] input  number in the data set of each of
 * its inputs */
static rc_status_t rank_fold(
    const pass_t *x, const rc_model_t *m, const int *input, rc_study_ranks_t *r)
{
    rc_importance_t i = {0};
    double *weight = r->weight + (size_t)x->fold_now * (size_t)r->inputs;
    double *gain = r->gain + (size_t)x->fold_now * (size_t)r->inputs;
    rc_status_t st = rc_importance_read(m, &i, x->err);
    for (int k = 0; st == RC_OK && k < m->inputs; k++) {
        weight[input[k]] = i.folds_weight[k];
        gain[input[k]] = i.folds_gain[k];
    }
    if (st == RC_OK)
        choose_top(weight, r->inputs, r->top[x->fold_now]);
    rc_importance_free(&i);
    return st;
}

static rc_status_t ranks_new(int inputs, rc_study_ranks_t *r, rc_err_t *err)
{
    size_t n = (size_t)inputs * RC_STUDY_FOLDS;
    if (inputs < RC_STUDY_TOP)
        return rc_fail(err, RC_EINVAL, "expected at least %d inputs to rank, found %d",
            (int)RC_STUDY_TOP, inputs);
    r->inputs = inputs;
    r->weight = rc_alloc0(n, sizeof *r->weight, "importances", err);
    r->gain = rc_alloc0(n, sizeof *r->gain, "importances", err);
    return r->weight && r->gain ? RC_OK : RC_ENOMEM;
}

void rc_study_ranks_free(rc_study_ranks_t *r)
{
    free(r->weight);
    free(r->gain);
    *r = (rc_study_ranks_t){0};
}

/* --------------------------------------------------------------------- runs */

/* Numbers of the inputs of a set; input[17]. */
static rc_status_t choose_inputs(const rc_dataset_t *d, rc_study_set_t set,
    const rc_study_ranks_t *ranks, int fold, int *input, int *count, rc_err_t *err)
{
    if (set == RC_STUDY_SET_TOP) {
        if (!ranks || ranks->inputs != d->inputs)
            return rc_fail(err, RC_EINVAL, "the set top7 needs importances of these inputs");
        memcpy(input, ranks->top[fold], sizeof ranks->top[fold]);
        *count = RC_STUDY_TOP;
        return RC_OK;
    }
    *count = counts[set];
    for (int i = 0; i < counts[set]; i++) {
        input[i] = 0;
        while (input[i] < d->inputs && strcmp(d->input[input[i]].name, features[i]) != 0)
            input[i]++;
        if (input[i] == d->inputs)
            return rc_fail(err, RC_EINVAL, "feature set %s: the data set has no input '%s'",
                rc_study_set_names[set], features[i]);
    }
    return RC_OK;
}

/* Fit on the training part and predict the test part. */
static rc_status_t fit_part(const rc_trainer_t *t, pass_t *x, const rc_dataset_part_t *part,
    rc_study_ranks_t *told, rc_study_run_t *out)
{
    rc_dataset_t d = {0};
    rc_model_t *m = NULL;
    rc_predictions_t p = {0};
    int classes = x->d->classes;
    rc_status_t st;
    RC_TRY(rc_dataset_take(x->d, part, &d, x->err));
    int64_t start = rc_clock_ns();
    RC_TRY(rc_fit(t, &d, x->train, x->trains, &x->fit, &m, x->err));
    out->fit_s += 1e-9 * (double)(rc_clock_ns() - start) / RC_STUDY_FOLDS;
    if (told)
        RC_TRY(rank_fold(x, m, part->input, told));
    RC_TRY(rc_predict_rows(m, &d, x->test, x->tests, &p, x->err));
    if (p.time && !out->p.time) {
        out->p.time = rc_alloc(
            (size_t)x->d->rows * (size_t)classes, sizeof(double), "predicted times", x->err);
        RC_TRY(out->p.time ? RC_OK : RC_ENOMEM);
    }
    for (int64_t i = 0; i < p.count; i++) {
        out->p.choice[p.row[i]] = p.choice[i];
        if (p.time)
            memcpy(out->p.time + p.row[i] * classes, p.time + i * classes,
                (size_t)classes * sizeof *p.time);
    }
done:
    rc_predictions_free(&p);
    rc_model_free(m);
    rc_dataset_free(&d);
    return st;
}

static rc_status_t run_fold(const rc_trainer_t *t, pass_t *x, rc_study_set_t set,
    const rc_study_ranks_t *ranks, rc_study_ranks_t *told, rc_study_run_t *r)
{
    int input[sizeof features / sizeof *features];
    rc_dataset_part_t part = {.input = input};
    rc_status_t st = choose_inputs(x->d, set, ranks, x->fold_now, input, &part.inputs, x->err);
    return st == RC_OK ? fit_part(t, x, &part, told, r) : st;
}

rc_status_t rc_study_run(const rc_trainer_t *t, const rc_dataset_t *d, rc_study_set_t set,
    const rc_study_ranks_t *ranks, const rc_study_options_t *o, rc_study_ranks_t *told,
    rc_study_run_t *out, rc_err_t *err)
{
    pass_t x = {.d = d, .o = o, .err = err};
    rc_study_run_t r = {.p = {.count = d->rows}};
    rc_study_ranks_t here = {0};
    rc_status_t st;
    RC_TRY(pass_begin(&x));
    if (told)
        RC_TRY(ranks_new(d->inputs, &here, err));
    RC_TRY(RC_NEW(r.p.row, d->rows, "predictions", err));
    RC_TRY(RC_NEW0(r.p.choice, d->rows, "predictions", err));
    for (int64_t i = 0; i < d->rows; i++)
        r.p.row[i] = i;
    for (int f = 0; f < RC_STUDY_FOLDS; f++) {
        pass_fold(&x, f);
        RC_TRY(run_fold(t, &x, set, ranks, told ? &here : NULL, &r));
    }
    r.fold = x.fold;
    x.fold = NULL;
    *out = r;
    r = (rc_study_run_t){0};
    if (told) {
        *told = here;
        here = (rc_study_ranks_t){0};
    }
done:
    rc_study_ranks_free(&here);
    rc_study_run_free(&r);
    pass_free(&x);
    return st;
}

void rc_study_run_free(rc_study_run_t *r)
{
    rc_predictions_free(&r->p);
    free(r->fold);
    *r = (rc_study_run_t){0};
}

/* ------------------------------------------------------------------ metrics */

/* A value for each row, and the mean of it over the test parts. */

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
