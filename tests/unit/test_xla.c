/* The handler of custom calls of XLA, in frames as XLA makes them, against the product in fp64.  What the frame is like
 * is held against XLA's own header where there is one (tests/python/jax.t). */
#include "config.h"
#include "unit.h"

#include "plan_fixture.h"
#include "xla_call.h"

#include <math.h>

static rc_xla_plan_t *plan_of(rc_op_t op, const input_t *in, int64_t k, rc_layout_t layout)
{
    const rc_plan_problem_t p = {.op = op, .precision = RC_FP64, .layout = layout, .k = &k, .ks = op != RC_OP_SPMV};
    rc_plan_matrix_t m = matrix_of(in, 4, RC_FP64);
    rc_plan_t *plan = NULL;
    rc_xla_plan_t *out = NULL;
    rc_err_t err = {0};
    if (rc_plan_create_host(&p, &m, &(rc_plan_options_t){.threads = 2}, &plan, &err) != RC_OK)
        fail_msg("%s", err.text);
    rc_status_t st = rc_xla_plan_new(plan, &out, &err);
    if (st != RC_OK)
        rc_plan_free(plan);
    assert_int_equal(st, layout == RC_ROW_MAJOR ? RC_OK : RC_EINVAL);
    return out;
}

/* c = A b by its definition; 1: within the rounding of the sums. */
static int is_product(const input_t *in, const double *val, int64_t k, const double *b, const double *c)
{
    for (int64_t r = 0; r < in->rows; r++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0, mag = 0;
            for (int32_t i = in->ptr32[r]; i < in->ptr32[r + 1]; i++) {
                double term = val[i] * b[in->col[i] * k + j];
                sum += term;
                mag += term < 0 ? -term : term;
            }
            double off = sum - c[r * k + j];
            if ((off < 0 ? -off : off) > 1e-12 * mag)
                return 0;
        }
    return 1;
}

static double b[MOST * WIDEST], y[MOST * WIDEST], c[MOST * MOST], val[MOST * MOST];

static void some(rc_rng_t *rng, double *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = (double)below(rng, 2001) / 1000 - 1;
}

/* With the values of the plan, and with others, before them; of a matrix of columns and of a vector. */
static void products(void **state)
{
    (void)state;
    static input_t in;
    call_t call;
    rc_rng_t rng;
    rc_rng_seed(&rng, 31);
    for (int n = 0; n < 40; n++) {
        make(&rng, 1, &in);
        int vector = n % 3 == 0;
        int64_t k = vector ? 1 : 1 + below(&rng, WIDEST);
        rc_xla_plan_t *plan = plan_of(vector ? RC_OP_SPMV : RC_OP_SPMM, &in, k, RC_ROW_MAJOR);
        some(&rng, b, in.cols * k);
        some(&rng, val, in.nnz);
        for (int with = 0; with < 3; with++) {
            call_begin(&call, plan, 1 + (with > 0));
            call_array(&call, 0, 12, val, 1, in.nnz, 0);
            call_array(&call, with > 0, 12, b, vector ? 1 : 2, in.cols, k);
            call_array(&call, ARGUMENTS, 12, c, vector ? 1 : 2, in.rows, k);
            call_runs(&call);
            assert_true(is_product(&in, with ? val : in.val64, k, b, c));
            some(&rng, val, with ? in.nnz : 0);
        }
        rc_xla_plan_free(plan);
    }
}

static void sampled_products(void **state)
{
    (void)state;
    static input_t in;
    call_t call;
    rc_rng_t rng;
    rc_rng_seed(&rng, 32);
    for (int n = 0; n < 20; n++) {
        make(&rng, 1, &in);
        int64_t k = 1 + below(&rng, WIDEST);
        rc_xla_plan_t *plan = plan_of(RC_OP_SDDMM, &in, k, RC_ROW_MAJOR);
        some(&rng, y, in.rows * k);
        some(&rng, b, in.cols * k);
        call_begin(&call, plan, 2);
        call_array(&call, 0, 12, y, 2, in.rows, k);
        call_array(&call, 1, 12, b, 2, in.cols, k);
        call_array(&call, ARGUMENTS, 12, c, 1, in.nnz, 0);
        call_runs(&call);
        for (int64_t r = 0; r < in.rows; r++)
            for (int32_t i = in.ptr32[r]; i < in.ptr32[r + 1]; i++) {
                double sum = 0;
                for (int64_t j = 0; j < k; j++)
                    sum += y[r * k + j] * b[in.col[i] * k + j];
                assert_true(fabs(c[i] - in.val64[i] * sum) < 1e-10);
            }
        rc_xla_plan_free(plan);
    }
}

