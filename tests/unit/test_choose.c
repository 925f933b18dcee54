#include "config.h"
#include "scratch.h"
#include "compiled_model.h"
#include "unit.h"

#include "feature/feature.h"
#include "model/choose.h"
#include "model/model.h"
#include "model_fixture.h"
#include "order_matrix.h"
#include "sparse/generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- steps */

static void inputs_are_transformed_and_scaled(void **state)
{
    (void)state;
    rc_model_input_t in[] = {
        {.name = "a", .transform = RC_TRANSFORM_NONE, .mean = 2, .scale = 4},
        {.name = "b", .transform = RC_TRANSFORM_LOG1P, .mean = 0, .scale = 1},
        {.name = "c", .transform = RC_TRANSFORM_LOG, .mean = 1, .scale = 2},
    };
    rc_model_t m = {.inputs = 3, .input = in};
    double x[3];
    rc_model_standardise(&m, (double[]){10, M_E - 1, M_E}, x);
    assert_true(x[0] == 2 && fabs(x[1] - 1) < 1e-15 && fabs(x[2]) < 1e-15);
    rc_model_standardise(&m, (double[]){-2, -5, 0}, x);
    assert_true(x[0] == -1 && x[1] == 0);
    assert_true(fabs(x[2] - (log(1e-300) - 1) / 2) < 1e-12);
    rc_model_standardise(&m, (double[]){0, 1e308, 1e308}, x);
    assert_true(isfinite(x[1]) && isfinite(x[2]));
}

