/* Folds, test parts and comparisons, with a trainer that keeps account of what it is shown. */
#include "config.h"
#include "unit.h"

#include "failing_alloc.h"
#include "made_data.h"
#include "analysis/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FITS = 8, ROWS = 180, FAIL_NEVER = -1 };

static const made_spec_t plain = {.matrices = 60,
    .groups = 17,
    .kinds = 4,
    .ks = 3,
    .inputs = 4,
    .classes = 4,
    .noise = 0.1,
    .seed = 3};

/* ------------------------------------------------------------------ the trainer */

/* What the trainer of this program saw; reset by start(). */
static struct {
    int fits;
    int fail_at;          /* number of the fit that fails */
    char saw[FITS][ROWS]; /* rows of each fit */
    double number[FITS];
    const rc_dataset_t *data[FITS];
    rc_fit_options_t options;
} spy;

static size_t no_scratch(const void *s)
{
    (void)s;
    return 0;
}

/* The time of class 0 says which fit it is, the class chosen is 1 + fit mod 3. */
static void tell(const void *s, const double *x, double *scratch, double *out)
{
    double number = *(const double *)s;
    (void)x;
    (void)scratch;
    for (int c = 0; c < 4; c++)
        out[c] = c == 1 + (int)number % 3 ? 0 : 2;
    out[0] = 1 + number;
}

static void nothing(void *s)
{
    (void)s;
}

static const rc_predictor_kind_t teller = {.name = "teller",
    .summary = "",
    .version = 1,
    .scratch = no_scratch,
    .score = tell,
    .free = nothing};

static rc_status_t look(const rc_fit_job_t *job, rc_output_t output, rc_model_t *m)
{
    const rc_fit_options_t *options = job->options;
    int f = spy.fits++;
    assert_in_range(f, 0, FITS - 1);
    spy.data[f] = job->d;
    for (int64_t i = 0; i < job->n; i++) {
        assert_false(spy.saw[f][job->row[i]]);
        spy.saw[f][job->row[i]] = 1;
    }
    spy.options = *options;
    spy.number[f] = f;
    if (options->progress) {
        options->progress(options->context, "looks", 0, NAN);
        options->progress(options->context, "looks", 1, 0.5);
    }
    if (f == spy.fail_at)
        return RC_EINVAL;
    m->output = output;
    m->predictor = (rc_predictor_t){&teller, &spy.number[f]};
    return RC_OK;
}

static rc_status_t fit_times(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    assert_string_equal(self->name, "timer");
    rc_status_t st = look(job, RC_OUTPUT_LOG_NS, m);
    if (st < 0 && err)
        *err = (rc_err_t){st, "the spy fails"};
    return st;
}

static rc_status_t fit_scores(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    assert_string_equal(self->name, "scorer");
    (void)err;
    return look(job, RC_OUTPUT_SCORE, m);
}

static const rc_trainer_t timer = {.name = "timer", .version = 7, .has_times = 1, .fit = fit_times};
static const rc_trainer_t scorer = {.name = "scorer", .version = 1, .fit = fit_scores};

static void start(void)
{
    memset(&spy, 0, sizeof spy);
    spy.fail_at = FAIL_NEVER;
}

static rc_dataset_t *make(void)
{
    rc_dataset_t *d = made_data(&plain);
    assert_non_null(d);
    assert_int_equal(d->rows, ROWS);
    return d;
}

static void drop(rc_dataset_t *d)
{
    rc_dataset_free(d);
    free(d);
}

/* 1 when a fit saw a row of the same group or matrix. */
static int knew(const rc_dataset_t *d, int fit, int64_t row, rc_split_kind_t split)
{
    for (int64_t i = 0; i < d->rows; i++)
        if (spy.saw[fit][i] &&
            (split == RC_SPLIT_GROUP ? d->sample[i].group == d->sample[row].group
                                     : d->sample[i].matrix == d->sample[row].matrix))
            return 1;
    return 0;
}

