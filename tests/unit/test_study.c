/* The protocol and the metrics of Nisa et al. on tables with known answers. */
#include "config.h"
#include "unit.h"

#include "analysis/importance.h"
#include "analysis/papers/nisa/protocol.h"
#include "experiment_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_ROWS = 8, TABLE_CLASSES = 3, MATRICES = 60 };

static int same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

/* ------------------------------------------------------------ a hand-made table */

/* A tie, a slowdown of exactly 1.2, formats that failed. */
static double time_of[TABLE_ROWS * TABLE_CLASSES] = {10, 12, 20, 10, 10, 20, 30, 20, 25, INFINITY, 20, 40, 10, 15,
    INFINITY, 5, 6, 7, 5, 6, 7, 9, 6, 7};
static int32_t choice_of[TABLE_ROWS] = {1, 1, 2, 2, 2, 0, 0, 1};
static int fold_of[TABLE_ROWS] = {0, 0, 1, 1, 2, 3, 4, 4};

static rc_dataset_t table_data(void)
{
    return (rc_dataset_t){.rows = TABLE_ROWS, .classes = TABLE_CLASSES, .time = time_of};
}

static rc_study_run_t table_run(double *guess)
{
    return (rc_study_run_t){.p = {.count = TABLE_ROWS, .choice = choice_of, .time = guess}, .fold = fold_of};
}

static void choices_are_scored_as_by_hand(void **state)
{
    (void)state;
    const double tolerance[] = {0, 0.2, 0.25, 1};
    const int64_t first[RC_STUDY_SLOWDOWNS] = {1, 1, 1, 0, 0};
    const int64_t all[RC_STUDY_SLOWDOWNS] = {4, 4, 4, 2, 2};
    rc_dataset_t d = table_data();
    rc_study_run_t r = table_run(NULL);
    rc_study_score_t s;
    assert_int_equal(rc_study_score(&d, &r, tolerance, 4, 0, 1, &s, NULL), RC_OK);
    assert_true(same(s.accuracy.mean.value, 0.4)); /* parts 0 0 0 1 1 */
    assert_true(same(s.accuracy.first, 0));
    assert_int_equal(s.accuracy.count, TABLE_ROWS);
    assert_int_equal(s.accuracy.first_count, 2);
    assert_true(s.accuracy.mean.low <= 0.4 && s.accuracy.mean.high >= 0.4);
    assert_true(same(s.within[0].mean.value, 0.5)); /* 1/2 0 0 1 1: the tie is no loss */
    assert_true(same(s.within[1].mean.value, 0.6)); /* 1 0 0 1 1: 12 is within 20 % of 10 */
    assert_true(same(s.within[2].mean.value, 0.7)); /* 1 1/2 0 1 1 */
    assert_true(same(s.within[3].mean.value, 0.8)); /* 1 1 0 1 1: never one that failed */
    assert_true(same(s.common.mean.value, 0.7));    /* 1 0 1 1 1/2 */
    assert_memory_equal(s.slow[0], first, sizeof first);
    assert_memory_equal(s.slow[1], all, sizeof all);
    assert_int_equal(s.clear.count, 0); /* the errors are not known */
    assert_true(isinf(s.mean.mean.value));
    assert_true(same(s.mean.first, 1.1));
    assert_true(same(s.geomean.first, sqrt(1.2)));
}

static void errors_of_times_are_as_by_hand(void **state)
{
    (void)state;
    const double factor[TABLE_CLASSES] = {1.1, 0.5, 1};
    double guess[TABLE_ROWS * TABLE_CLASSES];
    rc_dataset_t d = table_data();
    rc_study_run_t r = table_run(guess);
    rc_study_figure_t f[TABLE_CLASSES + 1];
    for (int i = 0; i < TABLE_ROWS * TABLE_CLASSES; i++)
        guess[i] = factor[i % TABLE_CLASSES] * (isfinite(time_of[i]) ? time_of[i] : 1);
    assert_int_equal(rc_study_rme(&d, &r, 0, 1, f, NULL), RC_OK);
    assert_true(same(f[0].mean.value, 0.1));
    assert_int_equal(f[0].count, TABLE_ROWS - 1);
    assert_true(same(f[1].mean.value, 0.5));
    assert_true(same(f[2].mean.value, 0));
    assert_true(same(f[3].mean.value, 0.225)); /* .2 (.2 + .25) / 2 .3 .2 .2 */
    assert_int_equal(rc_study_rme(&d, &r, 1, 1, f, NULL), RC_OK);
    assert_true(same(f[0].mean.value, 1 - 1 / 1.1));
    assert_true(same(f[1].mean.value, 1));
    r.p.time = NULL;
    assert_int_equal(rc_study_rme(&d, &r, 0, 1, f, NULL), RC_EINVAL);
}