static void the_smallest_time_or_the_largest_score_is_chosen(void **state)
{
    (void)state;
    rc_model_class_t cls[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    rc_model_t m = {.classes = 3, .cls = cls, .baseline = 1};
    double time[3];
    assert_int_equal(rc_model_decide(&m, (double[]){3, 1, 2}, NULL, time), 1);
    assert_true(time[0] == exp(3) && time[1] == exp(1) && time[2] == exp(2));
    assert_int_equal(rc_model_decide(&m, (double[]){2, 2, 1}, NULL, NULL), 2);
    assert_int_equal(rc_model_decide(&m, (double[]){1, 1, 1}, NULL, NULL), 0);
    assert_int_equal(rc_model_decide(&m, (double[]){NAN, 5, 4}, NULL, NULL), 2);
    assert_int_equal(rc_model_decide(&m, (double[]){NAN, NAN, NAN}, NULL, time), -1);
    assert_true(isnan(time[0]));
    assert_int_equal(rc_model_decide(&m, (double[]){1e4, 1e4, 2e4}, NULL, NULL), 0); /* infinite */

    m.output = RC_OUTPUT_LOG_RATIO;
    assert_int_equal(rc_model_decide(&m, (double[]){0.5, 7, -0.25}, NULL, time), 2);
    assert_true(time[0] == exp(7.5) && time[1] == exp(7) && time[2] == exp(6.75));
    assert_int_equal(rc_model_decide(&m, (double[]){0.5, 7, 0.25}, NULL, time), 1);

    m.output = RC_OUTPUT_SCORE;
    assert_int_equal(rc_model_decide(&m, (double[]){3, 1, 3}, NULL, time), 0);
    assert_true(isnan(time[0]) && isnan(time[1]) && isnan(time[2]));
    assert_int_equal(rc_model_decide(&m, (double[]){-INFINITY, NAN, -9}, NULL, NULL), 2);
}

static void setup_times_stay_in_their_range(void **state)
{
    (void)state;
    rc_model_cost_t setup[] = {{(double[]){1, 2, 0.5}, 0, 8}, {(double[]){10, 0, 0}, 0, 9}};
    rc_model_t m = {.inputs = 2, .classes = 2, .setup = setup};
    double ns[2];
    rc_model_setup_ns(&m, (double[]){1, 2}, ns);
    assert_true(ns[0] == exp(1 + 2 + 1) && ns[1] == exp(9));
    rc_model_setup_ns(&m, (double[]){-50, 0}, ns);
    assert_true(ns[0] == exp(0));
    m.setup = NULL;
    rc_model_setup_ns(&m, (double[]){1, 2}, ns);
    assert_true(isnan(ns[0]) && isnan(ns[1]));
}

static void break_even_is_where_the_totals_meet(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    int paid = 0;
    for (int i = 0; i < 2000; i++) {
        /* whole numbers: totals are exact */
        double time[2] = {(double)rc_rng_below(&r, 50), (double)rc_rng_below(&r, 50)};
        double setup[2] = {(double)rc_rng_below(&r, 9000), (double)rc_rng_below(&r, 9000)};
        double extra = (double)rc_rng_below(&r, 2000);
        double n = rc_break_even(0, time, setup, extra, 1);
        assert_true(!isnan(n));
        for (int64_t k = 0; k < 20000 && !isinf(n); k += 1 + k / 8) {
            int pays = extra + setup[1] + (double)k * time[1] <= setup[0] + (double)k * time[0];
            assert_int_equal(pays, (double)k >= n);
        }
        if (isinf(n))
            assert_true(time[1] > time[0] || (time[1] == time[0] && extra + setup[1] > setup[0]));
        else
            paid += n > 0;
        assert_true(rc_break_even(0, time, setup, extra, 0) == 0);
    }
    assert_true(paid > 500);
    assert_true(isnan(rc_break_even(0, (double[]){NAN, NAN}, (double[]){1, 1}, 0, 1)));
    assert_true(isnan(rc_break_even(0, (double[]){NAN, NAN}, (double[]){1, 1}, 0, 0)));
    assert_true(isnan(rc_break_even(0, (double[]){2, 1}, (double[]){NAN, NAN}, 0, 1)));
}

/* ------------------------------------------------------------------ choices */

static void expect_schedule(
    const rc_model_t *m, const rc_csr_t *a, const rc_request_t *q, const rc_choice_t *c)
{
    rc_geometry_t g = m->geometry.of[q->precision];
    rc_schedule_t s = {0};
    rc_candidate_t candidate;
    assert_int_equal(rc_model_candidate(m, c->candidate, &candidate, NULL), RC_OK);
    assert_int_equal(rc_order_build(candidate.policy, a, &g, 1, &s, NULL), RC_OK);
    assert_int_equal(s.slots, c->schedule.slots);
    assert_memory_equal(s.row, c->schedule.row, (size_t)s.slots * sizeof *s.row);
    rc_schedule_free(&s);
}

/* What the library predicts, from the public features, by name. */
static int predict_apart(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *q,
    double *time, double *setup, int *outside)
{
    rc_geometry_t g = m->geometry.of[q->precision];
    double feature[RC_FEATURES_MEHRABI];
    double value[64];
    double *scratch = calloc(rc_model_scratch(m), sizeof *scratch);
    assert_non_null(scratch);
    assert_int_equal(rc_features_compute(a, &g, 1, feature, NULL), RC_OK);
    *outside = 0;
    for (int i = 0; i < m->inputs; i++) {
        const char *name = m->input[i].name;
        value[i] = strcmp(name, "k") == 0 ? (double)q->k : (double)rc_type(q->precision)->bytes;
        for (int f = 0; f < RC_FEATURES_MEHRABI; f++)
            if (strcmp(rc_feature_name(f), name) == 0)
                value[i] = feature[f];
        *outside += value[i] < m->input[i].min || value[i] > m->input[i].max;
    }
    int k_is_input = strcmp(m->input[m->inputs - 2].name, "k") == 0;
    *outside += !k_is_input && q->k != 1 && q->k != 8 && q->k != a->cols;
    int chosen = rc_model_choose_raw(m, value, scratch, time);
    rc_model_standardise(m, value, scratch);
    rc_model_setup_ns(m, scratch, setup);
    free(scratch);
    return chosen;
}

static void choices_follow_the_model(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    int seen[4] = {0};
    int by_reuse = 0;
    for (int i = 0; i < 200; i++) {
        model_shape_t shape = {.output = i % 3 == 2 ? RC_OUTPUT_LOG_RATIO : RC_OUTPUT_LOG_NS,
            .matrix_inputs = i % 5 == 0};
        rc_model_t *m = model_make((uint64_t)i, &shape);
        if (i % 4 == 0) { /* inputs in another order than the features */
            rc_model_input_t first = m->input[0];
            m->input[0] = m->input[6];
            m->input[6] = first;
        }
        rc_csr_t a;
        random_matrix(&r, 60, &a);
        rc_request_t q = {.k = 1 + (int64_t)rc_rng_below(&r, 500),
            .precision = i % 2 ? RC_FP32 : RC_FP64,
            .reuse = i % 3 ? (double)rc_rng_below(&r, 100) : 0,
            .threads = 1,
            .extrapolate = 1};
        rc_choice_t c = {0};
        rc_err_t err = {0};
        double time[8];
        double setup[8];
        int outside;
        if (rc_choose(m, &a, &q, &c, &err) != RC_OK)
            fail_msg("%s", err.text);
        int best = predict_apart(m, &a, &q, time, setup, &outside);
        assert_int_equal(c.candidates, m->classes);
        assert_true(same_bits(time, c.time_ns, m->classes));
        assert_true(same_bits(setup, c.setup_ns, m->classes));
        assert_int_equal(c.outside, outside);
        assert_int_equal(c.outside > 0, c.extrapolation[0] != '\0');
        int fastest = best;
        double least = INFINITY;
        for (int k = 0; k < m->classes && q.reuse > 0; k++) {
            double total = setup[k] + q.reuse * time[k] + (k == m->baseline ? 0 : c.overhead_ns);
            if (total < least && (k == m->baseline || time[m->baseline] >= 0.95 * time[k])) {
                least = total;
                best = k;
            }
        }
        assert_true(q.reuse <= 0 || c.break_even <= q.reuse); /* it pays within the reuse */
        by_reuse += best != fastest;
        assert_int_equal(c.candidate, best);
        seen[best]++;
        assert_true(c.featurise_ns > 0 && c.predict_ns > 0 && c.order_ns > 0);
        double n = rc_break_even(m->baseline, time, setup, c.overhead_ns, best);
        assert_true(same_bits(&n, &c.break_even, 1));
        expect_schedule(m, &a, &q, &c);
        rc_choice_free(&c);
        rc_choice_free(&c);
        free_matrix(&a);
        rc_model_free(m);
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]); /* every class was chosen */
    assert_true(by_reuse > 5);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 2);
    rc_csr_t a;
    random_matrix(&r, 30, &a);
    rc_model_t *m = model_make(1, &(model_shape_t){.fp32_only = 1});
    rc_model_t *classifier = model_make(1, &(model_shape_t){.output = RC_OUTPUT_SCORE});
    rc_model_t *no_setup = model_make(1, &(model_shape_t){.no_setup = 1});
    rc_model_t *spmv = model_make(1, &(model_shape_t){0});
    spmv->operation = 1;
    const struct {
        const rc_model_t *m;
        const rc_csr_t *a;
        rc_request_t q;
        rc_status_t status;
        const char *say;
    } cases[] = {
        {m, &a, {.k = 0, .precision = RC_FP32}, RC_EINVAL, "k of at least 1, found 0"},
        {m, &a, {.k = 8, .precision = (rc_precision_t)RC_TYPES}, RC_EINVAL, "values: expected a type of fp32, fp64"},
        {m, &a, {.k = 8, .precision = RC_FP16}, RC_ENOTSUP, "trained on fp32, found a request for fp16"},
        {m, &a, {.k = 8, .precision = RC_C64}, RC_ENOTSUP, "trained on fp32, found a request for c64"},
        {m, &a, {.k = 8, .precision = RC_FP32, .reuse = -1}, RC_EINVAL, "reuse of at least 0, found -1"},
        {m, &a, {.k = 8, .precision = RC_FP32, .reuse = NAN}, RC_EINVAL, "reuse"},
        {m, &a, {.k = 8, .precision = RC_FP32, .threads = -2}, RC_EINVAL, "threads: expected 0 or more, found -2"},
        {m, &a, {.k = 8, .precision = RC_FP32, .operation = "spmm_t"}, RC_ENOTSUP,
            "trained on spmm, found a request for spmm_t"},
        {m, &a, {.k = 8, .precision = RC_FP32, .operation = "spam"}, RC_EINVAL, "'spam'"},
        {spmv, &a, {.k = 8, .precision = RC_FP32}, RC_ENOTSUP,
            "trained on spmv, found a request for spmm"},
        {spmv, &a, {.k = 8, .precision = RC_FP32, .operation = "spmv"}, RC_EINVAL,
            "spmv has no K: expected k = 0, found 8"},
        {m, &a, {.k = 8, .precision = RC_FP64}, RC_ENOTSUP,
            "trained on fp32, found a request for fp64"},
        {classifier, &a, {.k = 8, .precision = RC_FP32, .reuse = 3}, RC_EINVAL, "classifier"},
        {no_setup, &a, {.k = 8, .precision = RC_FP32, .reuse = 3}, RC_EINVAL, "setup times"},
        {NULL, &a, {.k = 8, .precision = RC_FP32}, RC_EINVAL, "no model"},
        {m, NULL, {.k = 8, .precision = RC_FP32}, RC_EINVAL, "matrix: expected one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_err_t err = {0};
        rc_choice_t c = {.candidate = 77};
        rc_status_t st = rc_choose(cases[i].m, cases[i].a, &cases[i].q, &c, &err);
        if (st != cases[i].status || !strstr(err.text, cases[i].say) || c.candidate != 77)
            fail_msg("%zu: expected %d '%s', found %d '%s'", i, (int)cases[i].status, cases[i].say,
                (int)st, err.text);
    }
    rc_choice_t c = {0};
    rc_request_t q = {.k = 8, .precision = RC_FP32, .extrapolate = 1};
    assert_int_equal(rc_choose(classifier, &a, &q, &c, NULL), RC_OK);
    assert_true(isnan(c.time_ns[0]) && isnan(c.break_even));
    rc_choice_free(&c);
    rc_choice_free(NULL);
    free_matrix(&a);
    rc_model_free(m);
    rc_model_free(classifier);
    rc_model_free(no_setup);
    rc_model_free(spmv);
}

