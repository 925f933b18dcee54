/* Networks: losses and gradients against finite differences, and how training ends. */
#include "config.h"
#include "unit.h"

#include "analysis/net.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 11, ROWS = 23, INPUTS = 5, OUTPUTS = 4 };

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g, expected %.17g", a, b);
}

static double uniform(rc_rng_t *r, double low, double high)
{
    return low + (high - low) * rc_rng_unit(r);
}

/* ------------------------------------------------------------------ losses */

static const rc_loss_t losses[] = {
    {.name = "mape", .row = rc_loss_mape},
    {.name = "square", .row = rc_loss_square},
    {.name = "entropy", .row = rc_loss_entropy},
    {.name = "ratio", .row = rc_loss_ratio, .baseline = 1, .scale = 0.6},
    {.name = "level", .row = rc_loss_level, .baseline = 3},
    {.name = "regret", .row = rc_loss_regret, .baseline = 2, .temperature = 0.7, .scale = 0.5},
    {.name = "regret and ratio",
        .row = rc_loss_regret,
        .temperature = 0.3,
        .scale = 0.5,
        .mix = 0.4},
};

enum { LOSSES = sizeof losses / sizeof *losses };

static void random_row(const rc_loss_t *loss, rc_rng_t *r, double *out, double *target)
{
    double sum = 0;
    for (int c = 0; c < OUTPUTS; c++) {
        out[c] = uniform(r, -2, 2);
        target[c] = loss->row == rc_loss_entropy ? uniform(r, 0, 1) : uniform(r, -2, 2);
        sum += target[c];
    }
    for (int c = 0; loss->row == rc_loss_entropy && c < OUTPUTS; c++)
        target[c] /= sum;
}

static void losses_have_the_gradients_that_they_say(void **state)
{
    (void)state;
    const double h = 1e-6;
    rc_rng_t r;
    rc_rng_seed(&r, SEED);
    for (int l = 0; l < LOSSES; l++)
        for (int round = 0; round < 200; round++) {
            double out[OUTPUTS];
            double target[OUTPUTS];
            double grad[OUTPUTS];
            double none;
            random_row(&losses[l], &r, out, target);
            double value = losses[l].row(&losses[l], OUTPUTS, out, target, grad);
            assert_true(value >= 0 && isfinite(value));
            none = losses[l].row(&losses[l], OUTPUTS, out, target, NULL);
            assert_near(
                value, none, 1e-12 * fmax(1, none)); /* other code, maybe with fused operations */
            for (int c = 0; c < OUTPUTS; c++) {
                double at = out[c];
                out[c] = at + h;
                double above = losses[l].row(&losses[l], OUTPUTS, out, target, NULL);
                out[c] = at - h;
                double below = losses[l].row(&losses[l], OUTPUTS, out, target, NULL);
                out[c] = at;
                if (fabs((above - below) / (2 * h) - grad[c]) > 1e-5 * fmax(1, fabs(grad[c])))
                    fail_msg("%s, output %d: derivative %g, by differences %g", losses[l].name, c,
                        grad[c], (above - below) / (2 * h));
            }
        }
}

static void mape_is_the_error_of_the_times(void **state)
{
    (void)state;
    const double time[3] = {100, 2000, 30};
    const double guess[3] = {150, 1000, 36}; /* 50 %, 50 %, 20 % */
    double out[3];
    double target[3];
    for (int c = 0; c < 3; c++) {
        out[c] = log(guess[c]);
        target[c] = log(time[c]);
    }
    assert_near(rc_loss_mape(&losses[0], 3, out, target, NULL), 0.4, 1e-12);
    assert_true(rc_loss_mape(&losses[0], 3, target, target, NULL) == 0);
    /* far off: finite, and growing */
    double far = 800;
    double farther = 900;
    double zero = 0;
    double a = rc_loss_mape(&losses[0], 1, &far, &zero, NULL);
    double b = rc_loss_mape(&losses[0], 1, &farther, &zero, NULL);
    assert_true(isfinite(b) && b > a);
}

static void regret_is_that_of_the_soft_choice(void **state)
{
    (void)state;
    rc_loss_t loss = {.row = rc_loss_regret, .baseline = 0, .temperature = 1e-3, .scale = 1};
    /* log ratios to class 0; class 2 is best; the first number is log ns and does not matter */
    const double target[3] = {9, 0.2, -0.3};
    const double right[3] = {-5, 0.1, -0.1};
    const double stay[3] = {7, 0.1, 0.1};
    const double wrong[3] = {7, -0.1, 0.1};
    const double even[3] = {7, 0, 0};
    assert_near(loss.row(&loss, 3, right, target, NULL), 0, 1e-9);
    assert_near(loss.row(&loss, 3, stay, target, NULL), 0.3, 1e-9);
    assert_near(loss.row(&loss, 3, wrong, target, NULL), 0.5, 1e-9);
    assert_near(loss.row(&loss, 3, even, target, NULL), (0.3 + 0.5 + 0) / 3, 1e-9);
}

