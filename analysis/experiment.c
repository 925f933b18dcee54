#include "config.h"
#include "analysis/experiment.h"

#include "analysis/experiment_record.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct experiment {
    rc_pool_t pool;
    const rc_trainer_t *trainer;
    const rc_dataset_t *d;
    const rc_protocol_t *p;
    rc_fit_options_t options; /* with the progress of this file */
    const rc_fit_options_t *caller;
    int fits; /* all that will be made */
    int fit;  /* the one in hand */
    char what[32];
    int *part;
    int parts;
    int64_t *train; /* [rows] */
    int64_t *test;  /* [rows] */
    int64_t *place; /* [rows] of a predicted row in the predictions */
    rc_predictions_t all;
    double fit_ns;
    double predict_ns; /* of all predicted rows once */
    rc_err_t *err;
} experiment_t;

static void forward(void *context, const char *what, double done, double loss)
{
    const experiment_t *e = context;
    char text[256];
    snprintf(text, sizeof text, "%s%s", e->what, what ? what : "");
    e->caller->progress(e->caller->context, text, (e->fit + done) / e->fits, loss);
}

rc_status_t rc_protocol_parts(
    const rc_dataset_t *d, const rc_protocol_t *p, int *part, int *parts, rc_err_t *err)
{
    const rc_split_t split = {d, NULL, d->rows, p->split, p->seed};
    if (p->folds < 0 || p->folds == 1)
        return rc_fail(
            err, RC_EINVAL, "%d folds: expected at least 2, or 0 for one test part", p->folds);
    if (p->folds == 0 && !(p->test_share > 0 && p->test_share < 1))
        return rc_fail(err, RC_EINVAL, "a test share of %g: expected more than 0 and less than 1",
            p->test_share);
    if (p->folds > 0) {
        *parts = p->folds;
        return rc_split_folds(&split, p->folds, part, err);
    }
    rc_status_t st = rc_split_share(&split, p->test_share, part, err);
    for (int64_t i = 0; st == RC_OK && i < d->rows; i++)
        part[i] = part[i] ? 0 : -1;
    *parts = 1;
    return st;
}

/* Ns that the predictions of the test rows take once: of each small block of them the fastest of
 * some passes, so that what else runs on the machine does not count. */
static rc_status_t time_inference(experiment_t *e, const rc_model_t *m, int64_t n, double *ns)
{
    enum { BLOCK = 32, PASSES = 20 };
    const int64_t enough_ns = 20000000;
    const rc_dataset_t *d = e->d;
    int64_t begin = rc_clock_ns();
    int64_t chosen = 0;
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    rc_pool_t pool = {0};
    double *scratch = rc_pool_get(&pool, rc_model_scratch(m), sizeof *scratch);
    double *time = rc_pool_get(&pool, (size_t)d->classes, sizeof *time);
    double *least = rc_pool_get(&pool, (size_t)blocks, sizeof *least);
    rc_status_t st = rc_pool_check(&pool, "times of predictions", e->err);
    for (int64_t b = 0; st == RC_OK && b < blocks; b++)
        least[b] = INFINITY;
    for (int pass = 0; st == RC_OK && pass < PASSES; pass++) {
        for (int64_t b = 0; b < blocks; b++) {
            int64_t end = b + 1 < blocks ? (b + 1) * BLOCK : n;
            int64_t start = rc_clock_ns();
            for (int64_t i = b * BLOCK; i < end; i++)
                chosen += rc_model_choose_raw(m, d->value + e->test[i] * d->inputs, scratch, time);
            least[b] = fmin(least[b], (double)(rc_clock_ns() - start));
        }
        if (rc_clock_ns() - begin > enough_ns)
            break;
    }
    *ns = 0;
    for (int64_t b = 0; st == RC_OK && b < blocks; b++)
        *ns += least[b];
    if (chosen < 0) /* never: the choices are used, so that the calls stay */
        *ns = NAN;
    rc_pool_free(&pool);
    return st;
}

/* Predictions of one part go to the places of their rows. */
static rc_status_t place(experiment_t *e, const rc_predictions_t *p)
{
    size_t classes = (size_t)e->d->classes;
    if (p->time && !e->all.time) {
        e->all.time = rc_alloc(
            (size_t)e->all.count * classes, sizeof *e->all.time, "predicted times", e->err);
        RC_PASS(e->all.time ? RC_OK : RC_ENOMEM);
    }
    for (int64_t i = 0; i < p->count; i++) {
        int64_t at = e->place[p->row[i]];
        e->all.row[at] = p->row[i];
        e->all.choice[at] = p->choice[i];
        if (p->time)
            memcpy(e->all.time + (size_t)at * classes, p->time + (size_t)i * classes,
                classes * sizeof *p->time);
    }
    return RC_OK;
}

