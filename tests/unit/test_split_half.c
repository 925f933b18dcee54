/* Choices that are scored on other measurements than they were made with: what that is worth is
 * known where the true times are. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/stats.h"
#include "table/split_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MATRICES = 400, ORDERS = 11, REPS = 20 };

static double normal(rc_rng_t *r)
{
    double sum = -6; /* of 12 uniform numbers: variance 1 */
    for (int i = 0; i < 12; i++)
        sum += rc_rng_unit(r);
    return sum;
}

/* A time that was measured once with a relative error; its samples in sample[REPS], NULL: none are
 * kept. */
static rc_timed_t measure(rc_rng_t *r, double truth, double error, int64_t *sample)
{
    rc_timed_t t = {.rel_err = error, .seed = rc_rng_next(r), .batch = 4};
    if (!sample) {
        t.ns = truth * exp(error * normal(r));
        return t;
    }
    /* of a median of n normal numbers the error is 1.2533 / sqrt(n) of theirs */
    double own = error * sqrt(REPS) / 1.2533;
    double sorted[REPS];
    rc_stats_t s;
    for (int i = 0; i < REPS; i++) {
        sample[i] = (int64_t)(t.batch * truth * exp(own * normal(r)));
        sorted[i] = (double)sample[i] / t.batch;
    }
    rc_stats_compute(sorted, REPS, &s);
    t.ns = s.median;
    t.rel_err = s.rel_err;
    t.sample = sample;
    t.samples = REPS;
    return t;
}

/* Geometric mean of the gain of an oracle over column 0: plainly, held out, and held out by the
 * last step of a portfolio. */
typedef struct gains {
    double plain;
    double held_out;
    double portfolio;
} gains_t;

/* Every order is 1 / speedup[order] times as long as order 0. */
static gains_t simulate(uint64_t seed, const double *speedup, double error, int with_samples)
{
    rc_rng_t r;
    rc_halves_t h;
    double plain = 0;
    double held_out = 0;
    double portfolio = 0;
    double *cost = malloc(MATRICES * ORDERS * sizeof *cost);
    rc_rng_seed(&r, seed);
    assert_non_null(cost);
    assert_int_equal(rc_halves_make(MATRICES, ORDERS, &h, NULL), RC_OK);
    for (int m = 0; m < MATRICES; m++) {
        rc_timed_t base = {0};
        int64_t base_sample[REPS];
        double best = INFINITY;
        double truth = exp(11 + 5 * rc_rng_unit(&r));
        for (int o = 0; o < ORDERS; o++) {
            int64_t sample[REPS];
            rc_timed_t t = measure(&r, truth / speedup[o], error, with_samples ? sample : NULL);
            if (o == 0) {
                base = t;
                memcpy(base_sample, sample, with_samples ? sizeof sample : 0);
                base.sample = with_samples ? base_sample : NULL;
            }
            best = fmin(best, t.ns);
            assert_int_equal(rc_halves_set(&h, m, o, o ? &t : &base, &base, NULL), RC_OK);
        }
        plain += log(base.ns / best) / MATRICES;
        held_out -= rc_halves_best(&h, m, ORDERS) / MATRICES;
        assert_true(rc_halves_mean(&h, m, 0) == 0);
    }
    assert_int_equal(rc_halves_portfolio(&h, 0, NULL, MATRICES, cost, NULL), RC_OK);
    for (int m = 0; m < MATRICES; m++) {
        assert_true(cost[m] == 0); /* of order 0 alone */
        portfolio -= cost[(ORDERS - 1) * MATRICES + m] / MATRICES;
    }
    free(cost);
    rc_halves_free(&h);
    return (gains_t){exp(plain), exp(held_out), exp(portfolio)};
}