static void what_cannot_be_answered_is_refused(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 2);
    rc_csr_t a;
    random_matrix(&r, 30, &a);
    rc_model_t *m = model_make(1, &(model_shape_t){.fp32_only = 1});
    const struct {
        rc_request_t q;
        rc_status_t status;
        const char *say;
    } cases[] = {
        {{.k = 200000, .precision = RC_FP32}, RC_ENOTSUP, "K = 200000 (K 1 to 100000 and n)"},
        {{.k = 8, .precision = RC_FP32, .device = "cuda:*"}, RC_ENOTSUP, "device cuda:*"},
        {{.k = 8, .precision = RC_FP32, .constraints = {.layouts = RC_LAYOUT_ROW}}, RC_ENOTSUP,
            "no class of the model fits layout row"},
        {{.k = 8, .precision = RC_FP32, .constraints = {.orders = "rcm"}}, RC_ENOTSUP,
            "no class of the model fits orders 'rcm'; its classes: dcsr (col"},
        {{.k = 8, .precision = RC_FP32, .constraints = {.memory = 100}}, RC_ENOTSUP, "100 B"},
        {{.k = 8, .precision = RC_FP32, .constraints = {.c_orders = "schedule"}}, RC_ENOTSUP,
            "C in the original row order alone"},
        {{.k = 8, .precision = RC_FP32, .constraints = {.c_orders = "any"}}, RC_EINVAL, "found 'any'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_err_t err = {0};
        rc_choice_t c = {.candidate = 77};
        rc_status_t st = rc_choose(m, &a, &cases[i].q, &c, &err);
        if (st != cases[i].status || !strstr(err.text, cases[i].say) || c.candidate != 77)
            fail_msg("%zu: expected %d '%s', found %d '%s'", i, (int)cases[i].status, cases[i].say,
                (int)st, err.text);
    }
    free_matrix(&a);
    rc_model_free(m);
}

