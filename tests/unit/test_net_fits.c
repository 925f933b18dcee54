/* Fits of networks: results that depend on the seed alone, rules that are recovered, and what rc_fit
 * puts around every trainer. */
#include "config.h"
#include "unit.h"

#include "failing_alloc.h"
#include "made_data.h"
#include "analysis/evaluation.h"
#include "analysis/ridge.h"
#include "analysis/trainer.h"
#include "base/rng.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 11, INPUTS = 5, OUTPUTS = 4 };

static const char *const networks[] = {"mlp", "softmax", "regret", NULL};

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g, expected %.17g", a, b);
}

static const made_spec_t spec = {.matrices = 60,
    .groups = 12,
    .kinds = 2,
    .ks = 2,
    .inputs = 5,
    .classes = 4,
    .noise = 0.02,
    .seed = 3};

static rc_dataset_t *make(const made_spec_t *s)
{
    rc_dataset_t *d = made_data(s);
    assert_non_null(d);
    for (int c = 0; c < d->classes; c++) {
        d->cls[c].policy_version = 1;
        d->cls[c].kernel_version = 1;
    }
    return d;
}

static void drop(rc_dataset_t *d)
{
    rc_dataset_free(d);
    free(d);
}

static int64_t *all_rows(const rc_dataset_t *d)
{
    int64_t *row = calloc((size_t)d->rows, sizeof *row);
    assert_non_null(row);
    for (int64_t i = 0; i < d->rows; i++)
        row[i] = i;
    return row;
}

static rc_model_t *fit(const char *name, const rc_dataset_t *d, const rc_fit_options_t *options)
{
    rc_model_t *m = NULL;
    rc_err_t err = {0};
    int64_t *row = all_rows(d);
    if (rc_fit(rc_trainer_find(name), d, row, d->rows, options, &m, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    free(row);
    return m;
}

static rc_fit_options_t short_fit(void)
{
    return (rc_fit_options_t){
        .seed = SEED, .threads = 1, .l2 = -1, .restarts = 3, .members = 3, .epochs = 12};
}

static char *text_of(const rc_model_t *m)
{
    rc_err_t err = {0};
    char *text = rc_model_text(m, &err);
    if (!text)
        fail_msg("%s", err.text);
    return text;
}

static void fits_depend_on_the_seed_alone(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&spec);
    int blas = openblas_get_num_threads();
    for (int i = 0; networks[i]; i++) {
        rc_fit_options_t options = short_fit();
        rc_model_t *one = fit(networks[i], d, &options);
        options.threads = 4;
        openblas_set_num_threads(2);
        rc_model_t *four = fit(networks[i], d, &options);
        assert_int_equal(openblas_get_num_threads(), 2);
        openblas_set_num_threads(blas);
        options.seed++;
        rc_model_t *other = fit(networks[i], d, &options);
        char *a = text_of(one);
        char *b = text_of(four);
        char *c = text_of(other);
        assert_string_equal(a, b);
        assert_string_not_equal(a, c);
        free(a);
        free(b);
        free(c);
        rc_model_free(one);
        rc_model_free(four);
        rc_model_free(other);
    }
    drop(d);
}

/* Geomean speedup over the baseline, of the choices and of the oracle. */
static void gains(const rc_dataset_t *d, const rc_predictions_t *p, double *chosen, double *oracle)
{
    *chosen = 0;
    *oracle = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const double *t = d->time + p->row[i] * d->classes;
        *chosen += log(t[d->baseline] / t[p->choice[i]]) / (double)p->count;
        *oracle += log(t[d->baseline] / t[rc_dataset_best(d, p->row[i])]) / (double)p->count;
    }
    *chosen = exp(*chosen);
    *oracle = exp(*oracle);
}