/* Fit on what is not of a part, predict the part.  \param[out] model  may be NULL */
static rc_status_t run_part(experiment_t *e, int number, rc_model_t **model, int *single, int timed)
{
    int64_t train = 0;
    int64_t test = 0;
    rc_model_t *m = NULL;
    rc_predictions_t p = {0};
    rc_status_t st;
    for (int64_t i = 0; i < e->d->rows; i++)
        if (e->part[i] == number)
            e->test[test++] = i;
        else
            e->train[train++] = i;
    e->fit = number;
    if (e->parts > 1)
        snprintf(e->what, sizeof e->what, "fold %d/%d: ", number + 1, e->parts);
    *single = rc_best_single(e->d, e->train, train);
    int64_t start = rc_clock_ns();
    RC_TRY(rc_fit(e->trainer, e->d, e->train, train, &e->options, &m, e->err));
    e->fit_ns += (double)(rc_clock_ns() - start);
    RC_TRY(rc_predict_rows(m, e->d, e->test, test, &p, e->err));
    RC_TRY(place(e, &p));
    if (timed) {
        double ns = NAN;
        RC_TRY(time_inference(e, m, test, &ns));
        e->predict_ns += ns;
    }
    if (model) {
        RC_TRY(rc_record_training(m, e->trainer, e->d, e->train, train, e->p, &e->options, e->err));
        *model = m;
        m = NULL;
    }
done:
    rc_predictions_free(&p);
    rc_model_free(m);
    return st;
}

static rc_status_t fit_all(experiment_t *e, rc_model_t **model)
{
    for (int64_t i = 0; i < e->d->rows; i++)
        e->train[i] = i;
    e->fit = e->parts;
    snprintf(e->what, sizeof e->what, "all rows: ");
    RC_PASS(rc_fit(e->trainer, e->d, e->train, e->d->rows, &e->options, model, e->err));
    return rc_record_training(
        *model, e->trainer, e->d, e->train, e->d->rows, e->p, &e->options, e->err);
}

static rc_status_t prepare(experiment_t *e)
{
    size_t rows = (size_t)e->d->rows;
    e->part = rc_pool_get(&e->pool, rows, sizeof *e->part);
    e->train = rc_pool_get(&e->pool, rows, sizeof *e->train);
    e->test = rc_pool_get(&e->pool, rows, sizeof *e->test);
    e->place = rc_pool_get(&e->pool, rows, sizeof *e->place);
    RC_PASS(rc_pool_check(&e->pool, "parts of rows", e->err));
    RC_PASS(rc_protocol_parts(e->d, e->p, e->part, &e->parts, e->err));
    for (int64_t i = 0; i < e->d->rows; i++) {
        e->place[i] = e->all.count;
        e->all.count += e->part[i] >= 0;
    }
    e->all.row = rc_alloc((size_t)e->all.count, sizeof *e->all.row, "predictions", e->err);
    e->all.choice = rc_alloc((size_t)e->all.count, sizeof *e->all.choice, "predictions", e->err);
    return e->all.row && e->all.choice ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_experiment(const rc_trainer_t *t, const rc_dataset_t *d, const rc_protocol_t *p,
    const rc_fit_options_t *options, rc_model_t **model, rc_predictions_t *predictions, int *single,
    rc_experiment_cost_t *cost, rc_err_t *err)
{
    experiment_t e = {
        .trainer = t, .d = d, .p = p, .options = *options, .caller = options, .err = err};
    rc_model_t *m = NULL;
    rc_status_t st;
    int common = -1;
    if (options->progress) {
        e.options.progress = forward;
        e.options.context = &e;
    }
    RC_TRY(prepare(&e));
    e.fits = e.parts + (model && p->folds > 0);
    for (int i = 0; i < e.parts; i++) {
        int best = 0;
        RC_TRY(run_part(&e, i, model && p->folds == 0 ? &m : NULL, &best, cost != NULL));
        common = i == 0 || common == best ? best : -1;
    }
    if (model && p->folds > 0)
        RC_TRY(fit_all(&e, &m));
    if (model)
        RC_TRY(rc_record_evaluation(m, d, &e.all, common, p, err));
    if (cost)
        *cost = (rc_experiment_cost_t){.fits = e.parts,
            .fit_s = 1e-9 * e.fit_ns / e.parts,
            .inference_ns = e.predict_ns / (double)e.all.count};
    if (model) {
        *model = m;
        m = NULL;
    }
    *predictions = e.all;
    e.all = (rc_predictions_t){0};
    *single = common;
done:
    rc_model_free(m);
    rc_predictions_free(&e.all);
    rc_pool_free(&e.pool);
    return st;
}
