/* Intervals of figures by resampling matrices. */
#include "config.h"
#include "unit.h"

#include "evaluation_fixture.h"
#include "analysis/bootstrap.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void mean_of(const double *sum, double *out)
{
    out[0] = sum[1] / sum[0];
}

/* Means of independent numbers: nearly the normal interval, and narrower with the root of n. */
static void intervals_have_the_known_width(void **state)
{
    (void)state;
    enum { MOST = 4000 };
    double *unit = malloc(2 * MOST * sizeof *unit);
    double before = INFINITY;
    rc_rng_t r;
    assert_non_null(unit);
    rc_rng_seed(&r, 1);
    for (int i = 0; i < MOST; i++) {
        unit[2 * i] = 1;
        unit[2 * i + 1] = rc_rng_unit(&r);
    }
    for (int n = 40; n <= MOST; n *= 10) {
        rc_figure_t f;
        rc_figure_t again;
        assert_int_equal(rc_bootstrap(unit, n, 2, mean_of, 1, SEED, &f, NULL), RC_OK);
        double half = 1.96 * sqrt(1.0 / 12 / n);
        assert_true(f.low < f.value && f.value < f.high);
        assert_true(f.value - f.low > 0.8 * half && f.value - f.low < 1.25 * half);
        assert_true(f.high - f.value > 0.8 * half && f.high - f.value < 1.25 * half);
        assert_true(f.high - f.low < before);
        before = f.high - f.low;
        assert_int_equal(rc_bootstrap(unit, n, 2, mean_of, 1, SEED, &again, NULL), RC_OK);
        assert_memory_equal(&f, &again, sizeof f);
        assert_int_equal(rc_bootstrap(unit, n, 2, mean_of, 1, SEED + 1, &again, NULL), RC_OK);
        assert_true(f.low != again.low);
    }
    /* the mean of two of {0, 1}: 0 and 1 come up in a quarter of the draws each */
    static const double two[] = {1, 0, 1, 1};
    rc_figure_t f2;
    assert_int_equal(rc_bootstrap(two, 2, 2, mean_of, 1, SEED, &f2, NULL), RC_OK);
    assert_true(f2.value == 0.5 && f2.low == 0 && f2.high == 1);
    rc_figure_t one;
    assert_int_equal(rc_bootstrap(unit, 1, 2, mean_of, 1, SEED, &one, NULL), RC_OK);
    assert_true(one.value == unit[1] && isnan(one.low) && isnan(one.high));
    free(unit);
}

/* Odd sums lack the first figure, all sums the second. */
static void even_or_none(const double *sum, double *out)
{
    out[0] = fmod(sum[0], 2) == 0 ? sum[0] : NAN;
    out[1] = NAN;
}

static void draws_without_a_figure_are_left_out(void **state)
{
    (void)state;
    double unit[10];
    rc_figure_t f[2];
    for (int i = 0; i < 10; i++)
        unit[i] = i % 5; /* sum 20 */
    assert_int_equal(rc_bootstrap(unit, 10, 1, even_or_none, 2, SEED, f, NULL), RC_OK);
    assert_true(f[0].low < f[0].value && f[0].value < f[0].high);
    assert_true(isnan(f[1].value) && isnan(f[1].low) && isnan(f[1].high));
}

/* All rows of a matrix are drawn together: the same matrix at ten more K says nothing new. */
static void rows_of_a_matrix_are_drawn_together(void **state)
{
    (void)state;
    made_spec_t spec = plain;
    spec.ks = 1;
    spec.noise = 0;
    rc_dataset_t *one = make(&spec);
    spec.ks = 10; /* without noise, ratios of times are the same for every K */
    rc_dataset_t *ten = make(&spec);
    rc_predictions_t p = room(one, 1, 0);
    rc_predictions_t q = room(ten, 1, 0);
    for (int64_t i = 0; i < one->rows; i++)
        p.choice[i] = (int32_t)(i % 4);
    for (int64_t i = 0; i < ten->rows; i++)
        q.choice[i] = (int32_t)(i / 10 % 4);
    rc_evaluation_t a = evaluate(one, &p, -1);
    rc_evaluation_t b = evaluate(ten, &q, -1);
    assert_int_equal(a.all.matrices, b.all.matrices);
    check_same_figure(&a.all.gain, &b.all.gain, 1e-11);
    check_same_figure(&a.all.mean_loss, &b.all.mean_loss, 1e-11);
    check_same_figure(&a.all.selector.mean, &b.all.selector.mean, 1e-11);
    assert_true(a.all.mean_loss.high - a.all.mean_loss.low > 0.01);
    rc_evaluation_free(&a);
    rc_evaluation_free(&b);
    rc_predictions_free(&p);
    rc_predictions_free(&q);
    drop(one);
    drop(ten);
}

static void intervals_contain_their_value(void **state)
{
    (void)state;
    double width[2];
    for (int i = 0; i < 2; i++) {
        made_spec_t spec = plain;
        spec.matrices = i ? 600 : 60;
        rc_dataset_t *d = make(&spec);
        rc_predictions_t p = guess(d, 0.4, 2);
        rc_evaluation_t e = evaluate(d, &p, 1);
        const rc_part_t *a = &e.all;
        const rc_figure_t *f[] = {&a->selector.geomean, &a->selector.mean, &a->oracle.geomean,
            &a->oracle.mean, &a->single.geomean, &a->single.mean, &a->random.geomean,
            &a->random.mean, &a->gain, &a->of_oracle, &a->mean_loss};
        for (size_t k = 0; k < sizeof f / sizeof *f; k++)
            assert_true(f[k]->low < f[k]->value && f[k]->value < f[k]->high);
        width[i] = a->gain.high - a->gain.low;
        rc_evaluation_free(&e);
        rc_predictions_free(&p);
        drop(d);
    }
    assert_true(width[1] < 0.6 * width[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_have_the_known_width),
        cmocka_unit_test(draws_without_a_figure_are_left_out),
        cmocka_unit_test(rows_of_a_matrix_are_drawn_together),
        cmocka_unit_test(intervals_contain_their_value),
    };
    return cmocka_run_group_tests_name("bootstrap", tests, NULL, NULL);
}
