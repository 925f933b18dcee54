/* C4.5 trees by hand, and the cost model of RS-SpMM on planted values. */
#include "config.h"
#include "unit.h"

#include "analysis/papers/hong/c45.h"
#include "base/rng.h"
#include "kernels/tuning/rs_tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the tree */

static rc_c45_t fit(
    const double *x, const int32_t *label, int64_t n, int32_t inputs, int32_t classes, double c)
{
    const rc_c45_samples_t s = {x, label, n, inputs, classes};
    const rc_c45_options_t o = {2, c};
    rc_c45_t t;
    rc_err_t err = {0};
    if (rc_c45_fit(&s, &o, &t, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

/* Quinlan 1993, section 4.2: U25%(0, 6), (0, 9) and (0, 1); and one error of 16 by the approximation. */
static void extra_errors(void **state)
{
    (void)state;
    assert_true(fabs(rc_c45_extra_errors(6, 0, 0.25) - 6 * 0.206) < 0.003);
    assert_true(fabs(rc_c45_extra_errors(9, 0, 0.25) - 9 * 0.143) < 0.003);
    assert_true(fabs(rc_c45_extra_errors(1, 0, 0.25) - 0.75) < 1e-12);
    assert_true(fabs(rc_c45_extra_errors(16, 1, 0.25) - 1.4757) < 1e-3);
    assert_true(rc_c45_extra_errors(4, 4, 0.25) == 0);
    assert_true(rc_c45_extra_errors(10, 3, 0.6) == 0);
    /* between no error and one it is a line */
    double half = rc_c45_extra_errors(10, 0.5, 0.25);
    double ends = rc_c45_extra_errors(10, 0, 0.25) + rc_c45_extra_errors(10, 1, 0.25);
    assert_true(fabs(half - ends / 2) < 1e-12);
}

/* 1 .. 10, two classes: one split, at a value that is there; what equals it goes to the left. */
static void one_split(void **state)
{
    (void)state;
    const double x[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const int32_t label[10] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    rc_c45_t t = fit(x, label, 10, 1, 2, 0.25);
    assert_int_equal(t.nodes, 3);
    assert_int_equal(t.node[0].input, 0);
    assert_true(t.node[0].threshold == 5);
    assert_int_equal(rc_tree_predict(t.node, (const double[]){5}), 0);
    assert_int_equal(rc_tree_predict(t.node, (const double[]){5.01}), 1);
    rc_c45_free(&t);
}

/* Two inputs: of equal gain ratio the first; a constant one is no choice. */
static void which_input(void **state)
{
    (void)state;
    double x[24];
    int32_t label[8];
    for (int i = 0; i < 8; i++) {
        x[3 * i] = 7;
        x[3 * i + 1] = -i;
        x[3 * i + 2] = i;
        label[i] = i >= 4;
    }
    rc_c45_t t = fit(x, label, 8, 3, 2, 0.25);
    assert_int_equal(t.node[0].input, 1);
    assert_true(t.node[0].threshold == -4);
    assert_int_equal(t.node[t.node[0].left].label, 1);
    rc_c45_free(&t);
}

/* Too few samples of a label for a side of their own, and labels without a pattern: a leaf. */
static void leaves(void **state)
{
    (void)state;
    double x[12];
    int32_t label[12];
    for (int i = 0; i < 12; i++) {
        x[i] = i;
        label[i] = i == 11;
    }
    rc_c45_t t = fit(x, label, 12, 1, 2, 0.25);
    assert_true(t.nodes == 1 || t.node[t.node[0].left].label == 0);
    rc_c45_free(&t);
    for (int i = 0; i < 12; i++)
        label[i] = i % 2;
    t = fit(x, label, 12, 1, 2, 0);
    assert_int_equal(t.nodes, 1);
    rc_c45_free(&t);
    t = fit(x, label, 1, 1, 2, 0.25);
    assert_int_equal(t.nodes, 1);
    rc_c45_free(&t);
}

/* Two of 40 at the end stay a leaf of their own: 1.36 + 1 errors are estimated, and 3.74 without. */
static void a_small_leaf_that_stays(void **state)
{
    (void)state;
    double x[40];
    int32_t label[40];
    for (int i = 0; i < 40; i++) {
        x[i] = i;
        label[i] = i >= 38;
    }
    rc_c45_t t = fit(x, label, 40, 1, 2, 0.25);
    assert_int_equal(t.nodes, 3);
    assert_true(t.node[0].threshold == 37);
    rc_c45_free(&t);
}

/* Both sides of a split have the same label: collapsed, whatever the confidence. */
static void collapsing(void **state)
{
    (void)state;
    double x[30];
    int32_t label[30];
    for (int i = 0; i < 30; i++) {
        x[i] = i;
        label[i] = i >= 20 && i % 5 < 2; /* 4 of the last 10 */
    }
    rc_c45_t t = fit(x, label, 30, 1, 2, 0);
    for (int32_t i = 0; i < t.nodes; i++)
        if (t.node[i].input >= 0 && t.node[t.node[i].left].input < 0
            && t.node[t.node[i].right].input < 0)
            assert_true(t.node[t.node[i].left].label != t.node[t.node[i].right].label);
    rc_c45_free(&t);
}

/* 16 samples of label 0, then 41 that alternate: the split saves one error in training and is grown, but the
 * estimate is 1.33 + 22.65 errors with it and 24.01 without, within a tenth: pruned. */
static void pruning(void **state)
{
    (void)state;
    enum { n = 57, sure = 16 };
    double x[n];
    int32_t label[n];
    for (int i = 0; i < n; i++) {
        x[i] = i;
        label[i] = i >= sure && (i - sure) % 2 == 0;
    }
    rc_c45_t t = fit(x, label, n, 1, 2, 0);
    assert_int_equal(t.nodes, 3);
    assert_true(t.node[0].threshold == sure - 1);
    rc_c45_free(&t);
    t = fit(x, label, n, 1, 2, 0.25);
    assert_int_equal(t.nodes, 1);
    assert_int_equal(t.node[0].label, 0);
    rc_c45_free(&t);
}

static int wrong_of(const rc_c45_t *t, const double *x, const int32_t *label, int n, int inputs)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += rc_tree_predict(t->node, x + i * inputs) != label[i];
    return wrong;
}

/* Random samples of up to six labels: the pruned tree is no larger, and no better on what it has seen; the true
 * split stays. */
static void random_samples(void **state)
{
    (void)state;
    enum { n = 200, inputs = 4 };
    static double x[inputs * n];
    static int32_t label[n];
    rc_rng_t r;
    int smaller = 0;
    rc_rng_seed(&r, 45);
    for (int round = 0; round < 100; round++) {
        int32_t classes = 2 + (int32_t)rc_rng_below(&r, 5);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < inputs; j++)
                x[inputs * i + j] = (double)rc_rng_below(&r, 40);
            double y = (x[inputs * i] + x[inputs * i + 1]) / 80 * classes;
            label[i] = rc_rng_below(&r, 4) ? (int32_t)y % classes
                                           : (int32_t)rc_rng_below(&r, (uint64_t)classes);
        }
        rc_c45_t all = fit(x, label, n, inputs, classes, 0);
        rc_c45_t pruned = fit(x, label, n, inputs, classes, 0.25);
        assert_true(pruned.nodes <= all.nodes && all.nodes > 1);
        assert_true(wrong_of(&pruned, x, label, n, inputs) >= wrong_of(&all, x, label, n, inputs));
        smaller += pruned.nodes < all.nodes;
        rc_c45_free(&all);
        rc_c45_free(&pruned);
    }
    assert_true(smaller >= 10);
}

static void samples_are_checked(void **state)
{
    (void)state;
    const double x[2] = {1, NAN};
    const int32_t label[2] = {0, 1};
    const rc_c45_options_t o = RC_C45_OPTIONS;
    const rc_c45_options_t bad = {0, 0.25};
    rc_c45_t t;
    rc_err_t err = {0};
    assert_int_equal(rc_c45_fit(&(rc_c45_samples_t){x, label, 2, 1, 2}, &o, &t, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "sample 1"));
    assert_int_equal(rc_c45_fit(&(rc_c45_samples_t){x, label, 1, 1, 0}, &o, &t, NULL), RC_EINVAL);
    assert_int_equal(rc_c45_fit(&(rc_c45_samples_t){x, label + 1, 1, 1, 1}, &o, &t, NULL), RC_EINVAL);
    assert_int_equal(rc_c45_fit(&(rc_c45_samples_t){x, label, 0, 1, 2}, &o, &t, NULL), RC_EINVAL);
    assert_int_equal(rc_c45_fit(&(rc_c45_samples_t){x, label, 1, 1, 2}, &bad, &t, NULL), RC_EINVAL);
}

/* ---------------------------------------------------------------- the costs */

static int near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * fabs(y);
}