/* Choices keep to what the caller can take, and changing nothing is one of them. */
static void constraints_hold(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    int mixed = 0;
    for (int i = 0; i < 100; i++) {
        rc_model_t *m = model_make(
            (uint64_t)i, &(model_shape_t){.task = RC_TASK_PLAN, .output = (rc_output_t)(i % 3)});
        rc_csr_t a;
        random_matrix(&r, 40, &a);
        rc_request_t q = {.k = 8, .precision = RC_FP32, .threads = 1, .extrapolate = 1};
        q.constraints.layouts = i % 4;
        q.constraints.deterministic = i % 5 == 0;
        q.constraints.orders = i % 7 == 0 ? "lpt,d*" : NULL;
        q.constraints.kernels = i % 11 == 0 ? "gsub" : NULL;
        rc_choice_t c = {0};
        rc_err_t err = {0};
        int permitted = 0;
        if (rc_choose(m, &a, &q, &c, &err) == RC_OK) {
            int layouts = 0;
            for (int k = 0; k < m->classes; k++) {
                const rc_model_class_t *x = &m->cls[k];
                permitted += c.permitted[k];
                layouts |= c.permitted[k] ? x->layout : 0;
                assert_true(!c.permitted[k] || !q.constraints.deterministic ||
                            x->deterministic == RC_DETERMINISTIC_YES);
                assert_true(!c.permitted[k] || !q.constraints.orders ||
                            strcmp(x->policy, "lpt") == 0 || strcmp(x->policy, "dcsr") == 0);
            }
            assert_true(permitted > 0 && c.permitted[c.candidate] && c.permitted[c.reference]);
            assert_true(q.constraints.layouts
                            ? !(layouts & ~q.constraints.layouts)
                            : layouts == RC_LAYOUT_COL || layouts == RC_LAYOUT_ROW);
            mixed += layouts == (RC_LAYOUT_COL | RC_LAYOUT_ROW);
            if (c.permitted[m->baseline])
                assert_int_equal(c.reference, m->baseline);
            if (m->output != RC_OUTPUT_SCORE)
                assert_true(c.time_ns[c.reference] >= 0.95 * c.time_ns[c.candidate]);
        } else {
            assert_int_equal(err.status, RC_ENOTSUP);
            assert_non_null(strstr(err.text, "no class of the model fits"));
        }
        rc_choice_free(&c);
        free_matrix(&a);
        rc_model_free(m);
    }
    assert_true(mixed > 0); /* asked for */
}

