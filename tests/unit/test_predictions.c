/* A model is asked for every row of a data set. */
#include "config.h"
#include "unit.h"

#include "evaluation_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Output c is input c with its sign turned for odd c; scratch is used, so its size counts. */
static size_t turn_scratch(const void *s)
{
    (void)s;
    return 4;
}

static void turn(const void *s, const double *x, double *scratch, double *out)
{
    (void)s;
    for (int c = 0; c < 4; c++)
        scratch[c] = c % 2 ? -x[c] : x[c];
    memcpy(out, scratch, 4 * sizeof *out);
}

static void nothing(void *s)
{
    (void)s;
}

static const rc_predictor_kind_t turner = {.name = "turner",
    .summary = "",
    .version = 1,
    .scratch = turn_scratch,
    .score = turn,
    .free = nothing};

static rc_model_t *make_model(const rc_dataset_t *d)
{
    rc_model_t *m = rc_model_new(NULL);
    assert_non_null(m);
    m->inputs = d->inputs;
    m->classes = d->classes;
    m->input = malloc((size_t)d->inputs * sizeof *m->input);
    m->cls = malloc((size_t)d->classes * sizeof *m->cls);
    assert_true(m->input && m->cls);
    memcpy(m->input, d->input, (size_t)d->inputs * sizeof *m->input);
    memcpy(m->cls, d->cls, (size_t)d->classes * sizeof *m->cls);
    m->output = RC_OUTPUT_LOG_NS;
    m->predictor.kind = &turner;
    return m;
}

static void a_model_is_asked_row_by_row(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_model_t *m = make_model(d);
    rc_err_t err = {0};
    rc_predictions_t p;
    static const int64_t row[] = {17, 3, 99, 3};
    assert_int_equal(rc_predict_rows(m, d, row, 4, &p, &err), RC_OK);
    assert_int_equal(p.count, 4);
    for (int i = 0; i < 4; i++) {
        int best = 0;
        assert_int_equal(p.row[i], row[i]);
        for (int c = 0; c < 4; c++) {
            double x = log(d->value[row[i] * 4 + c]);
            double time = exp(c % 2 ? -x : x);
            assert_true(fabs(p.time[i * 4 + c] / time - 1) < 1e-12);
            best = p.time[i * 4 + c] < p.time[i * 4 + best] ? c : best;
        }
        assert_int_equal(p.choice[i], best);
    }
    rc_predictions_free(&p);
    m->output = RC_OUTPUT_SCORE;
    assert_int_equal(rc_predict_rows(m, d, row, 4, &p, &err), RC_OK);
    assert_null(p.time);
    rc_predictions_free(&p);
    rc_model_free(m);
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_asked_row_by_row),
    };
    return cmocka_run_group_tests_name("predictions", tests, NULL, NULL);
}
