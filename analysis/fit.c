/* What every trainer shares: identity, standardised inputs, weights, and the setup times. */
#include "config.h"
#include "analysis/ridge.h"
#include "analysis/trainer.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Setup times: the penalty of the ridge, and the share of the rows that measures its error. */
static const double setup_penalty = 0.01;
static const double setup_share = 0.2;

typedef struct fit {
    const rc_trainer_t *trainer;
    const rc_dataset_t *d;
    const int64_t *row;
    int64_t n;
    const rc_fit_options_t *options;
    rc_model_t *m;
    double *x; /* [n * inputs] */
    double *weight;
    rc_err_t *err;
} fit_t;

static rc_status_t check(const fit_t *f)
{
    const rc_dataset_t *d = f->d;
    if (f->n < 1)
        return rc_fail(f->err, RC_EINVAL, "%s: no rows to train on", f->trainer->name);
    if (d->inputs < 1 || d->classes < 1)
        return rc_fail(f->err, RC_EINVAL, "%s: expected inputs and classes, found %d and %d",
            f->trainer->name, d->inputs, d->classes);
    if (f->options->threads < 1)
        return rc_fail(f->err, RC_EINVAL, "%s: expected at least 1 thread, found %d",
            f->trainer->name, f->options->threads);
    for (int64_t i = 0; i < f->n; i++) {
        const rc_sample_t *s = &d->sample[f->row[i]];
        for (int j = 0; j < d->inputs; j++)
            if (!isfinite(d->value[f->row[i] * d->inputs + j]))
                return rc_fail(f->err, RC_EINVAL, "%s, K = %lld: input %s is not a finite number",
                    s->name, (long long)s->k, d->input[j].name);
        for (int c = 0; c < d->classes; c++) {
            double t = d->time[f->row[i] * d->classes + c];
            if (!isfinite(t) || !(t > 0))
                return rc_fail(f->err, RC_EINVAL,
                    "%s, K = %lld: time of class %s: expected a positive number, found %g", s->name,
                    (long long)s->k, d->cls[c].name, t);
        }
    }
    return RC_OK;
}

static rc_status_t identify(fit_t *f)
{
    const rc_dataset_t *d = f->d;
    rc_model_t *m = f->m;
    rc_status_t st;
    RC_TRY(rc_strcpy(m->kind, sizeof m->kind, f->trainer->name, "name of a trainer", f->err));
    RC_TRY(rc_strcpy(m->device, sizeof m->device, d->device, "device class", f->err));
    RC_TRY(rc_strcpy(m->feature_set, sizeof m->feature_set, d->feature_set, "feature set", f->err));
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
done:
    return st;
}

static void standardise_rows(const fit_t *f)
{
    for (int64_t i = 0; i < f->n; i++)
        rc_model_standardise(f->m, f->d->value + f->row[i] * f->d->inputs, f->x + i * f->d->inputs);
}

/* Mean and deviation of the transformed values; an input that differs by rounding only is
 * constant. */
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
    f->x = rc_alloc((size_t)f->n * (size_t)f->d->inputs, sizeof *f->x, "inputs", f->err);
    f->weight = rc_alloc((size_t)f->n, sizeof *f->weight, "weights", f->err);
    if (!f->x || !f->weight)
        return RC_ENOMEM;
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

/* ------------------------------------------------------------ setup times */

/* Log setup times of a class; an order that takes no time takes 1 ns. */
static int64_t setup_targets(const fit_t *f, int c, double *y)
{
    int64_t known = 0;
    for (int64_t i = 0; i < f->n; i++) {
        double ns = f->d->setup[f->row[i] * f->d->classes + c];
        y[i] = isfinite(ns) && ns >= 0 ? log(fmax(ns, 1)) : NAN;
        known += isfinite(y[i]);
    }
    return known;
}

static double clamped(const rc_model_t *m, int c, double y)
{
    return fmax(m->setup_min[c], fmin(m->setup_max[c], y));
}

/* Median of |predicted / measured - 1| over the rows of a part that the fit did not see; NaN when
 * there are none. */
