#include "config.h"
#include "analysis/experiment.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 16 }; /* of a matrix's digest, that a model file keeps */

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
        RC_PASS(RC_NEW(e->all.time, (size_t)e->all.count * classes, "predicted times", e->err));
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

/* ---------------------------------------------------------------- predictions */

rc_status_t rc_predict_rows(const rc_model_t *m, const rc_dataset_t *d, const int64_t *row,
    int64_t n, rc_predictions_t *out, rc_err_t *err)
{
    rc_predictions_t p = {.count = n};
    size_t times = m->output == RC_OUTPUT_SCORE ? 0 : (size_t)n * (size_t)d->classes;
    rc_status_t st;
    double *scratch = rc_alloc(rc_model_scratch(m), sizeof *scratch, "scratch of a model", err);
    p.row = rc_alloc((size_t)n, sizeof *p.row, "predictions", err);
    p.choice = rc_alloc((size_t)n, sizeof *p.choice, "predictions", err);
    if (times)
        p.time = rc_alloc(times, sizeof *p.time, "predicted times", err);
    RC_TRY(scratch && p.row && p.choice && (!times || p.time) ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < n; i++) {
        p.row[i] = row ? row[i] : i;
        p.choice[i] = rc_model_choose_raw(
            m, d->value + p.row[i] * d->inputs, scratch, p.time ? p.time + i * d->classes : NULL);
    }
    *out = p;
    p = (rc_predictions_t){0};
done:
    rc_predictions_free(&p);
    free(scratch);
    return st;
}

void rc_predictions_free(rc_predictions_t *p)
{
    free(p->row);
    free(p->choice);
    free(p->time);
    *p = (rc_predictions_t){0};
}

/* --------------------------------------------- what a model says of its making */