static void fits_recover_a_rule(void **state)
{
    (void)state;
    made_spec_t s = spec;
    s.matrices = 300;
    s.groups = 30;
    rc_dataset_t *d = make(&s);
    int *test = calloc((size_t)d->rows, sizeof *test);
    int64_t *train_row = calloc((size_t)d->rows, sizeof *train_row);
    int64_t *test_row = calloc((size_t)d->rows, sizeof *test_row);
    int64_t trains = 0;
    int64_t tests = 0;
    assert_true(test && train_row && test_row);
    assert_int_equal(
        rc_split_share(&(rc_split_t){d, NULL, d->rows, RC_SPLIT_GROUP, SEED}, 0.3, test, NULL),
        RC_OK);
    for (int64_t i = 0; i < d->rows; i++)
        if (test[i])
            test_row[tests++] = i;
        else
            train_row[trains++] = i;
    for (int i = 0; networks[i]; i++) {
        rc_fit_options_t options = {
            .seed = SEED, .threads = 2, .l2 = -1, .restarts = 2, .members = 3, .epochs = 60};
        const rc_trainer_t *t = rc_trainer_find(networks[i]);
        rc_model_t *m = NULL;
        rc_predictions_t p = {0};
        double chosen;
        double oracle;
        assert_int_equal(rc_fit(t, d, train_row, trains, &options, &m, NULL), RC_OK);
        assert_int_equal(rc_predict_rows(m, d, test_row, tests, &p, NULL), RC_OK);
        gains(d, &p, &chosen, &oracle);
        if (!((chosen - 1) / (oracle - 1) > 0.9))
            fail_msg("%s: geomean %g of %g", networks[i], chosen, oracle);
        assert_int_equal(p.time != NULL, t->has_times);
        double error = 0;
        for (int64_t k = 0; t->has_times && k < p.count * d->classes; k++) {
            double measured = d->time[p.row[k / d->classes] * d->classes + k % d->classes];
            error += fabs(p.time[k] / measured - 1) / (double)(p.count * d->classes);
        }
        if (!(error < 0.15))
            fail_msg("%s: mean error of the times %g", networks[i], error);
        rc_predictions_free(&p);
        rc_model_free(m);
    }
    free(test);
    free(train_row);
    free(test_row);
    drop(d);
}

static void odd_data_is_fitted(void **state)
{
    (void)state;
    made_spec_t one = spec;
    one.classes = 1;
    rc_dataset_t *lone = make(&one);
    rc_dataset_t *flat = make(&spec);
    rc_dataset_t *same = make(&spec);
    for (int64_t i = 0; i < flat->rows; i++)
        for (int j = 0; j < flat->inputs; j++)
            flat->value[i * flat->inputs + j] = j == 1 ? 0 : 1e9 + 0.1;
    for (int64_t i = 0; i < same->rows * same->classes; i++)
        same->time[i] = 1234.5;
    for (int i = 0; networks[i]; i++) {
        rc_fit_options_t options = short_fit();
        rc_dataset_t *const odd[] = {lone, flat, same};
        for (int k = 0; k < 3; k++) {
            rc_model_t *m = fit(networks[i], odd[k], &options);
            char *text = text_of(m); /* checks that every number is finite */
            double *scratch = calloc(rc_model_scratch(m), sizeof *scratch);
            assert_non_null(scratch);
            int choice = rc_model_choose_raw(m, odd[k]->value, scratch, NULL);
            assert_in_range(choice, 0, odd[k]->classes - 1);
            for (int j = 0; k == 1 && j < m->inputs; j++)
                assert_true(m->input[j].scale == 1);
            free(scratch);
            free(text);
            rc_model_free(m);
        }
    }
    drop(lone);
    drop(flat);
    drop(same);
}

static void refuse(
    const char *name, const rc_dataset_t *d, int64_t n, const rc_fit_options_t *o, const char *says)
{
    rc_model_t *m = NULL;
    rc_err_t err = {0};
    int64_t *row = all_rows(d);
    assert_int_equal(rc_fit(rc_trainer_find(name), d, row, n, o, &m, &err), RC_EINVAL);
    assert_null(m);
    if (!strstr(err.text, says))
        fail_msg("%s: '%s' does not say '%s'", name, err.text, says);
    free(row);
}

static void what_cannot_be_fitted_is_refused(void **state)
{
    (void)state;
    made_spec_t together = spec;
    together.groups = 1;
    rc_dataset_t *d = make(&spec);
    rc_dataset_t *alone = make(&together);
    rc_fit_options_t good = short_fit();
    rc_fit_options_t bad = good;
    for (int i = 0; networks[i]; i++) {
        refuse(networks[i], d, 9, &good, "at least 10");
        if (strcmp(networks[i], "regret") != 0) /* which validates by matrix */
            refuse(networks[i], alone, alone->rows, &good, "group");
        bad.hidden = "64,,32";
        refuse(networks[i], d, d->rows, &bad, "64,,32");
        bad = good;
        bad.l2 = INFINITY;
        refuse(networks[i], d, d->rows, &bad, "L2");
        bad = good;
    }
    d->time[5] = 0;
    refuse("mlp", d, d->rows, &good, "expected a positive number");
    d->time[5] = 1;
    d->value[7] = NAN;
    refuse("mlp", d, d->rows, &good, "not a finite number");
    drop(d);
    drop(alone);
}

