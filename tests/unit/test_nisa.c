/* The trainers of Nisa et al. on data whose rule is known. */
#include "config.h"
#include "unit.h"
#include "failing_alloc.h"
#include "made_data.h"

#include "analysis/evaluation.h"
#include "analysis/importance.h"
#include "analysis/trainer.h"
#include "model/network.h"
#if HAVE_XGBOOST
#include "analysis/boost.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MATRICES = 90 };

static const made_spec_t plain = {.matrices = MATRICES,
    .groups = 9,
    .kinds = 2,
    .ks = 1,
    .inputs = 5,
    .classes = 3,
    .noise = 0,
    .seed = 7};

/* A data set, all of its rows, and how to fit. */
typedef struct setting {
    rc_dataset_t *d;
    int64_t row[MATRICES];
    rc_fit_options_t options;
} setting_t;

static void start(setting_t *s)
{
    s->d = made_data(&plain);
    assert_non_null(s->d);
    assert_int_equal(s->d->rows, MATRICES);
    for (int64_t i = 0; i < MATRICES; i++)
        s->row[i] = i;
    for (int c = 0; c < s->d->classes; c++)
        s->d->cls[c].policy_version = s->d->cls[c].kernel_version = 1;
    s->options = (rc_fit_options_t){
        .seed = 1, .threads = 2, .l2 = -1, .split = RC_SPLIT_RANDOM, .epochs = 50, .members = 2};
}

static void drop(setting_t *s)
{
    rc_dataset_free(s->d);
    free(s->d);
}

static const rc_trainer_t *find(const char *name)
{
    const rc_trainer_t *t = rc_trainer_find(name);
    if (!t)
        skip();
    return t;
}

