/* Folds and test parts, with a trainer that keeps account of what it is shown. */
#include "config.h"
#include "unit.h"

#include "experiment_fixture.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_folds(rc_split_kind_t split, int folds, uint64_t seed)
{
    rc_dataset_t *d = make();
    const rc_protocol_t p = {.split = split, .folds = folds, .seed = seed};
    const rc_fit_options_t options = {.threads = 2, .seed = 12};
    rc_predictions_t out;
    int single;
    int groups_cut = 0;
    start();
    assert_int_equal(
        rc_experiment(&timer, d, &p, &options, NULL, &out, &single, NULL, NULL), RC_OK);
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
    assert_int_equal(
        rc_experiment(&timer, d, &p, &options, NULL, &out, &single, NULL, NULL), RC_OK);
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
        assert_int_equal(
            rc_experiment(&timer, d, &p, &options, NULL, &out, &single, NULL, NULL), RC_OK);
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
    assert_string_equal(json_string_value(member(t, "trainer", NULL)), "timer");
    assert_int_equal(json_integer_value(member(t, "trainer_version", NULL)), 7);
    assert_int_equal(json_integer_value(member(t, "seed", NULL)), 12);
    assert_string_equal(json_string_value(member(t, "options", "weights")), "regret");
    assert_string_equal(json_string_value(member(t, "options", "hidden")), "3,2");
    assert_string_equal(
        json_string_value(member(t, "data_digest", NULL)), rc_digest_hex(d->digest).text);
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
    d->dropped = (rc_dataset_dropped_t){.incomplete = 11, .features = 22};
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, &m, &out, &single, NULL, NULL), RC_OK);
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
    assert_int_equal(
        rc_experiment(&timer, d, &p, &options, NULL, &without, &single, NULL, NULL), RC_OK);
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
    d->dropped = (rc_dataset_dropped_t){.incomplete = 11, .features = 22};
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &options, &m, &out, &single, NULL, NULL), RC_OK);
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
    assert_int_equal(
        rc_experiment(&scorer, d, &p, &options, NULL, &out, &single, NULL, NULL), RC_OK);
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
    assert_int_equal(rc_experiment(&timer, d, &p, &options, &m, &out, &single, NULL, NULL), RC_OK);
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
    assert_int_equal(
        rc_experiment(&timer, d, &p, &options, NULL, &out, &single, NULL, NULL), RC_OK);
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
            rc_experiment(&timer, d, &bad[i], &options, &m, &out, &single, NULL, &err), RC_EINVAL);
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
            rc_experiment(&timer, d, &p, &options, &m, &out, &single, NULL, &err), RC_EINVAL);
        assert_string_equal(err.text, "the spy fails");
        assert_int_equal(spy.fits, f + 1);
        assert_null(m);
    }
    drop(d);
}

/* ------------------------------------------------------------------ no memory */

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    const rc_fit_options_t options = {.threads = 1};
    const rc_protocol_t p = {.folds = 2, .seed = 1};
    int failed = 1;
    long n;
    for (n = 0; failed; n++) {
        rc_err_t err = {0};
        rc_predictions_t out = {0};
        rc_model_t *m = NULL;
        int single;
        start();
        failing_alloc_set(n);
        rc_status_t st = rc_experiment(&timer, d, &p, &options, &m, &out, &single, NULL, &err);
        failed = failing_alloc_happened();
        failing_alloc_set(-1);
        assert_int_equal(st, failed ? RC_ENOMEM : RC_OK);
        assert_true(failed == (m == NULL) && failed == (out.row == NULL));
        rc_predictions_free(&out);
        rc_model_free(m);
    }
    assert_true(n > 20);
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
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("experiment", tests, NULL, NULL);
}