/* ---------------------------------------------------------------- gradients */

typedef struct sample {
    double x[ROWS * INPUTS];
    double target[ROWS * OUTPUTS];
    double weight[ROWS];
    double offset[OUTPUTS];
    double size[OUTPUTS];
    rc_net_data_t data;
} sample_t;

static void make_sample(const rc_loss_t *loss, rc_rng_t *r, sample_t *s)
{
    double unused[OUTPUTS];
    for (int i = 0; i < ROWS * INPUTS; i++)
        s->x[i] = uniform(r, -2, 2);
    for (int i = 0; i < ROWS; i++) {
        random_row(loss, r, unused, s->target + i * OUTPUTS);
        s->weight[i] = i % 5 == 0 ? 0 : uniform(r, 0.1, 3);
    }
    for (int c = 0; c < OUTPUTS; c++) {
        s->offset[c] = uniform(r, -0.5, 0.5);
        s->size[c] = uniform(r, 0.5, 2);
    }
    s->data = (rc_net_data_t){ROWS, s->x, s->target, s->weight, s->offset, s->size};
}

static double value_at(const rc_net_shape_t *shape, const double *param, const sample_t *s,
    const rc_loss_t *loss, double l2)
{
    double value;
    double *grad = calloc(rc_net_params(shape), sizeof *grad);
    assert_non_null(grad);
    assert_int_equal(rc_net_gradient(shape, param, &s->data, loss, l2, &value, grad, NULL), RC_OK);
    free(grad);
    return value;
}

static void check_gradient(const char *hidden, const rc_loss_t *loss, double l2, rc_rng_t *r)
{
    const double h = 1e-6;
    rc_net_shape_t shape;
    sample_t s;
    double value;
    assert_int_equal(rc_net_shape(hidden, INPUTS, OUTPUTS, &shape, NULL), RC_OK);
    size_t params = rc_net_params(&shape);
    double *param = calloc(params, sizeof *param);
    double *grad = calloc(params, sizeof *grad);
    assert_true(param && grad);
    make_sample(loss, r, &s);
    for (size_t i = 0; i < params; i++)
        param[i] = uniform(r, -0.7, 0.7);
    assert_int_equal(rc_net_gradient(&shape, param, &s.data, loss, l2, &value, grad, NULL), RC_OK);
    for (size_t i = 0; i < params; i++) {
        double at = param[i];
        param[i] = at + h;
        double above = value_at(&shape, param, &s, loss, l2);
        param[i] = at - h;
        double below = value_at(&shape, param, &s, loss, l2);
        param[i] = at;
        if (fabs((above - below) / (2 * h) - grad[i]) > 2e-5 * fmax(1, fabs(grad[i])))
            fail_msg(
                "%s, hidden '%s', l2 %g, parameter %zu of %zu: derivative %g, by differences %g",
                loss->name, hidden, l2, i, params, grad[i], (above - below) / (2 * h));
    }
    free(param);
    free(grad);
}

static void gradients_are_those_of_finite_differences(void **state)
{
    (void)state;
    static const char *const hidden[] = {"", "6", "7,3", "4,5,6"};
    rc_rng_t r;
    rc_rng_seed(&r, SEED);
    for (int l = 0; l < LOSSES; l++)
        for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
            check_gradient(hidden[i], &losses[l], 0, &r);
            check_gradient(hidden[i], &losses[l], 0.3, &r);
        }
}

static void shapes_are_read_or_refused(void **state)
{
    (void)state;
    rc_net_shape_t s;
    rc_err_t err = {0};
    assert_int_equal(rc_net_shape("64,32", 24, 4, &s, &err), RC_OK);
    assert_int_equal(s.layers, 3);
    assert_int_equal(s.size[1], 64);
    assert_int_equal(s.size[3], 4);
    assert_int_equal(rc_net_params(&s), 25 * 64 + 65 * 32 + 33 * 4);
    static const char *const bad[] = {"0", "x", "64,", "-3", "5000", "1,1,1,1,1,1,1,1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (rc_err_t){0};
        assert_int_equal(rc_net_shape(bad[i], 24, 4, &s, &err), RC_EINVAL);
        assert_true(err.text[0]);
    }
}