static void what_runs_out_of_memory_says_so(void **state)
{
    (void)state;
    made_spec_t s = spec;
    s.matrices = 20;
    rc_dataset_t *d = make(&s);
    int64_t *row = all_rows(d);
    rc_fit_options_t options = short_fit();
    options.epochs = 1;
    options.hidden = "3";
    options.restarts = 2;
    for (int i = 0; networks[i]; i++)
        for (int after = 0;; after++) {
            rc_model_t *m = NULL;
            rc_err_t err = {0};
            failing_alloc_set(after);
            rc_status_t st =
                rc_fit(rc_trainer_find(networks[i]), d, row, d->rows, &options, &m, &err);
            int happened = failing_alloc_happened();
            failing_alloc_set(-1);
            if (!happened) {
                assert_int_equal(st, RC_OK);
                assert_true(after > 20);
                rc_model_free(m);
                break;
            }
            if (st != RC_ENOMEM || m)
                fail_msg("%s, allocation %d: %d: %s", networks[i], after, st, err.text);
        }
    free(row);
    drop(d);
}

/* Restart i is the same one however many there are, so more of them never lose. */
static void the_best_restart_is_kept(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&spec);
    double first = 0;
    double least = INFINITY;
    for (int restarts = 1; restarts <= 5; restarts++) {
        rc_fit_options_t options = short_fit();
        options.restarts = restarts;
        rc_model_t *m = fit("mlp", d, &options);
        double loss = json_number_value(json_object_get(m->training, "validation_loss"));
        assert_true(loss > 0 && loss <= least);
        first = restarts == 1 ? loss : first;
        least = loss;
        rc_model_free(m);
    }
    assert_true(least < first);
    drop(d);
}

typedef struct seen {
    int calls;
    double done;
} seen_t;

static void note(void *context, const char *what, double done, double loss)
{
    seen_t *s = context;
    assert_string_equal(what, "mlp");
    assert_true(done >= 0 && done <= 1);
    assert_true(isnan(loss) || loss >= 0);
    s->done = fmax(s->done, done);
    s->calls++;
}

static void progress_is_told(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&spec);
    rc_fit_options_t options = short_fit();
    seen_t seen = {0, 0};
    options.progress = note;
    options.context = &seen;
    rc_model_free(fit("mlp", d, &options));
    assert_true(seen.calls >= 12);
    assert_true(seen.done == 1);
    drop(d);
}

/* ------------------------------------------------------ weights, setup times */

static void weights_are_what_they_say(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&spec);
    int64_t *row = all_rows(d);
    int64_t n = d->rows - 7;
    double *w = calloc((size_t)d->rows, sizeof *w);
    double sum[OUTPUTS] = {0};
    int64_t count[OUTPUTS] = {0};
    int present = 0;
    assert_non_null(w);
    for (int kind = RC_WEIGHT_INVERSE; kind <= RC_WEIGHT_NONE; kind++) {
        double mean = 0;
        rc_weights(d, row, n, (rc_weighting_t)kind, w);
        for (int64_t i = 0; i < n; i++) {
            assert_true(w[i] >= 0);
            mean += w[i] / (double)n;
        }
        assert_near(mean, 1, 1e-12);
        for (int64_t i = 0; kind == RC_WEIGHT_NONE && i < n; i++)
            assert_true(w[i] == 1);
    }
    /* every class that is best somewhere weighs the same */
    rc_weights(d, row, n, RC_WEIGHT_INVERSE, w);
    for (int64_t i = 0; i < n; i++) {
        sum[rc_dataset_best(d, i)] += w[i];
        count[rc_dataset_best(d, i)]++;
    }
    for (int c = 0; c < d->classes; c++)
        present += count[c] > 0;
    assert_true(present > 1);
    for (int c = 0; c < d->classes; c++)
        if (count[c] > 0)
            assert_near(sum[c], (double)n / present, 1e-9);
    /* twice the loss of the baseline, twice the weight, and a little for everyone */
    rc_weights(d, row, n, RC_WEIGHT_REGRET, w);
    double mean = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *t = d->time + i * d->classes;
        mean += log(t[d->baseline] / t[rc_dataset_best(d, i)]) / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        const double *t = d->time + i * d->classes;
        double loss = log(t[d->baseline] / t[rc_dataset_best(d, i)]);
        assert_near(w[i], (loss / mean + 0.01) / 1.01, 1e-9);
    }
    for (int64_t i = 0; i < d->rows * d->classes; i++)
        d->time[i] = 3;
    rc_weights(d, row, n, RC_WEIGHT_REGRET, w);
    for (int64_t i = 0; i < n; i++)
        assert_true(w[i] == 1);
    free(w);
    free(row);
    drop(d);
}