static void a_tolerance_of_predicted_times_asks_the_label(void **state)
{
    (void)state;
    const double tolerance[] = {0, 0.05};
    double guess[TABLE_ROWS * TABLE_CLASSES];
    rc_dataset_t d = table_data();
    rc_study_run_t r = table_run(guess);
    rc_study_score_t s;
    for (int i = 0; i < TABLE_ROWS; i++) /* of the label 1.04 times the least in the first part, 1.06 in the others */
        for (int c = 0; c < TABLE_CLASSES; c++)
            guess[i * TABLE_CLASSES + c] = c == rc_dataset_best(&d, i) ? (i < 2 ? 104 : 106) : 100;
    assert_int_equal(rc_study_score(&d, &r, tolerance, 2, 1, 1, &s, NULL), RC_OK);
    assert_true(same(s.within[0].mean.value, 0));
    assert_true(same(s.within[1].mean.value, 0.2));
    r.p.time = NULL;
    assert_int_equal(rc_study_score(&d, &r, tolerance, 2, 1, 1, &s, NULL), RC_EINVAL);
    assert_int_equal(rc_study_score(&d, &r, tolerance, 5, 0, 1, &s, NULL), RC_EINVAL);
}

/* Halves that tell of a relative error of 1 %: margins are clear from 2 sqrt(2) % on. */
static void margins_are_clear_beyond_the_error(void **state)
{
    (void)state;
    static double cost[3 * 2 * RC_HALVES];
    double time[] = {100, 102.5, 103.2, 100, 100, 100};
    rc_dataset_t d = {.rows = 3, .classes = 2, .time = time, .half = {.cost = cost, .rows = 3, .columns = 2}};
    for (int i = 0; i < 3 * 2; i++)
        for (int h = 0; h < RC_HALVES; h++)
            cost[i * RC_HALVES + h] = log(time[i]) + (h % 2 ? 0.01 : -0.01);
    assert_int_equal(rc_study_is_clear(&d, 0), 0);
    assert_int_equal(rc_study_is_clear(&d, 1), 1);
    assert_int_equal(rc_study_is_clear(&d, 2), 0);
}

/* ------------------------------------------------------------------ the protocol */

/* One row a matrix, inputs with the names of the 17 features. */
static rc_dataset_t *named_data(void)
{
    static const char *const name[] = {"block_count", "row_block_count_min", "row_block_count_max", "rows", "cols", "nnz",
        "nnz_mu", "density", "nnz_max", "nnz_sigma", "row_block_count_mean", "row_block_count_sd", "row_block_size_mean",
        "row_block_size_sd", "nnz_min", "row_block_size_min", "row_block_size_max"};
    const made_spec_t spec = {.matrices = MATRICES, .groups = 17, .kinds = 4, .ks = 1, .inputs = 18, .classes = 4,
        .noise = 0.1, .seed = 3};
    rc_dataset_t *d = made_data(&spec);
    assert_non_null(d);
    for (int i = 0; i < 17; i++)
        (void)snprintf(d->input[i].name, sizeof d->input[i].name, "%s", name[i]);
    return d;
}

static void each_matrix_is_predicted_by_a_fit_without_it(void **state)
{
    (void)state;
    rc_dataset_t *d = named_data();
    for (int split = RC_SPLIT_GROUP; split <= RC_SPLIT_STRATIFIED; split++) {
        const rc_study_options_t o = {.split = (rc_split_kind_t)split, .seed = 4, .fit = {.threads = 1}};
        rc_study_run_t r;
        start();
        assert_int_equal(rc_study_run(&timer, d, RC_STUDY_SET_1, NULL, &o, NULL, &r, NULL), RC_OK);
        assert_int_equal(spy.fits, RC_STUDY_FOLDS);
        for (int64_t i = 0; i < d->rows; i++) {
            int f = r.fold[i];
            assert_int_equal(r.p.row[i], i);
            assert_int_equal(r.p.choice[i], 1 + f % 3);
            assert_true(same(log(r.p.time[i * 4]), 1 + f));
            for (int64_t k = 0; k < d->rows; k++)
                assert_int_equal(spy.saw[f][k], r.fold[k] != f);
            assert_false(knew(d, f, i, (rc_split_kind_t)split));
        }
        rc_study_run_free(&r);
    }
    rc_dataset_free(d);
    free(d);
}