static int rows_seen(int fit)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        n += spy.saw[fit][i];
    return n;
}

/* ------------------------------------------------------------------ folds */

static void check_folds(rc_split_kind_t split, int folds, uint64_t seed)
{
    rc_dataset_t *d = make();
    const rc_protocol_t p = {.split = split, .folds = folds, .seed = seed};
    const rc_fit_options_t options = {.threads = 2, .seed = 12};
    rc_predictions_t out;
    int single;
    int groups_cut = 0;
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, NULL, &out, &single, NULL), RC_OK);
    assert_int_equal(spy.fits, folds); /* no final fit when no model is wanted */
    assert_int_equal(spy.options.threads, 2);
    assert_int_equal(spy.options.seed, 12);
    assert_int_equal(out.count, d->rows);
    for (int64_t i = 0; i < d->rows; i++) {
        int fit = (int)lround(log(out.time[i * d->classes])) - 1;
        assert_int_equal(out.row[i], i);
        assert_in_range(fit, 0, folds - 1);
        assert_int_equal(out.choice[i], 1 + fit % 3);
        assert_false(knew(d, fit, i, split));
        groups_cut += knew(d, fit, i, RC_SPLIT_GROUP);
        /* and the fits of all other folds saw it */
        for (int f = 0; f < folds; f++)
            assert_int_equal(spy.saw[f][i], f != fit);
    }
    assert_true(split == RC_SPLIT_GROUP || groups_cut > 0);
    rc_predictions_free(&out);
    drop(d);
}

static void folds_never_see_what_they_predict(void **state)
{
    (void)state;
    check_folds(RC_SPLIT_GROUP, 5, 1);
    check_folds(RC_SPLIT_GROUP, 2, 2);
    check_folds(RC_SPLIT_RANDOM, 5, 1);
    check_folds(RC_SPLIT_RANDOM, 8, 3);
}

/* The best class of all rows but those of a fold; -1 when folds disagree. */
static int common_single(const rc_dataset_t *d, int folds)
{
    int common = -1;
    for (int f = 0; f < folds; f++) {
        int best = 0;
        double least = INFINITY;
        for (int c = 0; c < d->classes; c++) {
            double sum = 0;
            for (int64_t i = 0; i < d->rows; i++)
                sum += spy.saw[f][i] ? log(d->time[i * d->classes + c]) : 0;
            if (sum < least) {
                least = sum;
                best = c;
            }
        }
        if (f > 0 && best != common)
            return -1;
        common = best;
    }
    return common;
}

static void single_is_of_the_training_part(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    const rc_protocol_t p = {.split = RC_SPLIT_GROUP, .folds = 2, .seed = 1};
    const rc_fit_options_t options = {.threads = 1};
    rc_predictions_t out;
    int single;
    int part[ROWS];
    int parts;
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, NULL, &out, &single, NULL), RC_OK);
    assert_int_equal(single, common_single(d, 2));
    rc_predictions_free(&out);
    /* class 3 is best in both folds, then class 2 in one of them */
    assert_int_equal(rc_protocol_parts(d, &p, part, &parts, NULL), RC_OK);
    assert_int_equal(parts, 2);
    for (int both = 1; both >= 0; both--) {
        for (int64_t i = 0; i < d->rows; i++)
            for (int c = 0; c < d->classes; c++)
                d->time[i * d->classes + c] = c == (both || part[i] ? 3 : 2) ? 10 : 20;
        start();
        assert_int_equal(rc_experiment(&timer, d, &p, &options, NULL, &out, &single, NULL), RC_OK);
        assert_int_equal(single, both ? 3 : -1);
        rc_predictions_free(&out);
    }
    drop(d);
}

/* ------------------------------------------------------------------ what a model says of itself */

static const json_t *member(const json_t *object, const char *a, const char *b)
{
    const json_t *x = json_object_get(object, a);
    x = b ? json_object_get(x, b) : x;
    assert_non_null(x);
    return x;
}

static int holds(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), text) == 0)
            return 1;
    return 0;
}