static void a_ridge_is_the_least_sum(void **state)
{
    (void)state;
    enum { N = 40, P = 4 };
    double x[N * P];
    double y[N];
    double coef[P + 1];
    rc_rng_t r;
    const double penalty = 0.05;
    rc_rng_seed(&r, SEED);
    for (int i = 0; i < N * P; i++)
        x[i] = -1 + 4 * rc_rng_unit(&r);
    for (int i = 0; i < N; i++)
        y[i] = i % 7 == 0 ? NAN : 2 + x[i * P] - 3 * x[i * P + 2] + 2 * rc_rng_unit(&r) - 1;
    assert_int_equal(rc_ridge(x, N, P, y, penalty, coef, NULL), RC_OK);
    for (int j = 0; j <= P; j++) { /* the derivative is 0 */
        double slope = 0;
        int n = 0;
        for (int i = 0; i < N; i++) {
            if (isnan(y[i]))
                continue;
            n++;
            slope += (rc_ridge_at(coef, P, x + i * P) - y[i]) * (j ? x[i * P + j - 1] : 1);
        }
        slope += j ? penalty * n * coef[j] : 0;
        assert_near(slope, 0, 1e-9);
    }
    for (int i = 0; i < N; i++)
        y[i] = NAN;
    assert_int_equal(rc_ridge(x, N, P, y, penalty, coef, NULL), RC_EINVAL);
}

static void setup_times_are_learnt(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&spec);
    rc_fit_options_t options = short_fit();
    double x[INPUTS];
    double ns[OUTPUTS];
    for (int64_t i = 0; i < d->rows; i++)
        for (int c = 0; c < d->classes; c++) /* a power law of the inputs; class 0 takes none */
            d->setup[i * d->classes + c] =
                c == 0 ? 0 : exp(5 + c) * pow(d->value[i * d->inputs + c], 0.4);
    d->setup[3] = NAN;
    rc_model_t *m = fit("mlp", d, &options);
    assert_non_null(m->setup);
    for (int64_t i = 0; i < d->rows; i++) {
        rc_model_standardise(m, d->value + i * d->inputs, x);
        rc_model_setup_ns(m, x, ns);
        assert_near(ns[0], 1, 1e-12);
        for (int c = 1; c < d->classes && i > 0; c++)
            assert_true(fabs(ns[c] / d->setup[i * d->classes + c] - 1) < 0.05);
    }
    const json_t *errors = json_object_get(json_object_get(m->training, "setup"), "median_error");
    double error = json_number_value(json_object_get(errors, "c1"));
    assert_true(error > 0 && error < 0.05);
    rc_model_free(m);
    for (int64_t i = 0; i < d->rows; i++)
        d->setup[i * d->classes + 2] = NAN;
    m = fit("mlp", d, &options);
    assert_null(m->setup);
    rc_model_free(m);
    drop(d);
}

static void inputs_are_standardised(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&spec);
    rc_fit_options_t options = short_fit();
    rc_model_t *m = fit("softmax", d, &options);
    double sum[INPUTS] = {0};
    double square[INPUTS] = {0};
    for (int64_t i = 0; i < d->rows; i++) {
        double x[INPUTS];
        rc_model_standardise(m, d->value + i * d->inputs, x);
        for (int j = 0; j < INPUTS; j++) {
            double raw = d->value[i * d->inputs + j];
            assert_true(raw >= m->input[j].min && raw <= m->input[j].max);
            sum[j] += x[j];
            square[j] += x[j] * x[j];
        }
    }
    for (int j = 0; j < INPUTS; j++) {
        assert_near(sum[j] / (double)d->rows, 0, 1e-10);
        assert_near(square[j] / (double)d->rows, 1, 1e-10);
    }
    assert_string_equal(m->kind, "softmax");
    assert_string_equal(m->device, "made");
    assert_int_equal(m->output, RC_OUTPUT_SCORE);
    rc_model_free(m);
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_depend_on_the_seed_alone),
        cmocka_unit_test(fits_recover_a_rule),
        cmocka_unit_test(odd_data_is_fitted),
        cmocka_unit_test(what_cannot_be_fitted_is_refused),
        cmocka_unit_test(what_runs_out_of_memory_says_so),
        cmocka_unit_test(the_best_restart_is_kept),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(weights_are_what_they_say),
        cmocka_unit_test(a_ridge_is_the_least_sum),
        cmocka_unit_test(setup_times_are_learnt),
        cmocka_unit_test(inputs_are_standardised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
