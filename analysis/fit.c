/* What every trainer shares: identity, standardised inputs, weights, and the setup times. */
#include "config.h"
#include "analysis/ridge.h"
#include "analysis/trainer.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/str.h"
#include "model/domain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Setup times: the penalty of the ridge, and the share of the rows that measures its error. */
static const double setup_penalty = 0.01;
static const double setup_share = 0.2;

enum { ROWS_MAX = INT32_MAX / 4 }; /* trainers count nodes and vectors in 32 bits */

typedef struct fit {
    rc_pool_t pool;
    const rc_trainer_t *trainer;
    const rc_dataset_t *d;
    const int64_t *row;
    int64_t n;
    const rc_fit_options_t *options;
    rc_model_t *m;
    double *x; /* [n * inputs] */
    double *weight;
    double *distance; /* [n] scratch */
    rc_err_t *err;
} fit_t;

/* A class without a time (rc_dataset_options_t.missing_worst) can be passed over, not predicted. */
static rc_status_t check_time(const fit_t *f, int64_t row, int c)
{
    const rc_dataset_t *d = f->d;
    const rc_sample_t *s = &d->sample[row];
    double t = d->time[row * d->classes + c];
    if (isinf(t) && t > 0 && !f->trainer->has_times)
        return RC_OK;
    if (isinf(t) && t > 0)
        return rc_fail(f->err, RC_EINVAL,
            "%s, class %s: no time, and %s predicts times: a classifier is needed, or --missing "
            "drop",
            s->name, d->cls[c].name, f->trainer->name);
    if (!isfinite(t) || !(t > 0))
        return rc_fail(f->err, RC_EINVAL,
            "%s, K = %lld: time of class %s: expected a positive number, found %g", s->name,
            (long long)s->k, d->cls[c].name, t);
    return RC_OK;
}

static rc_status_t check(const fit_t *f)
{
    const rc_dataset_t *d = f->d;
    if (f->n < f->trainer->rows_min)
        return rc_fail(f->err, RC_EINVAL, "%s: expected at least %d rows to learn from, found %lld",
            f->trainer->name, f->trainer->rows_min, (long long)f->n);
    if (f->n > ROWS_MAX)
        return rc_fail(f->err, RC_EINVAL, "%s: expected fewer rows, found %lld", f->trainer->name,
            (long long)f->n);
    for (int64_t i = 0; i < f->n; i++) {
        const rc_sample_t *s = &d->sample[f->row[i]];
        for (int j = 0; j < d->inputs; j++)
            if (!isfinite(d->value[f->row[i] * d->inputs + j]))
                return rc_fail(f->err, RC_EINVAL, "%s, K = %lld: input %s is not a finite number",
                    s->name, (long long)s->k, d->input[j].name);
        for (int c = 0; c < d->classes; c++)
            if (check_time(f, f->row[i], c) < 0)
                return RC_EINVAL;
    }
    return RC_OK;
}

static rc_status_t identify(fit_t *f)
{
    const rc_dataset_t *d = f->d;
    rc_model_t *m = f->m;
    RC_PASS(rc_strcpy(m->kind, sizeof m->kind, f->trainer->name, "name of a trainer", f->err));
    RC_PASS(rc_strcpy(m->device, sizeof m->device, d->device, "device class", f->err));
    RC_PASS(
        rc_strcpy(m->feature_set, sizeof m->feature_set, d->feature_set, "feature set", f->err));
    m->kind_version = f->trainer->version;
    m->task = d->task;
    m->operation = d->operation;
    m->feature_version = d->feature_version;
    m->geometry = d->geometry;
    m->inputs = d->inputs;
    m->classes = d->classes;
    m->baseline = d->baseline;
    m->input = rc_alloc((size_t)d->inputs, sizeof *m->input, "inputs of a model", f->err);
    m->cls = rc_alloc((size_t)d->classes, sizeof *m->cls, "classes of a model", f->err);
    m->training = json_object();
    if (!m->input || !m->cls || !m->training)
        return rc_fail(f->err, RC_ENOMEM, "no memory for a model");
    memcpy(m->input, d->input, (size_t)d->inputs * sizeof *m->input);
    memcpy(m->cls, d->cls, (size_t)d->classes * sizeof *m->cls);
    return RC_OK;
}