static void check_sorted(const json_t *list)
{
    for (size_t i = 1; i < json_array_size(list); i++)
        assert_true(strcmp(json_string_value(json_array_get(list, i - 1)),
                        json_string_value(json_array_get(list, i))) < 0);
}

/* The record of the fit `fit`. */
static void check_training(const rc_model_t *m, const rc_dataset_t *d, int fit)
{
    const json_t *t = m->training;
    const json_t *groups = member(t, "groups", NULL);
    const json_t *matrices = member(t, "matrices", NULL);
    char digest[RC_DIGEST_HEX + 1];
    rc_digest_hex(d->digest, digest);
    assert_string_equal(json_string_value(member(t, "trainer", NULL)), "timer");
    assert_int_equal(json_integer_value(member(t, "trainer_version", NULL)), 7);
    assert_int_equal(json_integer_value(member(t, "seed", NULL)), 12);
    assert_string_equal(json_string_value(member(t, "options", "weights")), "regret");
    assert_string_equal(json_string_value(member(t, "options", "hidden")), "3,2");
    assert_string_equal(json_string_value(member(t, "data_digest", NULL)), digest);
    assert_int_equal(json_integer_value(member(t, "data_rows", NULL)), d->rows);
    assert_int_equal(json_integer_value(member(t, "rows", NULL)), rows_seen(fit));
    assert_int_equal(json_integer_value(member(t, "dropped", "incomplete")), 11);
    assert_int_equal(json_integer_value(member(t, "dropped", "features")), 22);
    assert_string_equal(json_string_value(member(t, "versions", "rowcast")), rc_version());
    check_sorted(groups);
    check_sorted(matrices);
    size_t kept = 0;
    for (int64_t i = 0; i < d->rows; i++) {
        char digits[17];
        snprintf(digits, sizeof digits, "%.16s", d->sample[i].digest);
        assert_int_equal(holds(matrices, digits), knew(d, fit, i, RC_SPLIT_RANDOM));
        assert_int_equal(
            holds(groups, d->group[d->sample[i].group]), knew(d, fit, i, RC_SPLIT_GROUP));
        kept += spy.saw[fit][i] != 0;
    }
    assert_int_equal(json_array_size(matrices), kept / 3); /* three K of each matrix */
}

static void check_evaluation(const rc_model_t *m, const rc_dataset_t *d,
    const rc_predictions_t *out, int single, uint64_t seed)
{
    rc_evaluation_t e;
    assert_int_equal(rc_evaluate(d, out, single, seed, &e, NULL), RC_OK);
    json_t *same = rc_evaluation_json(d, &e, 1, NULL);
    assert_non_null(same);
    const char *key;
    json_t *value;
    json_object_foreach(same, key, value)
        assert_true(json_equal(value, json_object_get(m->evaluation, key)));
    assert_non_null(
        strstr(json_string_value(member(m->evaluation, "rows", NULL)), "unseen rows only"));
    json_decref(same);
    rc_evaluation_free(&e);
}

static void the_final_model_is_fitted_on_all(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    const rc_protocol_t p = {.split = RC_SPLIT_GROUP, .folds = 5, .seed = 4};
    const rc_fit_options_t options = {
        .threads = 1, .seed = 12, .weights = RC_WEIGHT_REGRET, .hidden = "3,2"};
    rc_predictions_t out;
    rc_predictions_t without;
    rc_model_t *m = NULL;
    int single;
    int64_t row[ROWS];
    int64_t n;
    d->dropped = (rc_dataset_dropped_t){11, 22};
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, &m, &out, &single, NULL), RC_OK);
    assert_int_equal(spy.fits, 6);
    assert_int_equal(rows_seen(5), ROWS);
    assert_true(m->predictor.state == &spy.number[5]);
    check_training(m, d, 5);
    check_evaluation(m, d, &out, single, 4);
    assert_int_equal(json_integer_value(member(m->training, "protocol", "folds")), 5);
    assert_string_equal(json_string_value(member(m->evaluation, "protocol", "split")), "group");
    assert_int_equal(rc_unseen_rows(m, d, 0, row, &n, NULL), RC_OK);
    assert_int_equal(n, 0);
    /* the predictions are the same without the model */
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, NULL, &without, &single, NULL), RC_OK);
    assert_memory_equal(out.choice, without.choice, ROWS * sizeof *out.choice);
    rc_predictions_free(&without);
    rc_predictions_free(&out);
    rc_model_free(m);
    drop(d);
}