static rc_model_t *fit(const setting_t *s, const char *name)
{
    rc_err_t err = {0};
    rc_model_t *m = NULL;
    if (rc_fit(find(name), s->d, s->row, s->d->rows, &s->options, &m, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    return m;
}

/* Rows whose label is chosen. */
static int64_t right(const setting_t *s, const rc_model_t *m)
{
    int64_t n = 0;
    double *scratch = calloc(rc_model_scratch(m), sizeof *scratch);
    assert_non_null(scratch);
    for (int64_t i = 0; i < s->d->rows; i++)
        n += rc_model_choose_raw(m, s->d->value + i * s->d->inputs, scratch, NULL) ==
             rc_dataset_best(s->d, i);
    free(scratch);
    return n;
}

static const char *const names[] = {"cart", "svm-nisa", "xgboost-nisa", "mlp-nisa", "ensemble-nisa",
    "mlp-nisa-time", "ensemble-nisa-time", "mlp-nisa-each", "ensemble-nisa-each"};
enum { NAMES = sizeof names / sizeof *names };

static void fits_do_not_depend_on_threads(void **state)
{
    setting_t s;
    rc_err_t err = {0};
    (void)state;
    start(&s);
    for (int i = 0; i < NAMES; i++) {
        if (!rc_trainer_find(names[i]) || strcmp(names[i], "ensemble-nisa-time") == 0)
            continue; /* nothing new in that one */
        s.options.epochs = strcmp(names[i], "xgboost-nisa") == 0 ? 3 : 30;
        s.options.threads = 2;
        rc_model_t *m = fit(&s, names[i]);
        s.options.threads = 1;
        s.options.weights = RC_WEIGHT_NONE; /* nor on weights */
        rc_model_t *same = fit(&s, names[i]);
        s.options.weights = RC_WEIGHT_INVERSE;
        char *a = rc_model_text(m, &err);
        char *b = rc_model_text(same, NULL);
        if (!a)
            fail_msg("%s", err.text);
        assert_non_null(b);
        assert_string_equal(a, b);
        if (right(&s, m) < MATRICES / 2)
            fail_msg("%s: right on %lld of %d", names[i], (long long)right(&s, m), MATRICES);
        free(a);
        free(b);
        rc_model_free(m);
        rc_model_free(same);
    }
    drop(&s);
}

static void a_tree_is_pure_and_splits_in_the_middle(void **state)
{
    setting_t s;
    double scratch[64];
    (void)state;
    start(&s);
    rc_model_t *m = fit(&s, "cart");
    assert_int_equal(right(&s, m), MATRICES);
    rc_model_free(m);
    /* one input with a meaning: 2 and 10 part the classes, so 6 does */
    for (int64_t i = 0; i < s.d->rows; i++) {
        double *value = s.d->value + i * s.d->inputs;
        for (int k = 0; k < s.d->inputs; k++)
            value[k] = 1;
        value[1] = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 10;
        for (int c = 0; c < s.d->classes; c++)
            s.d->time[i * s.d->classes + c] = c == (i % 3 == 2) ? 1 : 2;
    }
    m = fit(&s, "cart");
    assert_int_equal(json_integer_value(json_object_get(m->training, "nodes")), 3);
    assert_true(rc_model_scratch(m) <= 64);
    double value[] = {1, 6, 1, 1, 1};
    assert_int_equal(rc_model_choose_raw(m, value, scratch, NULL), 0);
    value[1] = 6.0001;
    assert_int_equal(rc_model_choose_raw(m, value, scratch, NULL), 1);
    rc_model_free(m);
    drop(&s);
}

static void grid_is(const rc_model_t *m, const char *const *key, const double *point, int n)
{
    const json_t *grid = json_object_get(m->training, "grid");
    int keys = 0;
    while (key[keys])
        keys++;
    assert_int_equal(json_array_size(grid), n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < keys; k++)
            assert_true(json_number_value(json_object_get(json_array_get(grid, (size_t)i), key[k])) ==
                        point[i * keys + k]);
}

static void grids_are_those_of_the_paper(void **state)
{
    static const char *const machine[] = {"c", "gamma", NULL};
    static const double machines[] = {100, .1, 100, .01, 100, .001, 1000, .1, 1000, .01, 1000, .001,
        10000, .1, 10000, .01, 10000, .001};
    static const char *const tree[] = {"rounds", "depth", "rate", NULL};
    double trees[24 * 3];
    int n = 0;
    setting_t s;
    (void)state;
    start(&s);
    s.options.epochs = 0;
    rc_model_t *m = fit(&s, "svm-nisa");
    grid_is(m, machine, machines, 9);
    rc_model_free(m);
    for (int i = 0; i < 24; i++) {
        trees[n++] = (double[]){50, 100, 200, 500}[i / 6];
        trees[n++] = (double[]){32, 64, 128}[i / 2 % 3];
        trees[n++] = (double[]){.1, .01}[i % 2];
    }
    for (int64_t i = 0; i < MATRICES; i++) /* one class is best: nothing to split */
        s.d->time[i * 3] = 1e-3;
    static const int two[] = {0, 1};
    const rc_dataset_part_t part = {.cls = two, .classes = 2};
    rc_dataset_t small;
    assert_int_equal(rc_dataset_take(s.d, &part, &small, NULL), RC_OK);
    rc_dataset_free(s.d);
    *s.d = small;
    m = fit(&s, "xgboost-nisa");
    grid_is(m, tree, trees, 24);
    rc_model_free(m);
    drop(&s);
}

/* The model's trees see standardised inputs, XGBoost saw raw ones. */
static void trees_choose_as_xgboost_does(void **state)
{
#if HAVE_XGBOOST
    setting_t s;
    float x[MATRICES * 5];
    float label[MATRICES];
    float margin[MATRICES * 3];
    double out[64];
    (void)state;
    start(&s);
    s.options.epochs = 20;
    rc_model_t *m = fit(&s, "xgboost-nisa");
    const json_t *of = json_object_get(m->training, "trees");
    const rc_boost_options_t o = {.objective = "multi:softprob",
        .method = "auto",
        .outputs = 3,
        .rounds = 20,
        .stride = 20,
        .depth = (int)json_integer_value(json_object_get(of, "depth")),
        .rate = json_number_value(json_object_get(of, "rate")),
        .lambda = 1,
        .leaf_weight_min = 1,
        .base = 0.5};
    for (int64_t i = 0; i < MATRICES; i++) {
        label[i] = (float)rc_dataset_best(s.d, i);
        for (int k = 0; k < 5; k++)
            x[i * 5 + k] = (float)s.d->value[i * 5 + k];
    }
    const rc_boost_rows_t rows = {.count = MATRICES, .inputs = 5, .x = x, .label = label};
    assert_int_equal(rc_boost_fit(&o, &rows, &rows, margin, NULL, NULL, NULL), RC_OK);
    assert_true(rc_model_scratch(m) <= 64);
    for (int64_t i = 0; i < MATRICES; i++) {
        (void)rc_model_choose_raw(m, s.d->value + i * 5, out, NULL);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(out[5 + c] - margin[i * 3 + c]) < 1e-5);
    }
    rc_model_free(m);
    drop(&s);
#else
    (void)state;
    skip();
#endif
}

static void importances_are_shares(void **state)
{
    setting_t s;
    rc_importance_t imp;
    rc_str_t list = {0};
    rc_err_t err = {0};
    (void)state;
    start(&s);
    for (int64_t i = 0; i < MATRICES; i++) /* nothing to be learnt of two inputs */
        s.d->value[i * 5 + 3] = s.d->value[i * 5 + 2] = 1;
    s.options.epochs = 10;
    rc_model_t *m = fit(&s, "xgboost-nisa");
    assert_int_equal(rc_importance_read(m, &imp, NULL), RC_OK);
    const double *of[] = {imp.weight, imp.gain, imp.folds_weight, imp.folds_gain};
    for (int k = 0; k < 4; k++) {
        double sum = 0;
        for (int i = 0; i < 5; i++)
            sum += of[k][i];
        assert_true(fabs(sum - 1) < 1e-12);
        assert_true(of[k][2] == 0 && of[k][3] == 0 && of[k][0] > 0 && of[k][1] > 0);
    }
    rc_importance_free(&imp);
    assert_int_equal(rc_importance_top(m, 2, &list, &err), RC_OK); /* k is no feature */
    assert_string_equal(list.text, "f0,f1");
    rc_str_free(&list);
    assert_int_equal(rc_importance_top(m, 5, &list, &err), RC_EINVAL);
    rc_model_free(m);
    m = fit(&s, "cart");
    assert_int_equal(rc_importance_top(m, 2, &list, &err), RC_EINVAL);
    rc_str_free(&list);
    rc_model_free(m);
    drop(&s);
}

/* Each net of mlp-nisa-each is of one class, and their mean is the prediction of that class. */
static void separate_networks_have_an_output_each(void **state)
{
    setting_t s;
    (void)state;
    start(&s);
    s.options.epochs = 5;
    rc_model_t *m = fit(&s, "ensemble-nisa-each");
    const rc_network_t *n = m->predictor.state;
    assert_int_equal(n->nets, 6);
    for (int i = 0; i < n->nets; i++) {
        const rc_layer_t *last = &n->net[i].layer[n->net[i].layers - 1];
        assert_int_equal(last->out, 3);
        for (int c = 0; c < 3; c++)
            for (int j = 0; j < last->in; j++)
                assert_true(c == i / 2 || last->weight[j * 3 + c] == 0);
    }
    rc_model_free(m);
    drop(&s);
}

static void classes_without_a_time_are_for_classifiers(void **state)
{
    setting_t s;
    rc_err_t err = {0};
    rc_model_t *m = NULL;
    (void)state;
    start(&s);
    s.options.epochs = 2;
    for (int64_t i = 0; i < MATRICES; i += 3) {
        int best = rc_dataset_best(s.d, i);
        s.d->time[i * 3 + (best + 1) % 3] = INFINITY;
        s.d->setup[i * 3 + (best + 1) % 3] = NAN;
    }
    for (int i = 0; i < NAMES; i++) {
        const rc_trainer_t *t = rc_trainer_find(names[i]);
        if (!t)
            continue;
        rc_status_t st = rc_fit(t, s.d, s.row, MATRICES, &s.options, &m, &err);
        assert_int_equal(st, t->has_times ? RC_EINVAL : RC_OK);
        if (t->has_times)
            assert_non_null(strstr(err.text, "no time"));
        else
            rc_model_free(m);
    }
    drop(&s);
}

static void failed_allocations_are_survived(void **state)
{
    static const char *const some[] = {"cart", "mlp-nisa-each", "xgboost-nisa"};
    setting_t s;
    (void)state;
    start(&s);
    s.options.threads = 1;
    s.options.epochs = 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (long n = 0; rc_trainer_find(some[i]); n++) {
            rc_model_t *m = NULL;
            rc_err_t err = {0};
            failing_alloc_set(n);
            rc_status_t st =
                rc_fit(rc_trainer_find(some[i]), s.d, s.row, 40, &s.options, &m, &err);
            int failed = failing_alloc_happened();
            failing_alloc_set(-1);
            if (st != (failed ? RC_ENOMEM : RC_OK))
                fail_msg("%s, allocation %ld: %d %s", some[i], n, (int)st, err.text);
            rc_model_free(m);
            if (!failed)
                break;
        }
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_do_not_depend_on_threads),
        cmocka_unit_test(a_tree_is_pure_and_splits_in_the_middle),
        cmocka_unit_test(grids_are_those_of_the_paper),
        cmocka_unit_test(trees_choose_as_xgboost_does),
        cmocka_unit_test(importances_are_shares),
        cmocka_unit_test(separate_networks_have_an_output_each),
        cmocka_unit_test(classes_without_a_time_are_for_classifiers),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