/* Which K the rows have. */
static rc_status_t set_ks(fit_t *f)
{
    int64_t *k = rc_pool_get(&f->pool, (size_t)f->n, sizeof *k);
    int n = 0;
    int is_n = 0;
    RC_PASS(rc_pool_check(&f->pool, "the K of a model", f->err));
    for (int64_t i = 0; i < f->n; i++) {
        const rc_sample_t *s = &f->d->sample[f->row[i]];
        if (!s->k_is_n && s->k > 0)
            k[n++] = s->k;
        is_n |= s->k_is_n;
    }
    return n || is_n ? rc_model_set_ks(f->m, k, n, is_n, f->err) : RC_OK;
}

static void standardise_rows(const fit_t *f)
{
    for (int64_t i = 0; i < f->n; i++)
        rc_model_standardise(f->m, f->d->value + f->row[i] * f->d->inputs, f->x + i * f->d->inputs);
}

/* Mean and deviation of the transformed values; one that differs by rounding only is constant. */
static void measure_input(const fit_t *f, int j)
{
    const rc_dataset_t *d = f->d;
    rc_model_input_t *in = &f->m->input[j];
    double mean = 0;
    double square = 0;
    in->min = INFINITY;
    in->max = -INFINITY;
    for (int64_t i = 0; i < f->n; i++) {
        double raw = d->value[f->row[i] * d->inputs + j];
        in->min = fmin(in->min, raw);
        in->max = fmax(in->max, raw);
        mean += f->x[i * d->inputs + j] / (double)f->n;
    }
    for (int64_t i = 0; i < f->n; i++) {
        double e = f->x[i * d->inputs + j] - mean;
        square += e * e / (double)f->n;
    }
    double deviation = sqrt(square);
    in->mean = mean;
    in->scale = in->min < in->max && deviation > 1e-12 * fmax(1, fabs(mean)) ? deviation : 1;
}

static rc_status_t standardise(fit_t *f)
{
    f->x = rc_pool_get(&f->pool, (size_t)f->n * (size_t)f->d->inputs, sizeof *f->x);
    f->weight = rc_pool_get(&f->pool, (size_t)f->n, sizeof *f->weight);
    RC_PASS(rc_pool_check(&f->pool, "rows of a fit", f->err));
    for (int j = 0; j < f->d->inputs; j++) {
        f->m->input[j].mean = 0;
        f->m->input[j].scale = 1;
    }
    standardise_rows(f); /* transforms alone */
    for (int j = 0; j < f->d->inputs; j++)
        measure_input(f, j);
    standardise_rows(f);
    return RC_OK;
}

/* -------------------------------------------------------------------- weights */

const char *const rc_weighting_names[] = {"inverse", "regret", "none", NULL};

/* What the baseline loses on a row, as log ratio to the best class. */
static double regret(const rc_dataset_t *d, int64_t row)
{
    const double *t = d->time + row * d->classes;
    return log(t[d->baseline] / t[rc_dataset_best(d, row)]);
}

