#include "config.h"
#include "analysis/papers/nisa/protocol.h"
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
    x->fold = rc_alloc(rows, sizeof *x->fold, "folds", x->err);
    x->train = rc_alloc(rows, sizeof *x->train, "rows to train on", x->err);
    x->test = rc_alloc(rows, sizeof *x->test, "rows to test on", x->err);
    RC_PASS(x->fold && x->train && x->test ? RC_OK : RC_ENOMEM);
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
    r.p.row = rc_alloc((size_t)d->rows, sizeof *r.p.row, "predictions", err);
    r.p.choice = rc_alloc0((size_t)d->rows, sizeof *r.p.choice, "predictions", err);
    RC_TRY(r.p.row && r.p.choice ? RC_OK : RC_ENOMEM);
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