static rc_status_t setup_error(fit_t *f, int c, const double *y, const int *test, double *out)
{
    int inputs = f->d->inputs;
    int64_t left = 0;
    int64_t errors = 0;
    double *seen = rc_alloc((size_t)f->n, sizeof *seen, "setup times", f->err);
    double *error = rc_alloc((size_t)f->n, sizeof *error, "setup times", f->err);
    double *coef = rc_alloc((size_t)inputs + 1, sizeof *coef, "setup times", f->err);
    rc_status_t st = seen && error && coef ? RC_OK : RC_ENOMEM;
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
            error[errors++] = fabs(exp(clamped(f->m, c, guess) - y[i]) - 1);
        }
    if (errors > 0) {
        qsort(error, (size_t)errors, sizeof *error, rc_stats_compare);
        *out = rc_stats_quantile(error, errors, 0.5);
    }
    free(seen);
    free(error);
    free(coef);
    return st;
}

/* Setup times of a class into the model.  \param[out] error  see setup_error */
static rc_status_t setup_class(fit_t *f, int c, double *y, const int *test, double *error)
{
    int inputs = f->d->inputs;
    double *coef = f->m->setup + (size_t)c * ((size_t)inputs + 1);
    f->m->setup_min[c] = INFINITY;
    f->m->setup_max[c] = -INFINITY;
    setup_targets(f, c, y);
    for (int64_t i = 0; i < f->n; i++)
        if (isfinite(y[i])) {
            f->m->setup_min[c] = fmin(f->m->setup_min[c], y[i]);
            f->m->setup_max[c] = fmax(f->m->setup_max[c], y[i]);
        }
    rc_status_t st = rc_ridge(f->x, f->n, inputs, y, setup_penalty, coef, f->err);
    return st < 0 ? st : setup_error(f, c, y, test, error);
}

/* A part of the rows to measure the error of the setup times on, none when they cannot be split:
 * one group only. */
static rc_status_t setup_part(const fit_t *f, int *test)
{
    rc_status_t st = rc_split_share_of(
        f->d, f->row, f->n, f->options->split, setup_share, f->options->seed, test, NULL);
    if (st == RC_EINVAL)
        memset(test, 0, (size_t)f->n * sizeof *test);
    else if (st < 0)
        return rc_fail(f->err, st, "no memory for the setup times");
    return RC_OK;
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

/* The table of setup times; none when a class has no known one. */
static rc_status_t fit_setup(fit_t *f)
{
    size_t classes = (size_t)f->d->classes;
    size_t inputs = (size_t)f->d->inputs;
    rc_status_t st = RC_OK;
    double *y = rc_alloc((size_t)f->n, sizeof *y, "setup times", f->err);
    double *error = rc_alloc(classes, sizeof *error, "setup times", f->err);
    int *test = rc_alloc((size_t)f->n, sizeof *test, "setup times", f->err);
    if (!y || !error || !test) {
        st = RC_ENOMEM;
        goto done;
    }
    for (int c = 0; c < f->d->classes; c++)
        if (!f->d->setup || setup_targets(f, c, y) == 0)
            goto done;
    f->m->setup = rc_alloc(classes * (inputs + 1), sizeof(double), "setup times", f->err);
    f->m->setup_min = rc_alloc(classes, sizeof(double), "setup times", f->err);
    f->m->setup_max = rc_alloc(classes, sizeof(double), "setup times", f->err);
    if (!f->m->setup || !f->m->setup_min || !f->m->setup_max) {
        st = RC_ENOMEM;
        goto done;
    }
    RC_TRY(setup_part(f, test));
    for (int c = 0; c < f->d->classes; c++)
        RC_TRY(setup_class(f, c, y, test, &error[c]));
    st = setup_record(f, error);
done:
    free(y);
    free(error);
    free(test);
    return st;
}

rc_status_t rc_fit(const rc_trainer_t *t, const rc_dataset_t *d, const int64_t *row, int64_t n,
    const rc_fit_options_t *options, rc_model_t **out, rc_err_t *err)
{
    fit_t f = {.trainer = t, .d = d, .row = row, .n = n, .options = options, .err = err};
    rc_status_t st;
    RC_TRY(check(&f));
    f.m = rc_model_new(err);
    if (!f.m)
        return RC_ENOMEM;
    RC_TRY(identify(&f));
    RC_TRY(standardise(&f));
    rc_weights(d, row, n, options->weights, f.weight);
    RC_TRY(fit_setup(&f));
    const rc_fit_job_t job = {d, row, n, f.x, f.weight, options};
    RC_TRY(t->fit(t, &job, f.m, err));
    *out = f.m;
    f.m = NULL;
done:
    rc_model_free(f.m);
    free(f.x);
    free(f.weight);
    return st;
}
