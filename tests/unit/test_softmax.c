/* The softmax of rows and its gradient (rc_softmax_host), by their definition. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "plan_fixture.h"
#include "rows_wrong.h"

#include <math.h>

/* Arrays in a type, each as long as the entries of a matrix can be. */
enum { OF_ROW, OF_COL, OF_ENTRY, OUT, GRADIENT, GRADIENT_OF_ENTRY, GRADIENT_OF_ROW, ARRAYS };

static double array[ARRAYS][2 * MOST * MOST];

/* A value, or 0 where there is no array. */
static double at(rc_precision_t type, const void *values, int64_t i)
{
    return values ? rc_type(type)->load(values, i) : 0;
}

static double raw(const input_t *in, const rc_softmax_t *x, rc_precision_t type, int64_t r, int64_t e)
{
    double score = at(type, x->row, r) + at(type, x->col, in->col[e]) + at(type, x->entry, e);
    return type == RC_FP64 ? score : (double)(float)score;
}

static double score(const input_t *in, const rc_softmax_t *x, rc_precision_t type, int64_t r, int64_t e)
{
    double s = raw(in, x, type, r, e);
    return s > 0 ? s : s * x->slope;
}

static void near(rc_precision_t type, double found, double expected, double size)
{
    double most = 32 * rc_type(type)->unit * size + 1e-30;
    if (rc_type(type)->bytes == 2)
        most += rc_type(type)->least;
    if (fabs(found - expected) > most)
        fail_msg("%s: expected %.17g to %.3g, found %.17g", rc_type(type)->name, expected, most, found);
}

static void check_values(const input_t *in, const rc_softmax_t *x, rc_precision_t type, int64_t r)
{
    double most = -INFINITY, sum = 0;
    for (int64_t e = in->ptr32[r]; e < in->ptr32[r + 1]; e++)
        most = fmax(most, score(in, x, type, r, e));
    for (int64_t e = in->ptr32[r]; e < in->ptr32[r + 1]; e++)
        sum += exp(score(in, x, type, r, e) - most);
    for (int64_t e = in->ptr32[r]; e < in->ptr32[r + 1]; e++)
        near(type, at(type, x->out, e), exp(score(in, x, type, r, e) - most) / sum, 1);
}

/* By the softmax that is given. */
static void check_gradient(const input_t *in, const rc_softmax_t *x, rc_precision_t type, int64_t r)
{
    double mean = 0, sum = 0, size = 0;
    for (int64_t e = in->ptr32[r]; e < in->ptr32[r + 1]; e++)
        mean += at(type, x->out, e) * at(type, x->gradient, e);
    for (int64_t e = in->ptr32[r]; e < in->ptr32[r + 1]; e++) {
        double slope = raw(in, x, type, r, e) > 0 ? 1 : x->slope;
        double of = at(type, x->out, e) * (at(type, x->gradient, e) - mean) * slope;
        near(type, at(type, x->of_entry, e), of, 4);
        sum += of;
        size += 4;
    }
    if (x->of_row)
        near(type, at(type, x->of_row, r), sum, size);
}

/* All types and widths of indices; with and without each part of the scores; large ones, too. */
static void softmax(void **state)
{
    (void)state;
    static input_t in;
    static const rc_precision_t types[] = {RC_FP32, RC_FP64, RC_BF16, RC_FP16};
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 61);
    for (int n = 0; n < 160; n++) {
        make(&rng, (int)below(&rng, 2), &in);
        rc_precision_t type = types[n % 4];
        rc_plan_matrix_t m = matrix_of(&in, below(&rng, 2) ? 4 : 8, type);
        m.val = NULL;
        double scale = below(&rng, 4) ? 250 : 1; /* 4 or 1,000: powers of the latter are beyond all types */
        for (int a = 0; a < ARRAYS; a++)
            for (int64_t i = 0; i < MOST * MOST; i++)
                rc_type(type)->store(array[a], i, ((double)below(&rng, 2001) - 1000) / scale);
        rc_softmax_t x = {.row = below(&rng, 4) ? array[OF_ROW] : NULL, .col = below(&rng, 4) ? array[OF_COL] : NULL,
            .entry = below(&rng, 2) ? array[OF_ENTRY] : NULL, .slope = below(&rng, 3) ? 0.2 : 1, .out = array[OUT]};
        if (rc_softmax_host(&m, &x, 1 + (int)below(&rng, 3), &err) != RC_OK)
            fail_msg("%s", err.text);
        for (int64_t r = 0; r < in.rows; r++)
            check_values(&in, &x, type, r);
        for (int64_t i = 0; i < in.nnz; i++)
            rc_type(type)->store(array[GRADIENT], i, ((double)below(&rng, 2001) - 1000) / 1000);
        x.gradient = array[GRADIENT];
        x.of_entry = array[GRADIENT_OF_ENTRY];
        x.of_row = below(&rng, 2) ? array[GRADIENT_OF_ROW] : NULL;
        if (rc_softmax_host(&m, &x, 1 + (int)below(&rng, 3), &err) != RC_OK)
            fail_msg("%s", err.text);
        for (int64_t r = 0; r < in.rows; r++)
            check_gradient(&in, &x, type, r);
    }
}

/* Bits are the same whatever the team, with enough entries for one. */
static void teams(void **state)
{
    (void)state;
    static input_t in;
    rc_rng_t rng;
    rc_rng_seed(&rng, 62);
    do
        make(&rng, 1, &in);
    while (in.nnz < 1 << 13);
    rc_plan_matrix_t m = matrix_of(&in, 4, RC_FP64);
    rc_softmax_t x = {.entry = in.val64, .slope = 0.2, .out = array[OUT]};
    assert_int_equal(rc_softmax_host(&m, &x, 1, NULL), RC_OK);
    x.out = array[GRADIENT];
    assert_int_equal(rc_softmax_host(&m, &x, 3, NULL), RC_OK);
    assert_memory_equal(array[OUT], array[GRADIENT], (size_t)in.nnz * sizeof(double));
}

static rc_status_t call(const rc_plan_matrix_t *m, const void *x, int threads, rc_err_t *err)
{
    return rc_softmax_host(m, x, threads, err);
}

static void what_does_not_fit(void **state)
{
    (void)state;
    static input_t in;
    rc_rng_t rng;
    rc_rng_seed(&rng, 63);
    do
        make(&rng, 1, &in);
    while (in.nnz == 0);
    const rc_plan_matrix_t m = matrix_of(&in, 4, RC_FP64);
    const rc_softmax_t x = {.slope = 1, .out = array[OUT], .gradient = array[GRADIENT], .of_entry = array[GRADIENT_OF_ENTRY]};
    rows_refused_alike(call, &m, &x, "scores");
    rc_softmax_t wrong = x;
    wrong.slope = NAN;
    rows_refused(call, &m, &wrong, RC_EINVAL, "slope");
    wrong = x;
    wrong.out = NULL;
    rows_refused(call, &m, &wrong, RC_EINVAL, "out: expected an array");
    wrong = x;
    wrong.of_entry = NULL;
    rows_refused(call, &m, &wrong, RC_EINVAL, "gradient of an entry: expected an array");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(softmax), cmocka_unit_test(teams), cmocka_unit_test(what_does_not_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