static void what_cannot_be_studied_is_refused(void **state)
{
    (void)state;
    const rc_study_options_t o = {.split = RC_SPLIT_STRATIFIED, .seed = 4, .fit = {.threads = 1}};
    rc_study_run_t r;
    rc_study_ranks_t ranks;
    rc_err_t err = {0};
    rc_dataset_t *d = make(); /* three rows a matrix */
    start();
    assert_int_equal(rc_study_run(&timer, d, RC_STUDY_SET_1, NULL, &o, NULL, &r, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "one row a matrix"));
    drop(d);
    d = named_data();
    assert_int_equal(rc_study_run(&timer, d, RC_STUDY_SET_TOP, NULL, &o, NULL, &r, &err), RC_EINVAL);
    assert_int_equal(rc_study_run(&timer, d, RC_STUDY_SET_3, NULL, &o, &ranks, &r, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "timer has no importances"));
    d->input[3].name[0] = 'x';
    assert_int_equal(rc_study_run(&timer, d, RC_STUDY_SET_1, NULL, &o, NULL, &r, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "no input 'rows'"));
    spy.fail_at = spy.fits;
    d->input[3].name[0] = 'r';
    assert_int_equal(rc_study_run(&timer, d, RC_STUDY_SET_3, NULL, &o, NULL, &r, &err), RC_EINVAL);
    rc_dataset_free(d);
    free(d);
}

/* Of the features in the order of the study the last has most splits. */
static rc_status_t fit_told(const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    rc_importance_t i = {0};
    (void)self;
    assert_int_equal(rc_importance_new(job->d->inputs, &i, err), RC_OK);
    assert_int_equal(job->d->inputs, 17);
    for (int k = 0; k < job->d->inputs; k++) {
        i.folds_weight[k] = k / 136.0;
        i.folds_gain[k] = 1 - k / 136.0;
    }
    assert_int_equal(rc_importance_record(m, &i, err), RC_OK);
    rc_importance_free(&i);
    return timer.fit(&timer, job, m, err);
}

static void the_seven_of_most_splits_are_ranked(void **state)
{
    (void)state;
    const rc_trainer_t teller = {.name = "teller", .version = 1, .fit = fit_told};
    const rc_study_options_t o = {.split = RC_SPLIT_STRATIFIED, .seed = 4, .fit = {.threads = 1}};
    /* as named_data orders them: row_block_size_mean, row_block_size_sd, nnz_min, block_count and the last four */
    const int top[RC_STUDY_TOP] = {0, 1, 2, 13, 14, 15, 16};
    rc_study_ranks_t ranks;
    rc_study_run_t r;
    rc_dataset_t *d = named_data();
    start();
    assert_int_equal(rc_study_run(&teller, d, RC_STUDY_SET_3, NULL, &o, &ranks, &r, NULL), RC_OK);
    rc_study_run_free(&r);
    assert_int_equal(ranks.inputs, 18);
    for (int f = 0; f < RC_STUDY_FOLDS; f++) {
        assert_memory_equal(ranks.top[f], top, sizeof top);
        assert_true(same(ranks.weight[f * 18 + 0], 12 / 136.0)); /* block_count */
        assert_true(same(ranks.gain[f * 18 + 3], 1));            /* rows */
        assert_true(same(ranks.weight[f * 18 + 17], 0));         /* in no set */
    }
    start();
    assert_int_equal(rc_study_run(&timer, d, RC_STUDY_SET_TOP, &ranks, &o, NULL, &r, NULL), RC_OK);
    rc_study_run_free(&r);
    rc_study_ranks_free(&ranks);
    rc_dataset_free(d);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_scored_as_by_hand),
        cmocka_unit_test(errors_of_times_are_as_by_hand),
        cmocka_unit_test(a_tolerance_of_predicted_times_asks_the_label),
        cmocka_unit_test(margins_are_clear_beyond_the_error),
        cmocka_unit_test(each_matrix_is_predicted_by_a_fit_without_it),
        cmocka_unit_test(what_cannot_be_studied_is_refused),
        cmocka_unit_test(the_seven_of_most_splits_are_ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