/* ------------------------------------------------------------------ a test part */

static void check_share(rc_split_kind_t split, double share)
{
    rc_dataset_t *d = make();
    const rc_protocol_t p = {.split = split, .test_share = share, .seed = 4};
    const rc_fit_options_t options = {
        .threads = 1, .seed = 12, .weights = RC_WEIGHT_REGRET, .hidden = "3,2"};
    rc_predictions_t out;
    rc_model_t *m = NULL;
    int single;
    int64_t row[ROWS];
    int64_t n;
    d->dropped = (rc_dataset_dropped_t){11, 22};
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, &m, &out, &single, NULL), RC_OK);
    assert_int_equal(spy.fits, 1);
    assert_int_equal(rows_seen(0) + out.count, ROWS);
    assert_true(fabs((double)out.count / ROWS - share) < 0.06);
    assert_int_equal(single, common_single(d, 1));
    for (int64_t i = 0; i < out.count; i++) {
        assert_false(knew(d, 0, out.row[i], split));
        assert_true(i == 0 || out.row[i] > out.row[i - 1]);
    }
    check_training(m, d, 0);
    check_evaluation(m, d, &out, single, 4);
    assert_true(json_real_value(member(m->training, "protocol", "test_share")) == share);
    /* what the model did not see is what was predicted */
    assert_int_equal(rc_unseen_rows(m, d, split == RC_SPLIT_GROUP, row, &n, NULL), RC_OK);
    assert_int_equal(n, out.count);
    assert_memory_equal(row, out.row, (size_t)n * sizeof *row);
    /* and most of the groups of a random split were seen */
    assert_int_equal(rc_unseen_rows(m, d, 1, row, &n, NULL), RC_OK);
    assert_true(split == RC_SPLIT_GROUP ? n == out.count : n < out.count);
    rc_predictions_free(&out);
    rc_model_free(m);
    drop(d);
}

static void a_test_part_is_not_seen(void **state)
{
    (void)state;
    check_share(RC_SPLIT_GROUP, 0.2);
    check_share(RC_SPLIT_GROUP, 0.4);
    check_share(RC_SPLIT_RANDOM, 0.2);
}

static void scores_come_without_times(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    const rc_protocol_t p = {.split = RC_SPLIT_GROUP, .folds = 3, .seed = 4};
    const rc_fit_options_t options = {.threads = 1};
    rc_predictions_t out;
    int single;
    start();
    assert_int_equal(rc_experiment(&scorer, d, &p, &options, NULL, &out, &single, NULL), RC_OK);
    assert_null(out.time);
    rc_predictions_free(&out);
    drop(d);
}

static void unseen_rows_need_a_record(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    rc_model_t *m = rc_model_new(NULL);
    rc_err_t err = {0};
    int64_t row[ROWS];
    int64_t n;
    assert_non_null(m);
    json_decref(m->training);
    m->training = NULL;
    assert_int_equal(rc_unseen_rows(m, d, 0, row, &n, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "training.matrices"));
    m->training = json_pack("{s:[s]}", "matrices", "0123456789abcdef");
    assert_int_equal(rc_unseen_rows(m, d, 0, row, &n, &err), RC_OK);
    assert_int_equal(n, ROWS);
    assert_int_equal(rc_unseen_rows(m, d, 1, row, &n, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "training.groups"));
    json_object_set_new(m->training, "matrices", json_pack("[s, i]", "0123456789abcdef", 3));
    assert_int_equal(rc_unseen_rows(m, d, 0, row, &n, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "training.matrices[1]"));
    rc_model_free(m);
    drop(d);
}