/* Version 0.1, which every runtime of major 0 takes, without an API at hand; other stages do nothing. */
static void metadata(void **state)
{
    (void)state;
    rc_xla_metadata_t m = {.size = sizeof m, .traits = 7, .version = {.major = -1, .minor = -1}};
    rc_xla_metadata_extension_t e = {.base = {.size = sizeof e, .type = RC_XLA_METADATA}, .metadata = &m};
    rc_xla_extension_t other = {.size = sizeof other, .type = 2, .next = &e.base};
    call_t call;
    call_begin(&call, NULL, 0);
    call.frame.api = NULL;
    call.frame.extension = &other;
    call_runs(&call);
    assert_true(m.version.major == 0 && m.version.minor == 1 && m.traits == 0);
    call.frame.extension = NULL;
    for (int stage = 0; stage < RC_XLA_EXECUTE; stage++) {
        call.frame.stage = stage;
        call_runs(&call);
    }
}

/* Each by a line that names it, and the next call works. */
static void what_does_not_fit(void **state)
{
    (void)state;
    static input_t in;
    call_t call;
    rc_rng_t rng;
    rc_rng_seed(&rng, 33);
    do
        make(&rng, 1, &in);
    while (in.nnz == 0 || in.cols == in.rows);
    assert_null(plan_of(RC_OP_SPMM, &in, 4, RC_COL_MAJOR));
    rc_xla_plan_t *plan = plan_of(RC_OP_SPMM, &in, 4, RC_ROW_MAJOR);
    some(&rng, b, in.cols * 4);
    static const struct {
        int arguments, type, rank;
        int64_t more, k;
        int expected;
        const char *text;
    } wrong[] = {{1, 11, 2, 0, 4, RC_XLA_INVALID, "B: expected an array of fp64"}, {1, 12, 1, 0, 4, RC_XLA_INVALID, "B: expected"},
        {1, 12, 2, 1, 4, RC_XLA_INVALID, "B: expected"}, {1, 12, 2, 0, 3, RC_XLA_INVALID, "C: expected"},
        {3, 12, 2, 0, 4, RC_XLA_INVALID, "call: expected 1 operands"}, {2, 12, 2, 0, 4, RC_XLA_INVALID, "values: expected"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        call_begin(&call, plan, wrong[i].arguments);
        call_array(&call, 0, 12, val, 1, in.nnz + 1, 0);
        call_array(&call, wrong[i].arguments - 1, wrong[i].type, b, wrong[i].rank, in.cols + wrong[i].more, wrong[i].k);
        call_array(&call, ARGUMENTS, 12, c, 2, in.rows, 4);
        call_refused(&call, wrong[i].expected, wrong[i].text);
    }
    call_begin(&call, plan, 1);
    call_array(&call, 0, 12, b, 2, in.cols, 5);
    call_array(&call, ARGUMENTS, 12, c, 2, in.rows, 5);
    call_refused(&call, RC_XLA_INVALID, "K");
    call_array(&call, 0, 12, b, 2, in.cols, 4);
    call_array(&call, ARGUMENTS, 12, c, 2, in.rows, 4);
    call_runs(&call);
    assert_true(is_product(&in, in.val64, 4, b, c));
    call.name.bytes = 3;
    call_refused(&call, RC_XLA_INVALID, "plan: expected the address");
    call.name.bytes = 4;
    rc_xla_plan_close(plan);
    call_refused(&call, RC_XLA_INVALID, "plan: it was freed");
    rc_xla_plan_free(plan);
    rc_xla_plan_free(NULL);
    rc_err_t err = {0};
    assert_int_equal(rc_xla_plan_new(NULL, &plan, &err), RC_EINVAL);
}

/* Several threads call one plan, each with values of its own. */
static void threads_take_turns(void **state)
{
    (void)state;
    enum { THREADS = 4, K = 3 };
    static input_t in;
    static double values[THREADS][MOST * MOST], out[THREADS][MOST * K];
    rc_rng_t rng;
    rc_rng_seed(&rng, 34);
    do
        make(&rng, 1, &in);
    while (in.nnz == 0);
    rc_xla_plan_t *plan = plan_of(RC_OP_SPMM, &in, K, RC_ROW_MAJOR);
    some(&rng, b, in.cols * K);
    for (int t = 0; t < THREADS; t++)
        some(&rng, values[t], in.nnz);
    int right = 0, failed = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : right, failed)
    for (int t = 0; t < THREADS; t++)
        for (int n = 0; n < 20; n++) {
            call_t call;
            call_begin(&call, plan, 2);
            call_array(&call, 0, 12, values[t], 1, in.nnz, 0);
            call_array(&call, 1, 12, b, 2, in.cols, K);
            call_array(&call, ARGUMENTS, 12, out[t], 2, in.rows, K);
            failed += rc_xla_call((struct XLA_FFI_CallFrame *)(void *)&call.frame) != NULL;
            right += is_product(&in, values[t], K, b, out[t]);
        }
    assert_int_equal(failed, 0);
    assert_int_equal(right, THREADS * 20);
    rc_xla_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(sampled_products), cmocka_unit_test(metadata),
        cmocka_unit_test(what_does_not_fit), cmocka_unit_test(threads_take_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
