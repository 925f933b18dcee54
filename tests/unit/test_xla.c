/* The handler of custom calls of XLA, in frames as XLA makes them, against the product in fp64.  What the frame is like
 * is held against XLA's own header where there is one (tests/python/jax.t). */
#include "config.h"
#include "unit.h"

#include "plan/xla_frame.h"
#include "plan_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENTS = 3 };

/* A call, and what it is made of. */
typedef struct call {
    rc_xla_frame_t frame;
    rc_xla_api_t api;
    rc_xla_buffer_t buffer[ARGUMENTS + 1];
    int64_t dims[ARGUMENTS + 1][2];
    int types[ARGUMENTS];
    void *given[ARGUMENTS];
    void *result[1];
    rc_xla_text_t name;
    rc_xla_text_t *names[1];
    int kinds[1];
    rc_xla_scalar_t scalar;
    void *attributes[1];
    uint64_t address;
} call_t;

/* What the last error said; XLA owns its errors. */
static char said[256];
static int code;

static struct XLA_FFI_Error *error_create(rc_xla_error_args_t *args)
{
    snprintf(said, sizeof said, "%s", args->message);
    code = args->code;
    return (struct XLA_FFI_Error *)(void *)said;
}

static struct XLA_FFI_Error *no_stream(rc_xla_stream_args_t *args)
{
    (void)args;
    fail_msg("a plan on the host has no stream");
    return NULL;
}

static void array(call_t *c, int i, int type, void *data, int rank, int64_t rows, int64_t cols)
{
    c->dims[i][0] = rows;
    c->dims[i][1] = cols;
    c->buffer[i] = (rc_xla_buffer_t){.size = sizeof *c->buffer, .type = type, .data = data, .rank = rank, .dims = c->dims[i]};
}

/* The last of the buffers is the result. */
static void begin(call_t *c, rc_xla_plan_t *plan, int arguments)
{
    *c = (call_t){.api = {.size = sizeof c->api, .version = {.major = 0, .minor = 5}, .error_create = error_create, .stream_get = no_stream},
        .name = {"plan", 4}, .scalar = {.type = RC_XLA_U64}, .kinds = {RC_XLA_SCALAR}};
    c->address = (uint64_t)(uintptr_t)plan;
    c->scalar.value = &c->address;
    c->names[0] = &c->name;
    c->attributes[0] = &c->scalar;
    for (int i = 0; i < ARGUMENTS; i++) {
        c->types[i] = RC_XLA_BUFFER;
        c->given[i] = &c->buffer[i];
    }
    c->result[0] = &c->buffer[ARGUMENTS];
    c->frame = (rc_xla_frame_t){.size = sizeof c->frame, .api = &c->api, .stage = RC_XLA_EXECUTE};
    c->frame.arguments = (rc_xla_buffers_t){.count = arguments, .types = c->types, .given = c->given};
    c->frame.results = (rc_xla_buffers_t){.count = 1, .types = c->types, .given = c->result};
    c->frame.attributes = (rc_xla_attributes_t){.count = 1, .types = c->kinds, .names = c->names, .given = c->attributes};
}

static void *made(call_t *c)
{
    said[0] = '\0';
    return rc_xla_call((struct XLA_FFI_CallFrame *)(void *)&c->frame);
}

static void runs(call_t *c)
{
    if (made(c))
        fail_msg("%s", said);
}

static void refused(call_t *c, int expected, const char *text)
{
    assert_non_null(made(c));
    if (code != expected || !strstr(said, text) || strchr(said, '\n'))
        fail_msg("expected %d with '%s', found %d: %s", expected, text, code, said);
}

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
            begin(&call, plan, 1 + (with > 0));
            array(&call, 0, 12, val, 1, in.nnz, 0);
            array(&call, with > 0, 12, b, vector ? 1 : 2, in.cols, k);
            array(&call, ARGUMENTS, 12, c, vector ? 1 : 2, in.rows, k);
            runs(&call);
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
        begin(&call, plan, 2);
        array(&call, 0, 12, y, 2, in.rows, k);
        array(&call, 1, 12, b, 2, in.cols, k);
        array(&call, ARGUMENTS, 12, c, 1, in.nnz, 0);
        runs(&call);
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
    begin(&call, NULL, 0);
    call.frame.api = NULL;
    call.frame.extension = &other;
    runs(&call);
    assert_true(m.version.major == 0 && m.version.minor == 1 && m.traits == 0);
    call.frame.extension = NULL;
    for (int stage = 0; stage < RC_XLA_EXECUTE; stage++) {
        call.frame.stage = stage;
        runs(&call);
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
        begin(&call, plan, wrong[i].arguments);
        array(&call, 0, 12, val, 1, in.nnz + 1, 0);
        array(&call, wrong[i].arguments - 1, wrong[i].type, b, wrong[i].rank, in.cols + wrong[i].more, wrong[i].k);
        array(&call, ARGUMENTS, 12, c, 2, in.rows, 4);
        refused(&call, wrong[i].expected, wrong[i].text);
    }
    begin(&call, plan, 1);
    array(&call, 0, 12, b, 2, in.cols, 5);
    array(&call, ARGUMENTS, 12, c, 2, in.rows, 5);
    refused(&call, RC_XLA_INVALID, "K");
    array(&call, 0, 12, b, 2, in.cols, 4);
    array(&call, ARGUMENTS, 12, c, 2, in.rows, 4);
    runs(&call);
    assert_true(is_product(&in, in.val64, 4, b, c));
    call.name.bytes = 3;
    refused(&call, RC_XLA_INVALID, "plan: expected the address");
    call.name.bytes = 4;
    rc_xla_plan_close(plan);
    refused(&call, RC_XLA_INVALID, "plan: it was freed");
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
            begin(&call, plan, 2);
            array(&call, 0, 12, values[t], 1, in.nnz, 0);
            array(&call, 1, 12, b, 2, in.cols, K);
            array(&call, ARGUMENTS, 12, out[t], 2, in.rows, K);
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