/* ------------------------------------------------------------------ progress and errors */

typedef struct heard {
    int calls;
    double done;
    double first;
    char what[24][80];
} heard_t;

static void hear(void *context, const char *what, double done, double loss)
{
    heard_t *h = context;
    assert_in_range(h->calls, 0, 23);
    assert_true(done >= h->done && done <= 1);
    assert_true(h->calls % 2 ? loss == 0.5 : isnan(loss));
    h->first = h->calls == 0 ? done : h->first;
    h->done = done;
    snprintf(h->what[h->calls++], sizeof h->what[0], "%s", what);
}

static void progress_tells_the_fold(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    heard_t h = {0};
    rc_protocol_t p = {.split = RC_SPLIT_GROUP, .folds = 3, .seed = 4};
    const rc_fit_options_t options = {.threads = 1, .progress = hear, .context = &h};
    rc_predictions_t out;
    rc_model_t *m;
    int single;
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, &m, &out, &single, NULL), RC_OK);
    assert_int_equal(h.calls, 8);
    assert_string_equal(h.what[0], "fold 1/3: looks");
    assert_string_equal(h.what[5], "fold 3/3: looks");
    assert_string_equal(h.what[7], "all rows: looks");
    assert_true(h.first == 0 && h.done == 1);
    rc_predictions_free(&out);
    rc_model_free(m);
    memset(&h, 0, sizeof h);
    p = (rc_protocol_t){.test_share = 0.3};
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, NULL, &out, &single, NULL), RC_OK);
    assert_int_equal(h.calls, 2);
    assert_string_equal(h.what[1], "looks");
    assert_true(h.first == 0 && h.done == 1);
    rc_predictions_free(&out);
    drop(d);
}

static void errors_come_through(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    const rc_fit_options_t options = {.threads = 1};
    const rc_protocol_t bad[] = {{.folds = 1}, {.folds = -2}, {.test_share = 0}, {.test_share = 1},
        {.test_share = NAN}, {.test_share = -0.5}, {.folds = 18}};
    rc_predictions_t out;
    rc_model_t *m = NULL;
    rc_err_t err = {0};
    int single;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        start();
        assert_int_equal(
            rc_experiment(&timer, d, &bad[i], &options, &m, &out, &single, &err), RC_EINVAL);
        assert_int_equal(spy.fits, 0);
        assert_true(strlen(err.text) > 10);
        if (bad[i].folds < 0)
            assert_non_null(strstr(err.text, "-2 folds"));
    }
    const rc_protocol_t p = {.folds = 4, .seed = 1};
    for (int f = 0; f < 5; f++) { /* the last one is the fit on all rows */
        start();
        spy.fail_at = f;
        assert_int_equal(
            rc_experiment(&timer, d, &p, &options, &m, &out, &single, &err), RC_EINVAL);
        assert_string_equal(err.text, "the spy fails");
        assert_int_equal(spy.fits, f + 1);
        assert_null(m);
    }
    drop(d);
}

/* ------------------------------------------------------------------ comparisons */

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-11 * fmax(1, fabs(a));
}