/* Times made of planted costs give the costs back. */
static void planted_costs(void **state)
{
    (void)state;
    const double c1[RC_RS_COSTS] = {3.5, 5.25, 9};
    const double c2[RC_RS_COSTS] = {0.7, 1.1, 2};
    rc_rs_cost_t c = {.light_row = 0};
    const int64_t n = 4096;
    for (int i = 0; i < RC_RS_COSTS; i++) {
        rc_rs_heavy_times_t t = {.n = n, .panels = n / (512 >> i), .tau = 8};
        double segments = (double)(n * t.panels);
        t.dense = c1[i] * segments + c2[i] * (double)(n * n);
        t.sparse = c1[i] * segments + c2[i] * segments * 8;
        assert_int_equal(rc_rs_cost_heavy(&t, i, &c, NULL), RC_OK);
        assert_true(near(c.heavy_segment[i], c1[i]) && near(c.heavy_entry[i], c2[i]));
    }
    const double nd = (double)n;
    const rc_rs_light_times_t t = {n, 16, 64, nd * (6 + 16 * 0.25), nd * (6 + 64 * 0.25)};
    assert_int_equal(rc_rs_cost_light(&t, &c, NULL), RC_OK);
    assert_true(near(c.light_row, 6) && near(c.light_entry, 0.25));
    const rc_segments_size_t s = {.heavy = 10, .nnz_heavy = 100, .light_rows = 7, .nnz_light = 40};
    assert_true(near(rc_rs_cost_time(&c, 1, &s), 52.5 + 110 + 42 + 10));
}