/* A setup that is cheap and a product that is slow: cheaper in total for few products, but never
 * chosen below 0.95 of the speed of the baseline. */
static void slower_than_nothing_is_never_chosen(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 4);
    int tempted = 0;
    for (int i = 0; i < 300; i++) {
        rc_model_t *m = model_make((uint64_t)i, &(model_shape_t){0});
        rc_csr_t a;
        random_matrix(&r, 40, &a);
        rc_request_t q = {
            .k = 8, .precision = RC_FP32, .threads = 1, .extrapolate = 1, .reuse = 1 + i % 3};
        rc_choice_t c = {0};
        assert_int_equal(rc_choose(m, &a, &q, &c, NULL), RC_OK);
        assert_true(
            c.candidate == c.reference || c.time_ns[c.reference] >= 0.95 * c.time_ns[c.candidate]);
        for (int k = 0; k < m->classes; k++)
            tempted += rc_choice_total(&c, q.reuse, k) < rc_choice_total(&c, q.reuse, c.candidate);
        rc_choice_free(&c);
        free_matrix(&a);
        rc_model_free(m);
    }
    assert_true(tempted > 0);
}

/* Whatever else the machine does: what enters the break-even is predicted. */
static void equal_calls_give_equal_answers(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    rc_model_t *m = model_make(7, &(model_shape_t){0});
    rc_csr_t a;
    random_matrix(&r, 200, &a);
    double first = NAN;
    for (int i = 0; i < 8; i++) {
        rc_request_t q = {.k = 8, .precision = RC_FP32, .threads = 1 + i % 3, .extrapolate = 1};
        rc_choice_t c = {0};
        assert_int_equal(rc_choose(m, &a, &q, &c, NULL), RC_OK);
        double n = rc_break_even(c.reference, c.time_ns, c.setup_ns, c.overhead_ns, 0);
        assert_true(c.overhead_ns > 0 && c.overhead_ns < 2e5 && !isnan(n));
        assert_true(i == 0 || same_bits(&n, &first, 1));
        first = n;
        rc_choice_free(&c);
    }
    free_matrix(&a);
    rc_model_free(m);
}