static void variants_stand_beside_baselines(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    made_spec_t fewer = plain; /* the same times and rows, seen through other inputs */
    fewer.inputs = 3;
    rc_dataset_t *other = made_data(&fewer);
    assert_non_null(other);
    memcpy(other->time, d->time, (size_t)(d->rows * d->classes) * sizeof *d->time);
    heard_t h = {0};
    const rc_fit_options_t loud = {.threads = 1, .progress = hear, .context = &h};
    const rc_fit_options_t quiet = {.threads = 1};
    const rc_variant_t variant[] = {{"a", &timer, NULL, &loud}, {"b", &timer, other, &quiet}};
    const rc_protocol_t p = {.split = RC_SPLIT_GROUP, .folds = 3, .seed = 4};
    rc_comparison_t c;
    rc_predictions_t out;
    int single;
    start();
    assert_int_equal(rc_compare(d, variant, 2, &p, &c, NULL), RC_OK);
    assert_int_equal(spy.fits, 6); /* no final ones */
    for (int f = 0; f < 3; f++)    /* the same folds for both */
        assert_memory_equal(spy.saw[f], spy.saw[f + 3], ROWS);
    for (int f = 0; f < 6; f++)
        assert_true(spy.data[f] == (f < 3 ? d : other));
    assert_int_equal(c.rows, 5);
    static const char *const names[] = {"a", "b", "best single", "random", "oracle"};
    for (int i = 0; i < 5; i++) {
        assert_string_equal(c.row[i].name, names[i]);
        assert_true(c.row[i].variant == (i < 2 ? &variant[i] : NULL));
        assert_int_equal(c.row[i].cost.fits, i < 2 ? 3 : 0);
        if (i < 2)
            assert_true(c.row[i].cost.fit_s > 0 && c.row[i].cost.inference_ns > 0);
        else
            assert_true(isnan(c.row[i].cost.fit_s) && isnan(c.row[i].cost.inference_ns));
        assert_true(near(c.row[i].evaluation.all.oracle.geomean.value,
            c.row[0].evaluation.all.oracle.geomean.value));
    }
    assert_int_equal(h.calls, 6);
    assert_string_equal(h.what[4], "a: fold 3/3: looks");
    assert_true(near(h.done, 0.5));

    /* as the experiment alone and an evaluation of it have it */
    rc_evaluation_t e;
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &quiet, NULL, &out, &single, NULL), RC_OK);
    assert_int_equal(rc_evaluate(d, &out, single, 4, &e, NULL), RC_OK);
    assert_true(e.all.gain.value == c.row[0].evaluation.all.gain.value);
    assert_true(e.all.gain.low == c.row[0].evaluation.all.gain.low);
    assert_int_equal(e.single, c.row[0].evaluation.single);
    rc_evaluation_free(&e);
    rc_predictions_free(&out);

    const rc_part_t *oracle = &c.row[4].evaluation.all;
    assert_true(oracle->gain.value == 1 && oracle->worst_loss == 0 && oracle->accuracy[0] == 1);
    const rc_part_t *random = &c.row[3].evaluation.all;
    assert_int_equal(random->rows, 4 * ROWS);
    assert_true(near(random->selector.geomean.value, random->random.geomean.value));
    assert_true(near(random->accuracy[0], 0.25));
    rc_comparison_free(&c);
    rc_dataset_free(other);
    free(other);
    drop(d);
}

/* Classes 2 and 3 are best in one fold each: the training part of the other says so, and is wrong.
 */
static void best_single_is_of_the_training_part(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    const rc_protocol_t p = {.split = RC_SPLIT_GROUP, .folds = 2, .seed = 1};
    int part[ROWS];
    int parts;
    rc_comparison_t c;
    assert_int_equal(rc_protocol_parts(d, &p, part, &parts, NULL), RC_OK);
    for (int64_t i = 0; i < d->rows; i++)
        for (int k = 0; k < d->classes; k++)
            d->time[i * d->classes + k] = k == 2 + part[i] ? 10 : 25;
    assert_int_equal(rc_compare(d, NULL, 0, &p, &c, NULL), RC_OK);
    assert_int_equal(c.rows, RC_BASELINES);
    const rc_part_t *single = &c.row[0].evaluation.all;
    assert_true(single->accuracy[0] == 0 && near(single->mean_loss.value, 1.5));
    assert_true(single->gain.value == 0);
    /* one class for all of the evaluated rows would be right for about half of them */
    assert_int_equal(c.row[0].evaluation.single_is_given, 0);
    rc_comparison_free(&c);
    /* only the test part of a share is compared */
    const rc_protocol_t share = {.test_share = 0.25, .seed = 1};
    int64_t tests = 0;
    assert_int_equal(rc_protocol_parts(d, &share, part, &parts, NULL), RC_OK);
    for (int64_t i = 0; i < d->rows; i++)
        tests += part[i] == 0;
    assert_int_equal(rc_compare(d, NULL, 0, &share, &c, NULL), RC_OK);
    assert_int_equal(c.row[0].evaluation.all.rows, tests);
    assert_int_equal(c.row[2].evaluation.all.rows, tests);
    assert_int_equal(c.row[0].evaluation.single_is_given, 1);
    rc_comparison_free(&c);
    drop(d);
}