/* All orders are equal: what an oracle gains is noise. */
static void of_equal_orders_no_gain_is_left(void **state)
{
    static const double equal[ORDERS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    for (int samples = 0; samples < 2; samples++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            gains_t g = simulate(seed, equal, 0.01, samples);
            /* the largest of 11 standard normal numbers has a mean of 1.586 */
            assert_true(g.plain > 1.012 && g.plain < 1.020);
            /* four standard errors: sqrt(2) 1 % / sqrt(400) each, as a matrix's splits share it */
            assert_true(fabs(g.held_out - 1) < 0.003);
            assert_true(fabs(g.portfolio - g.held_out) < 1e-4); /* equals are taken in another order */
        }
}

/* One is better by far more than the noise: the choice is right either way. */
static void a_real_gain_is_left_whole(void **state)
{
    static const double one[ORDERS] = {1, 0.9, 0.9, 0.9, 0.9, 1.1, 0.9, 0.9, 0.9, 0.9, 0.9};
    (void)state;
    for (int samples = 0; samples < 2; samples++) {
        gains_t g = simulate(9, one, 0.01, samples);
        assert_true(fabs(g.plain - 1.1) < 0.004);
        assert_true(fabs(g.held_out - g.plain) < 5e-4);
    }
}

/* In between, the true gain of the plain choice, which is known here, is what the estimate is for. */
static void it_says_what_the_choice_is_truly_worth(void **state)
{
    enum { ROUNDS = 400 };
    rc_rng_t r;
    rc_rng_seed(&r, 4);
    double plain = 0;
    double held_out = 0;
    double truly = 0;
    (void)state;
    for (int m = 0; m < ROUNDS; m++) {
        rc_halves_t h;
        double truth[ORDERS];
        double ns[ORDERS];
        int best = 0;
        assert_int_equal(rc_halves_make(1, ORDERS, &h, NULL), RC_OK);
        for (int o = 0; o < ORDERS; o++) {
            truth[o] = 1e4 * exp(0.01 * normal(&r));
            rc_timed_t t = measure(&r, truth[o], 0.01, NULL);
            ns[o] = t.ns;
            best = ns[o] < ns[best] ? o : best;
            assert_int_equal(rc_halves_set(&h, 0, o, &t, NULL, NULL), RC_OK);
        }
        plain += log(ns[0] / ns[best]) / ROUNDS;
        held_out += (rc_halves_mean(&h, 0, 0) - rc_halves_best(&h, 0, ORDERS)) / ROUNDS;
        truly += log(truth[0] / truth[best]) / ROUNDS;
        rc_halves_free(&h);
    }
    assert_true(plain > truly + 0.008);
    assert_true(fabs(held_out - truly) < 0.004);
    assert_true(held_out < truly + 0.002); /* a choice on half of the data is no better */
}

/* Halves have the mean of the time, twice its variance, and nothing in common. */
static void halves_are_independent(void **state)
{
    enum { TIMES = 4000 };
    rc_rng_t r;
    (void)state;
    for (int samples = 0; samples < 2; samples++) {
        double sum = 0;
        double square = 0;
        double product = 0;
        rc_rng_seed(&r, 3);
        for (int i = 0; i < TIMES; i++) {
            int64_t sample[REPS];
            double half[RC_HALVES];
            rc_timed_t t = measure(&r, 1e6, 0.01, samples ? sample : NULL);
            assert_int_equal(rc_split_half(&t, half, NULL), RC_OK);
            for (int h = 0; h < RC_HALVES; h += 2) {
                double x = half[h] - log(1e6);
                double y = half[h + 1] - log(1e6);
                sum += (x + y) / 2;
                square += (x * x + y * y) / 2;
                product += x * y;
            }
        }
        double n = TIMES * RC_SPLITS;
        assert_true(fabs(sum / n) < 1e-3);
        /* the median of ten varies a little less than twice as much as that of twenty */
        assert_true(square / n > 1.7e-4 && square / n < 2.2e-4);
        assert_true(fabs(product / square) < 0.1);
    }
}

/* Two cases of one time, of which other programs made some batches of one late, fewer than half of them: its median is one
 * of the others, and so held out it gains nothing either, but for what the others differ by. */
static void late_batches_spoil_no_half(void **state)
{
    enum { DRAWS = 200, MOST = 12 };
    const double error = 0.01; /* of a batch */
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 6);
    for (int n = 3; n <= MOST; n++) {
        double sum = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            rc_halves_t h;
            rc_timed_t t[2];
            int64_t sample[2][MOST];
            for (int c = 0; c < 2; c++) {
                double sorted[MOST];
                rc_stats_t s;
                for (int i = 0; i < n; i++)
                    sample[c][i] = (int64_t)(4e6 * exp(error * normal(&r)));
                for (int late = 0; c == 1 && late < (n < 5 ? 1 : 2); late++)
                    sample[c][rc_rng_below(&r, (uint64_t)n)] = (int64_t)(4e6 * (1.5 + 18.5 * rc_rng_unit(&r)));
                for (int i = 0; i < n; i++)
                    sorted[i] = (double)sample[c][i] / 4;
                rc_stats_compute(sorted, n, &s);
                t[c] = (rc_timed_t){.ns = s.median, .rel_err = s.rel_err, .seed = rc_rng_next(&r), .sample = sample[c],
                    .samples = n, .batch = 4};
            }
            assert_int_equal(rc_halves_make(1, 1, &h, NULL), RC_OK);
            assert_int_equal(rc_halves_set(&h, 0, 0, &t[1], &t[0], NULL), RC_OK);
            double gain = rc_halves_mean(&h, 0, 0);
            if (!(fabs(gain) < 6 * error))
                fail_msg("%d batches, draw %d: a gain of %g, plainly %g", n, draw, exp(gain), t[1].ns / t[0].ns);
            sum += gain / DRAWS;
            rc_halves_free(&h);
        }
        assert_true(fabs(sum) < error);
    }
}