/* Files of version 1: K from the option of the fit, or from the range of the input. */
static void what_old_files_do_not_say_is_derived(void **state)
{
    (void)state;
    static const struct {
        const char *k;
        int inputs; /* 1: K is an input */
        const char *knows;
    } cases[] = {{"n", 0, "spmm, K = n, fp32"}, {"8,32,n", 1, "spmm, K 8 to 32 and n, fp32"},
        {NULL, 1, "spmm, K 1 to "}, {NULL, 0, "spmm, K unknown, fp32"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_model_t *m = model_make(1, &(model_shape_t){.matrix_inputs = !cases[i].inputs});
        rc_model_t *old = NULL;
        rc_err_t err = {0};
        char knows[200];
        if (cases[i].k)
            json_object_set_new(m->training, "selection", json_pack("{s:s}", "k", cases[i].k));
        char *text = rc_model_text(m, &err);
        assert_non_null(text);
        char *at = strstr(text, "\"version\": 2");
        assert_non_null(at);
        at[strlen("\"version\": ")] = '1';
        if (rc_model_parse(text, strlen(text), "old", &old, &err) != RC_OK)
            fail_msg("%s", err.text);
        rc_model_knows(old, knows, sizeof knows);
        if (strncmp(knows, cases[i].knows, strlen(cases[i].knows)) != 0)
            fail_msg("expected '%s', found '%s'", cases[i].knows, knows);
        assert_non_null(strstr(knows, "layouts unknown"));
        free(text);
        rc_model_free(old);
        rc_model_free(m);
    }
}

static void candidates_are_told(void **state)
{
    (void)state;
    rc_model_t *m = model_make(1, &(model_shape_t){.fp32_only = 1});
    rc_candidate_t candidate;
    assert_int_equal(rc_model_candidates(m), 4);
    assert_int_equal(rc_model_candidate(m, 4, &candidate, NULL), RC_EINVAL);
    assert_int_equal(rc_model_candidate(m, -1, &candidate, NULL), RC_EINVAL);
    assert_int_equal(rc_model_candidate(m, 1, &candidate, NULL), RC_OK);
    assert_string_equal(candidate.policy, "csr");
    assert_true(candidate.is_baseline);
    assert_string_equal(rc_model_device(m), m->device);
    rc_model_free(m);
}

/* ------------------------------------------------------------------- C source */

static void exported_source_repeats_choices_and_times(void **state)
{
    /* with instructions that fuse products and sums, and what ISO C does not promise, too */
    static const char *const flags[] = {
        "-std=c99 -O2",
        "-std=c99 -O0",
        "-std=gnu11 -O3"
#if defined(__x86_64__)
        ,
        "-std=gnu99 -O3 -mavx2 -mfma"
#endif
    };
    enum { FLAGS = sizeof flags / sizeof *flags };
    for (int i = 0; i < 6; i++) {
        model_shape_t shape = {.task = i % 2 ? RC_TASK_PLAN : RC_TASK_ORDER,
            .output = (rc_output_t)(i % 3),
            .nets = 1 + i % 2,
            .matrix_inputs = i == 5};
        rc_model_t *m = model_make((uint64_t)(100 + i), &shape);
        char name[16];
        snprintf(name, sizeof name, "model_%d", i);
        compiled_model_t c;
        compile_model(state, m, name, flags[i % FLAGS], &c);
        for (int k = 0; k < m->inputs; k++)
            assert_string_equal(c.input[k], m->input[k].name);
        for (int k = 0; k < m->classes; k++)
            assert_string_equal(c.cls[k], m->cls[k].name);
        double *scratch = calloc(rc_model_scratch(m), sizeof *scratch);
        assert_non_null(scratch);
        rc_rng_t r;
        rc_rng_seed(&r, (uint64_t)i);
        int chosen[4] = {0};
        for (int round = 0; round < 20000; round++) {
            double value[64];
            for (int k = 0; k < m->inputs; k++)
                value[k] = round % 2 ? model_random_value(&r) : floor(1e4 * rc_rng_unit(&r));
            chosen[rc_model_choose_raw(m, value, scratch, NULL)]++;
            if (!compiled_model_agrees(&c, m, value, scratch))
                fail_msg("model %d, round %d: another choice or time", i, round);
        }
        int different = 0;
        for (int k = 0; k < 4; k++)
            different += chosen[k] > 0;
        assert_true(different > 1);
        free(scratch);
        unload_model(&c);
        rc_model_free(m);
    }
}

static void names_that_are_no_identifiers_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"", "1a", "a-b", "a b", "\xc3\xa4",
        "a23456789012345678901234567890123456789012345678901234567890"};
    rc_model_t *m = model_make(1, &(model_shape_t){.nets = 1});
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rc_err_t err = {0};
        assert_int_equal(rc_model_export_c(m, names[i], stderr, &err), RC_EINVAL);
        assert_non_null(strstr(err.text, "identifier"));
    }
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        assert_int_equal(rc_model_export_c(m, "x", full, NULL), RC_EIO);
        fclose(full);
    }
    rc_model_free(m);
}