/* What comes out negative becomes 0. */
static void clamped_costs(void **state)
{
    (void)state;
    rc_rs_cost_t c = {.light_row = 0};
    const rc_rs_heavy_times_t faster = {4096, 16, 8, 1, 2}; /* the dense one is faster */
    assert_int_equal(rc_rs_cost_heavy(&faster, 0, &c, NULL), RC_OK);
    assert_true(c.heavy_entry[0] == 0 && c.heavy_segment[0] > 0);
    const rc_rs_light_times_t free_rows = {100, 16, 64, 100, 1000}; /* more than in proportion */
    assert_int_equal(rc_rs_cost_light(&free_rows, &c, NULL), RC_OK);
    assert_true(c.light_row == 0 && c.light_entry > 0);
}

static void bad_times(void **state)
{
    (void)state;
    static const double bad[] = {0, -1, NAN, INFINITY};
    rc_rs_cost_t c = {.light_row = 0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const rc_rs_heavy_times_t heavy = {4096, 16, 8, bad[i], 1};
        const rc_rs_light_times_t light = {4096, 16, 64, 1, bad[i]};
        assert_int_equal(rc_rs_cost_heavy(&heavy, 0, &c, NULL), RC_EINVAL);
        assert_int_equal(rc_rs_cost_light(&light, &c, NULL), RC_EINVAL);
    }
    /* as many entries in a segment as a panel has columns: both are the dense matrix */
    const rc_rs_heavy_times_t same = {4096, 16, 256, 2, 1};
    assert_int_equal(rc_rs_cost_heavy(&same, 0, &c, NULL), RC_EINVAL);
}

/* The least time wins; of equal ones the smallest cfv. */
static void choice_of_cfv(void **state)
{
    (void)state;
    rc_rs_cost_t c = {{1, 1, 1}, {1, 1, 1}, 1, 1};
    rc_segments_size_t s[RC_RS_COSTS] = {{.heavy = 5}, {.heavy = 5}, {.heavy = 5}};
    assert_int_equal(rc_rs_cost_choose(&c, s), 0);
    s[2].heavy = 4;
    assert_int_equal(rc_rs_cost_choose(&c, s), 2);
    s[1].heavy = 4;
    assert_int_equal(rc_rs_cost_choose(&c, s), 1);
    s[1].nnz_light = 1; /* the term of light entries counts */
    assert_int_equal(rc_rs_cost_choose(&c, s), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extra_errors),
        cmocka_unit_test(one_split),
        cmocka_unit_test(which_input),
        cmocka_unit_test(leaves),
        cmocka_unit_test(a_small_leaf_that_stays),
        cmocka_unit_test(collapsing),
        cmocka_unit_test(pruning),
        cmocka_unit_test(random_samples),
        cmocka_unit_test(samples_are_checked),
        cmocka_unit_test(planted_costs),
        cmocka_unit_test(clamped_costs),
        cmocka_unit_test(bad_times),
        cmocka_unit_test(choice_of_cfv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