void rc_weights(
    const rc_dataset_t *d, const int64_t *row, int64_t n, rc_weighting_t kind, double *weight)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        weight[i] = 1;
    if (kind == RC_WEIGHT_INVERSE)
        for (int c = 0; c < d->classes; c++) {
            int64_t population = 0;
            for (int64_t i = 0; i < n; i++)
                population += rc_dataset_best(d, row[i]) == c;
            for (int64_t i = 0; i < n; i++)
                if (rc_dataset_best(d, row[i]) == c)
                    weight[i] = 1.0 / (double)population;
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

/* ------------------------------------------------- times of setup and features */

/* Log of a time; what takes no time takes 1 ns. */
static double log_ns(double ns)
{
    return isfinite(ns) && ns >= 0 ? log(fmax(ns, 1)) : NAN;
}

/* Log setup times of a class. */
static int64_t setup_targets(const fit_t *f, int c, double *y)
{
    int64_t known = 0;
    for (int64_t i = 0; i < f->n; i++) {
        y[i] = log_ns(f->d->setup[f->row[i] * f->d->classes + c]);
        known += isfinite(y[i]);
    }
    return known;
}

/* Median of |predicted / measured - 1| over the rows that the fit did not see; NaN: none. */
static rc_status_t cost_error(
    fit_t *f, const rc_model_cost_t *cost, const double *y, const int *test, double *out)
{
    int inputs = f->d->inputs;
    int64_t left = 0;
    int64_t errors = 0;
    rc_pool_t pool = {0};
    double *seen = rc_pool_get(&pool, (size_t)f->n, sizeof *seen);
    double *error = rc_pool_get(&pool, (size_t)f->n, sizeof *error);
    double *coef = rc_pool_get(&pool, (size_t)inputs + 1, sizeof *coef);
    rc_status_t st = rc_pool_check(&pool, "setup times", f->err);
    *out = NAN;
    for (int64_t i = 0; st == RC_OK && i < f->n; i++) {
        seen[i] = test[i] ? NAN : y[i];
        left += isfinite(seen[i]);
    }
    if (st == RC_OK && left > 0)
        st = rc_ridge(f->x, f->n, inputs, seen, setup_penalty, coef, f->err);
    for (int64_t i = 0; st == RC_OK && left > 0 && i < f->n; i++)
        if (test[i] && isfinite(y[i])) {
            double guess = rc_ridge_at(coef, inputs, f->x + i * inputs);
            guess = fmax(cost->min, fmin(cost->max, guess));
            error[errors++] = fabs(exp(guess - y[i]) - 1);
        }
    if (errors > 0) {
        qsort(error, (size_t)errors, sizeof *error, rc_stats_compare);
        *out = rc_stats_quantile(error, errors, 0.5);
    }
    rc_pool_free(&pool);
    return st;
}

/* Leave out times that lie far above the fit: a busy machine adds to a time and never takes from
 * it.  Far is three times the median distance, scaled to a deviation.  \return how many went */
static int64_t drop_disturbed(const fit_t *f, const double *coef, double *y)
{
    const double far = 3 * 1.4826;
    int inputs = f->d->inputs;
    int64_t n = 0;
    int64_t gone = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (isfinite(y[i]))
            f->distance[n++] = fabs(y[i] - rc_ridge_at(coef, inputs, f->x + i * inputs));
    qsort(f->distance, (size_t)n, sizeof *f->distance, rc_stats_compare);
    double limit = fmax(far * rc_stats_quantile(f->distance, n, 0.5), 1e-9);
    for (int64_t i = 0; i < f->n; i++)
        if (isfinite(y[i]) && y[i] - rc_ridge_at(coef, inputs, f->x + i * inputs) > limit) {
            y[i] = NAN;
            gone++;
        }
    return gone;
}

/* The cost model of log times y, some of which may be NaN.
 * \param[out] cost   its weights are owned by the caller, also after a failure
 * \param[out] error  see cost_error */
static rc_status_t fit_cost(
    fit_t *f, double *y, const int *test, rc_model_cost_t *cost, double *error)
{
    enum { ROUNDS = 4 };
    int inputs = f->d->inputs;
    cost->weight = rc_alloc((size_t)inputs + 1, sizeof(double), "the cost of a fit", f->err);
    rc_status_t st = cost->weight ? RC_OK : RC_ENOMEM;
    for (int i = 0; i < ROUNDS && st == RC_OK; i++) {
        st = rc_ridge(f->x, f->n, inputs, y, setup_penalty, cost->weight, f->err);
        if (st == RC_OK && (i + 1 == ROUNDS || drop_disturbed(f, cost->weight, y) == 0))
            break;
    }
    cost->min = INFINITY;
    cost->max = -INFINITY;
    for (int64_t i = 0; i < f->n; i++)
        if (isfinite(y[i])) {
            cost->min = fmin(cost->min, y[i]);
            cost->max = fmax(cost->max, y[i]);
        }
    return st < 0 ? st : cost_error(f, cost, y, test, error);
}

static rc_status_t setup_record(fit_t *f, const double *error)
{
    json_t *errors = json_object();
    int rc = errors ? 0 : -1;
    for (int c = 0; c < f->d->classes && rc == 0; c++)
        rc = json_object_set_new(
            errors, f->d->cls[c].name, isfinite(error[c]) ? json_real(error[c]) : json_null());
    json_t *to = json_pack("{s:f, s:f, s:o}", "penalty", setup_penalty, "held_out", setup_share,
        "median_error", errors);
    if (rc < 0 || !to || json_object_set_new(f->m->training, "setup", to) < 0)
        return rc_fail(f->err, RC_ENOMEM, "setup times: no memory, or a name is not UTF-8");
    return RC_OK;
}

static rc_status_t fit_setup_classes(fit_t *f, double *y, const int *test)
{
    size_t classes = (size_t)f->d->classes;
    for (int c = 0; c < f->d->classes; c++)
        if (!f->d->setup || setup_targets(f, c, y) == 0)
            return RC_OK; /* a class has no known one: no table */
    double *error = rc_pool_get(&f->pool, classes, sizeof *error);
    RC_PASS(rc_pool_check(&f->pool, "setup times", f->err));
    RC_PASS(RC_NEW0(f->m->setup, classes, "setup times", f->err));
    for (int c = 0; c < f->d->classes; c++) {
        setup_targets(f, c, y);
        RC_PASS(fit_cost(f, y, test, &f->m->setup[c], &error[c]));
    }
    return setup_record(f, error);
}

/* What computing the features takes; not known when the store does not have it. */
static rc_status_t fit_featurise(fit_t *f, double *y, const int *test)
{
    int64_t known = 0;
    double error = NAN;
    for (int64_t i = 0; i < f->n; i++) {
        y[i] = log_ns(f->d->sample[f->row[i]].feature_ns);
        known += isfinite(y[i]);
    }
    if (known == 0)
        return RC_OK;
    rc_status_t st = fit_cost(f, y, test, &f->m->featurise, &error);
    if (st == RC_OK && json_object_set_new(f->m->training, "featurise_median_error",
                           isfinite(error) ? json_real(error) : json_null()) < 0)
        st = rc_fail(f->err, RC_ENOMEM, "no memory for the cost of features");
    return st;
}

static rc_status_t fit_costs(fit_t *f)
{
    double *y = rc_pool_get(&f->pool, (size_t)f->n, sizeof *y);
    int *test = rc_pool_get(&f->pool, (size_t)f->n, sizeof *test);
    f->distance = rc_pool_get(&f->pool, (size_t)f->n, sizeof *f->distance);
    RC_PASS(rc_pool_check(&f->pool, "setup times", f->err));
    /* A part of the rows measures the error, none when they cannot be split: one group only. */
    const rc_split_t split = {f->d, f->row, f->n, f->options->split, f->options->seed};
    rc_status_t st = rc_split_share(&split, setup_share, test, NULL);
    if (st == RC_EINVAL)
        memset(test, 0, (size_t)f->n * sizeof *test);
    else if (st < 0)
        return rc_fail(f->err, st, "no memory for the setup times");
    RC_PASS(fit_setup_classes(f, y, test));
    return fit_featurise(f, y, test);
}

rc_status_t rc_fit(const rc_trainer_t *t, const rc_dataset_t *d, const int64_t *row, int64_t n,
    const rc_fit_options_t *options, rc_model_t **out, rc_err_t *err)
{
    fit_t f = {.trainer = t, .d = d, .row = row, .n = n, .options = options, .err = err};
    rc_status_t st;
    RC_TRY(check(&f));
    f.m = rc_model_new(err);
    RC_PASS(f.m ? RC_OK : RC_ENOMEM);
    RC_TRY(identify(&f));
    RC_TRY(set_ks(&f));
    RC_TRY(standardise(&f));
    rc_weights(d, row, n, options->weights, f.weight);
    RC_TRY(fit_costs(&f));
    const rc_fit_job_t job = {d, row, n, f.x, f.weight, options};
    RC_TRY(t->fit(t, &job, f.m, err));
    *out = f.m;
    f.m = NULL;
done:
    rc_model_free(f.m);
    rc_pool_free(&f.pool);
    return st;
}