/* ----------------------------------------------------------------- training */

static const rc_fit_options_t one = {.threads = 1};
static const rc_fit_options_t two = {.threads = 2};

/* What a job reports is what its network, taken over into a model, loses on the validation part. */
static void the_best_epoch_is_kept(void **state)
{
    (void)state;
    rc_net_shape_t shape;
    sample_t s;
    int validation[ROWS];
    rc_rng_t r;
    rc_net_result_t result[3];
    rc_net_job_t job[3];
    const rc_net_rule_t rule = {
        .l2 = 1e-3, .epochs = 120, .patience = 30, .batch = 4, .rate = 0.02};
    double scratch[256];
    rc_rng_seed(&r, SEED);
    make_sample(&losses[0], &r, &s);
    assert_int_equal(rc_net_shape("8,6", INPUTS, OUTPUTS, &shape, NULL), RC_OK);
    for (int i = 0; i < ROWS; i++)
        validation[i] = i % 3 == 0;
    for (int i = 0; i < 3; i++)
        job[i] = (rc_net_job_t){.seed = (uint64_t)i,
            .validation = validation,
            .loss = &losses[0],
            .warm = &losses[1],
            .rule = &rule};
    assert_int_equal(rc_net_train(&shape, &s.data, job, 3, &two, "test", result, NULL), RC_OK);
    for (int i = 0; i < 3; i++) {
        rc_network_t *n = rc_network_new(1, shape.layers, shape.size, NULL);
        double sum[2] = {0, 0};
        double total[2] = {0, 0};
        assert_non_null(n);
        assert_true(rc_predictor_network.scratch(n) <= 256);
        rc_net_export(&shape, result[i].param, 0, 1, &n->net[0]);
        for (int row = 0; row < ROWS; row++) {
            double out[OUTPUTS];
            int part = validation[row];
            rc_predictor_network.score(n, s.x + row * INPUTS, scratch, out);
            sum[part] += s.weight[row] *
                         losses[0].row(&losses[0], OUTPUTS, out, s.target + row * OUTPUTS, NULL);
            total[part] += s.weight[row];
        }
        assert_near(sum[1] / total[1], result[i].validation, 1e-9);
        assert_near(sum[0] / total[0], result[i].train, 1e-9);
        assert_in_range(result[i].best_epoch, 1, result[i].epochs - 1);
        /* the targets are random, so the last epoch is not the best;
         * it stops by itself, and only when nothing better came for long */
        assert_true(result[i].epochs == 120 || result[i].epochs - result[i].best_epoch == 30 ||
                    result[i].epochs == 12 + 30 + 1);
        rc_network_free(n);
        free(result[i].param);
    }
}

static void training_needs_both_parts(void **state)
{
    (void)state;
    rc_net_shape_t shape;
    sample_t s;
    int validation[ROWS] = {0};
    rc_rng_t r;
    rc_net_result_t result;
    rc_err_t err = {0};
    const rc_net_rule_t rule = {.epochs = 3, .patience = 3, .batch = 4, .rate = 0.01};
    rc_net_job_t job = {.validation = validation, .loss = &losses[1], .rule = &rule};
    rc_rng_seed(&r, SEED);
    make_sample(&losses[1], &r, &s);
    assert_int_equal(rc_net_shape("3", INPUTS, OUTPUTS, &shape, NULL), RC_OK);
    assert_int_equal(rc_net_train(&shape, &s.data, &job, 1, &one, "", &result, &err), RC_EINVAL);
    validation[0] = 1; /* has no weight */
    assert_int_equal(rc_net_train(&shape, &s.data, &job, 1, &one, "", &result, &err), RC_EINVAL);
    validation[1] = 1;
    assert_int_equal(rc_net_train(&shape, &s.data, &job, 1, &one, "", &result, &err), RC_OK);
    free(result.param);
    s.target[2 * OUTPUTS] = NAN;
    assert_int_equal(rc_net_train(&shape, &s.data, &job, 1, &one, "", &result, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "not a number"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_have_the_gradients_that_they_say),
        cmocka_unit_test(mape_is_the_error_of_the_times),
        cmocka_unit_test(regret_is_that_of_the_soft_choice),
        cmocka_unit_test(gradients_are_those_of_finite_differences),
        cmocka_unit_test(shapes_are_read_or_refused),
        cmocka_unit_test(the_best_epoch_is_kept),
        cmocka_unit_test(training_needs_both_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