static void equal_samples_have_equal_halves(void **state)
{
    (void)state;
    for (int64_t n = 2; n < 9; n++) {
        const int64_t sample[8] = {40, 40, 40, 40, 40, 40, 40, 40};
        rc_timed_t t = {.ns = 10, .rel_err = 0.3, .sample = sample, .samples = n, .batch = 4};
        double half[RC_HALVES];
        assert_int_equal(rc_split_half(&t, half, NULL), RC_OK);
        for (int h = 0; h < RC_HALVES; h++)
            assert_true(half[h] == log(10));
    }
}

/* Samples of something else, and one alone, say nothing: the error does. */
static void without_samples_the_error_counts(void **state)
{
    const int64_t sample[4] = {40, 44, 48, 52};
    rc_timed_t t = {.ns = 10, .rel_err = 0.02, .seed = 5, .batch = 4};
    double expected[RC_HALVES];
    double half[RC_HALVES];
    (void)state;
    assert_int_equal(rc_split_half(&t, expected, NULL), RC_OK);
    for (int64_t n = 1; n <= 4; n++) {
        t.sample = sample;
        t.samples = n;
        t.ns = n == 1 ? 10 : 77;
        assert_int_equal(rc_split_half(&t, half, NULL), RC_OK);
        for (int h = 0; h < RC_HALVES; h++)
            assert_true(fabs(half[h] - expected[h] - log(t.ns / 10)) < 1e-12);
    }
    t = (rc_timed_t){.ns = 10, .rel_err = NAN, .seed = 5};
    assert_int_equal(rc_split_half(&t, half, NULL), RC_OK);
    for (int h = 0; h < RC_HALVES; h++)
        assert_true(fabs((half[h] - log(10)) / rc_error_unknown -
                         (expected[h] - log(10)) / 0.02) < 1e-9);
}

static void a_row_without_a_column_chooses_among_the_others(void **state)
{
    rc_halves_t h;
    double cost[3 * 2];
    rc_timed_t a = {.ns = 10, .seed = 1};
    rc_timed_t b = {.ns = 5, .seed = 2};
    (void)state;
    assert_int_equal(rc_halves_make(2, 3, &h, NULL), RC_OK);
    assert_int_equal(rc_halves_set(&h, 0, 0, &a, NULL, NULL), RC_OK);
    assert_int_equal(rc_halves_set(&h, 0, 2, &b, NULL, NULL), RC_OK);
    assert_true(fabs(rc_halves_best(&h, 0, 3) - log(5)) < 1e-12);
    assert_true(fabs(rc_halves_best(&h, 0, 2) - log(10)) < 1e-12);
    assert_true(isnan(rc_halves_best(&h, 1, 3)));
    assert_int_equal(rc_halves_portfolio(&h, 0, NULL, 2, cost, NULL), RC_OK);
    assert_true(fabs(cost[2 * 2] - log(5)) < 1e-12 && isnan(cost[2 * 2 + 1]));
    const int64_t twice[2] = {0, 0};
    assert_int_equal(rc_halves_portfolio(&h, 0, twice, 2, cost, NULL), RC_OK);
    assert_true(cost[2 * 2] == cost[2 * 2 + 1]);
    rc_halves_free(&h);
}

static void a_lead_within_two_errors_is_a_tie(void **state)
{
    rc_timed_t a = {.ns = 100, .rel_err = 0.03};
    rc_timed_t b = {.ns = 109, .rel_err = 0.04};
    (void)state;
    assert_true(rc_timed_tie(&a, &b) && rc_timed_tie(&b, &a));
    b.ns = 112;
    assert_false(rc_timed_tie(&a, &b) || rc_timed_tie(&b, &a));
    b.rel_err = NAN; /* 0.05 */
    assert_true(rc_timed_tie(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_equal_orders_no_gain_is_left),
        cmocka_unit_test(a_real_gain_is_left_whole),
        cmocka_unit_test(it_says_what_the_choice_is_truly_worth),
        cmocka_unit_test(halves_are_independent),
        cmocka_unit_test(late_batches_spoil_no_half),
        cmocka_unit_test(equal_samples_have_equal_halves),
        cmocka_unit_test(without_samples_the_error_counts),
        cmocka_unit_test(a_row_without_a_column_chooses_among_the_others),
        cmocka_unit_test(a_lead_within_two_errors_is_a_tie),
    };
    return cmocka_run_group_tests_name("split_half", tests, NULL, NULL);
}