/* Inputs that follow from features and the product come with their values, in any order, and however far they
 * lie from training the features decide alone whether the model knows them. */
static void inputs_of_a_product_are_computed(void **state)
{
    (void)state;
    const rc_feature_set_t *set = rc_feature_set_find("storage");
    rc_model_t *m = model_make(3, &(model_shape_t){0});
    rc_request_t q = {.k = 96, .precision = RC_FP64, .threads = 1};
    const rc_geometry_t g = {32, 32, 16};
    double feature[64], product[64];
    double *value = calloc((size_t)m->inputs, sizeof *value);
    rc_csr_t a;
    rc_choice_t c;
    rc_err_t err = {0};
    int named = 0;
    assert_true(value && set && set->product && set->product->count > 12);
    snprintf(m->feature_set, sizeof m->feature_set, "storage");
    m->feature_version = set->version;
    for (int i = 0; i < m->inputs; i++) {
        rc_model_input_t *in = &m->input[i];
        if (strcmp(in->name, "k") == 0 || strcmp(in->name, "value_bytes") == 0)
            continue;
        const rc_feature_t *f =
            named % 2 ? &set->feature[named / 2] : &set->product->input[12 - named / 2];
        snprintf(in->name, sizeof in->name, "%s", f->name);
        in->min = named % 2 ? 0 : -2;
        in->max = named++ % 2 ? 1e9 : -1;
    }
    assert_int_equal(named, 24);
    m->ks = (rc_model_ks_t){.k = m->ks.k}; /* not known: any */
    assert_int_equal(rc_model_check(m, "made", &err), RC_OK);
    assert_int_equal(rc_generate("rmat:scale=8", &a, NULL, &err), RC_OK);
    assert_int_equal(set->compute(&a, &g, 1, feature, &err), RC_OK);
    set->product->compute(feature, 96, 8, product);
    assert_int_equal(
        rc_choose_featured(m, &a, &q, &(rc_choice_features_t){.told = value}, &c, &err), RC_OK);
    rc_choice_free(&c);
    for (int i = 0; i < m->inputs; i++)
        if (strcmp(m->input[i].name, "k") != 0 && strcmp(m->input[i].name, "value_bytes") != 0) {
            int at = 24 - named--;
            assert_true(value[i] == (at % 2 ? feature[at / 2] : product[12 - at / 2]));
        }
    free(value);
    rc_csr_free(&a);
    rc_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_transformed_and_scaled),
        cmocka_unit_test(the_smallest_time_or_the_largest_score_is_chosen),
        cmocka_unit_test(setup_times_stay_in_their_range),
        cmocka_unit_test(break_even_is_where_the_totals_meet),
        cmocka_unit_test(choices_follow_the_model),
        cmocka_unit_test(inputs_of_a_product_are_computed),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(what_cannot_be_answered_is_refused),
        cmocka_unit_test(constraints_hold),
        cmocka_unit_test(slower_than_nothing_is_never_chosen),
        cmocka_unit_test(equal_calls_give_equal_answers),
        cmocka_unit_test(what_old_files_do_not_say_is_derived),
        cmocka_unit_test(candidates_are_told),
        cmocka_unit_test(exported_source_repeats_choices_and_times),
        cmocka_unit_test(names_that_are_no_identifiers_are_refused),
    };
    return cmocka_run_group_tests_name("choose", tests, scratch_setup, scratch_teardown);
}