static json_t *protocol_json(const rc_protocol_t *p)
{
    json_t *object = json_pack("{s:s, s:I, s:I}", "split", rc_split_names[p->split], "seed",
        (json_int_t)p->seed, "folds", (json_int_t)p->folds);
    if (p->folds > 0 || json_object_set_new(object, "test_share", json_real(p->test_share)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *options_json(const rc_fit_options_t *o)
{
    return json_pack("{s:s, s:s, s:s?, s:f, s:i, s:i, s:i}", "weights",
        rc_weighting_names[o->weights], "validation_split", rc_split_names[o->split], "hidden",
        o->hidden, "l2", o->l2, "restarts", o->restarts, "members", o->members, "epochs",
        o->epochs);
}

/* Sorted, each once; at most `most` characters of each. */
static json_t *texts(const char **text, int64_t n, size_t most)
{
    json_t *list = json_array();
    int failed = 0;
    qsort(text, (size_t)n, sizeof *text, rc_str_compare);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || strcmp(text[i], text[i - 1]) != 0)
            failed |= json_array_append_new(list, json_stringn(text[i], strnlen(text[i], most)));
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

/* Add to m->training what the model was fitted on (the first n rows of `train`) and how. */
static rc_status_t record_training(const experiment_t *e, int64_t n, rc_model_t *m)
{
    const rc_dataset_t *d = e->d;
    rc_status_t st = RC_OK;
    json_t *groups = NULL;
    json_t *matrices = NULL;
    json_t *add = NULL;
    const char **text = rc_alloc((size_t)n, sizeof *text, "names of rows", e->err);
    RC_PASS(text ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < n; i++)
        text[i] = d->group[d->sample[e->train[i]].group];
    groups = texts(text, n, SIZE_MAX);
    for (int64_t i = 0; i < n; i++)
        text[i] = d->sample[e->train[i]].digest;
    matrices = texts(text, n, DIGITS);
    free(text);
    if (!m->training)
        m->training = json_object();
    /* what is packed with "o" is taken over, also when packing fails */
    add = json_pack("{s:s, s:i, s:o, s:I, s:o, s:s, s:I, s:I, s:o, s:o, s:{s:I, s:I}, s:{s:s}}",
        "trainer", e->trainer->name, "trainer_version", e->trainer->version, "options",
        options_json(&e->options), "seed", (json_int_t)e->options.seed, "protocol",
        protocol_json(e->p), "data_digest", rc_digest_hex(d->digest).text, "data_rows",
        (json_int_t)d->rows, "rows", (json_int_t)n, "groups", groups, "matrices", matrices,
        "dropped", "incomplete", (json_int_t)d->dropped.incomplete, "features",
        (json_int_t)d->dropped.features, "versions", "rowcast", rc_version());
    if (!m->training || !add || json_object_update(m->training, add) < 0)
        st = rc_fail(e->err, RC_ENOMEM, "the record of a fit: no memory, or a name is not UTF-8");
    json_decref(add);
    return st;
}

/* Set m->evaluation: the brief evaluation of predictions that no fit had seen. */
static rc_status_t record_evaluation(const experiment_t *x, int single, rc_model_t *m)
{
    const rc_protocol_t *p = x->p;
    rc_evaluation_t e = {0};
    rc_status_t st;
    json_t *object = NULL;
    char text[160];
    snprintf(text, sizeof text,
        "unseen rows only: each was predicted by a fit that saw no row of its %s%s",
        p->split == RC_SPLIT_GROUP ? "group" : "matrix",
        p->folds > 0 ? "; this model is fitted on all of them" : "");
    RC_TRY(rc_evaluate(x->d, &x->all, single, p->seed, &e, x->err));
    object = rc_evaluation_json(x->d, &e, 1, x->err);
    if (!object || json_object_set_new(object, "protocol", protocol_json(p)) < 0 ||
        json_object_set_new(object, "rows", json_string(text)) < 0) {
        st = rc_fail(x->err, RC_ENOMEM, "no memory for the evaluation of a model");
        goto done;
    }
    json_decref(m->evaluation);
    m->evaluation = object;
    object = NULL;
done:
    json_decref(object);
    rc_evaluation_free(&e);
    return st;
}

/* ----------------------------------------------------------------------- fits */

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
        RC_TRY(record_training(e, train, m));
        *model = m;
        m = NULL;
    }
done:
    rc_predictions_free(&p);
    rc_model_free(m);
    return st;
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
    if (model && p->folds > 0) {
        for (int64_t i = 0; i < d->rows; i++)
            e.train[i] = i;
        e.fit = e.parts;
        snprintf(e.what, sizeof e.what, "all rows: ");
        RC_TRY(rc_fit(t, d, e.train, d->rows, &e.options, &m, err));
        RC_TRY(record_training(&e, d->rows, m));
    }
    if (model)
        RC_TRY(record_evaluation(&e, common, m));
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

/* The texts of a list that a model file has, as keys. */
static rc_status_t read_texts(const rc_model_t *m, const char *name, rc_map_t *out, rc_err_t *err)
{
    const json_t *list = json_object_get(m->training, name);
    size_t i;
    const json_t *value;
    if (!json_is_array(list))
        return rc_fail(err, RC_EINVAL,
            "the model does not say what it was fitted on: no list training.%s", name);
    json_array_foreach(list, i, value)
    {
        if (!json_is_string(value))
            return rc_fail(err, RC_EINVAL, "training.%s[%zu] of the model is no text", name, i);
        RC_PASS(rc_map_set(out, rc_map_text(json_string_value(value)), 1, err));
    }
    return RC_OK;
}

rc_status_t rc_unseen_rows(const rc_model_t *m, const rc_dataset_t *d, int by_group, int64_t *row,
    int64_t *n, rc_err_t *err)
{
    rc_map_t matrices = {0};
    rc_map_t groups = {0};
    rc_status_t st;
    int64_t count = 0;
    RC_TRY(read_texts(m, "matrices", &matrices, err));
    if (by_group) /* else the map stays empty */
        RC_TRY(read_texts(m, "groups", &groups, err));
    for (int64_t i = 0; i < d->rows; i++) {
        char digits[DIGITS + 1];
        const rc_sample_t *s = &d->sample[i];
        snprintf(digits, sizeof digits, "%.*s", DIGITS, s->digest);
        if (rc_map_get(&matrices, rc_map_text(digits), 0) ||
            rc_map_get(&groups, rc_map_text(d->group[s->group]), 0))
            continue;
        row[count++] = i;
    }
    *n = count;
done:
    rc_map_free(&matrices);
    rc_map_free(&groups);
    return st;
}
