/* Trainers side by side, with one that keeps account of what it is shown. */
#include "config.h"
#include "unit.h"

#include "experiment_fixture.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A variant's evaluation is that of the experiment alone. */
static void variants_are_experiments(void **state)
{
    (void)state;
    rc_dataset_t *d = make();
    const rc_fit_options_t quiet = {.threads = 1};
    const rc_variant_t variant = {"a", &timer, NULL, &quiet};
    const rc_protocol_t p = {.split = RC_SPLIT_GROUP, .folds = 3, .seed = 4};
    rc_comparison_t c;
    rc_predictions_t out;
    rc_evaluation_t e;
    int single;
    start();
    assert_int_equal(rc_compare(d, &variant, 1, &p, &c, NULL), RC_OK);
    start();
    assert_int_equal(rc_experiment(&timer, d, &p, &quiet, NULL, &out, &single, NULL, NULL), RC_OK);
    assert_int_equal(rc_evaluate(d, &out, single, 4, &e, NULL), RC_OK);
    assert_true(e.all.gain.value == c.row[0].evaluation.all.gain.value);
    assert_true(e.all.gain.low == c.row[0].evaluation.all.gain.low);
    assert_int_equal(e.single, c.row[0].evaluation.single);
    rc_evaluation_free(&e);
    rc_predictions_free(&out);
    rc_comparison_free(&c);
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
    o->sample[7].precision = RC_BF16; /* of the same size, and another one */
    d->sample[7].precision = RC_FP16;
    assert_int_equal(rc_compare(d, &variant, 1, &p, &c, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "odd one: row 7"));
    assert_non_null(strstr(err.text, "bf16"));
    o->sample[7].precision = d->sample[7].precision = RC_FP32;
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
        rc_comparison_t c = {0};
        start();
        failing_alloc_set(n);
        rc_status_t st = rc_compare(d, &variant, 1, &p, &c, &err);
        failed = failing_alloc_happened();
        failing_alloc_set(-1);
        assert_int_equal(st, failed ? RC_ENOMEM : RC_OK);
        assert_true(failed == (c.row == NULL));
        rc_comparison_free(&c);
    }
    assert_true(n > 20);
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_stand_beside_baselines),
        cmocka_unit_test(variants_are_experiments),
        cmocka_unit_test(best_single_is_of_the_training_part),
        cmocka_unit_test(what_cannot_be_compared_is_refused),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