static void what_cannot_be_compared_is_refused(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    rc_dataset_t *o = make();
    const rc_fit_options_t quiet = {.threads = 1};
    const rc_variant_t variant = {"odd one", &timer, o, &quiet};
    const rc_protocol_t p = {.folds = 3};
    rc_comparison_t c;
    rc_err_t err = {0};
    start();
    o->sample[7].k++;
    assert_int_equal(rc_compare(d, &variant, 1, &p, &c, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "odd one: row 7"));
    o->sample[7].k--;
    snprintf(o->cls[2].name, sizeof o->cls[2].name, "lpt");
    assert_int_equal(rc_compare(d, &variant, 1, &p, &c, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "class 2"));
    o->cls[2] = d->cls[2];
    o->time[70] *= 2;
    assert_int_equal(rc_compare(d, &variant, 1, &p, &c, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "row 17"));
    o->time[70] /= 2;
    o->rows--;
    assert_int_equal(rc_compare(d, &variant, 1, &p, &c, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "179 rows"));
    o->rows++;
    assert_int_equal(spy.fits, 0);
    spy.fail_at = 1;
    assert_int_equal(rc_compare(d, &variant, 1, &p, &c, &err), RC_EINVAL);
    assert_string_equal(err.text, "odd one: the spy fails");
    drop(d);
    drop(o);
}

/* ------------------------------------------------------------------ no memory */

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    const rc_fit_options_t options = {.threads = 1};
    const rc_variant_t variant = {"a", &timer, NULL, &options};
    const rc_protocol_t p = {.folds = 2, .seed = 1};
    int failed = 1;
    long n;
    for (n = 0; failed; n++) {
        rc_err_t err = {0};
        rc_predictions_t out = {0};
        rc_comparison_t c = {0};
        rc_model_t *m = NULL;
        int single;
        start();
        failing_alloc_set(n);
        rc_status_t st = rc_experiment(&timer, d, &p, &options, &m, &out, &single, &err);
        failed = failing_alloc_happened();
        failing_alloc_set(-1);
        assert_int_equal(st, failed ? RC_ENOMEM : RC_OK);
        assert_true(failed == (m == NULL) && failed == (out.row == NULL));
        rc_predictions_free(&out);
        rc_model_free(m);
        start();
        failing_alloc_set(n);
        st = rc_compare(d, &variant, 1, &p, &c, &err);
        failed = failing_alloc_happened() || failed;
        assert_int_equal(st, failing_alloc_happened() ? RC_ENOMEM : RC_OK);
        failing_alloc_set(-1);
        assert_true((st < 0) == (c.row == NULL));
        rc_comparison_free(&c);
    }
    assert_true(n > 40);
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_never_see_what_they_predict),
        cmocka_unit_test(single_is_of_the_training_part),
        cmocka_unit_test(the_final_model_is_fitted_on_all),
        cmocka_unit_test(a_test_part_is_not_seen),
        cmocka_unit_test(scores_come_without_times),
        cmocka_unit_test(unseen_rows_need_a_record),
        cmocka_unit_test(progress_tells_the_fold),
        cmocka_unit_test(errors_come_through),
        cmocka_unit_test(variants_stand_beside_baselines),
        cmocka_unit_test(best_single_is_of_the_training_part),
        cmocka_unit_test(what_cannot_be_compared_is_refused),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("experiment", tests, NULL, NULL);
}
