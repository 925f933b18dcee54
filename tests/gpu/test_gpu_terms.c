/* Extreme terms of rows (rc_extremes), their softmax (rc_softmax) and custom calls of XLA (rc_xla_call) in the memory of a GPU,
 * against those of the host.  Needs a GPU: without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "device/cuda/executor.h"
#include "device/device.h"
#include "operands.h"
#include "plan_fixture.h"
#include "rowcast_cuda.h"
#include "xla_call.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 100, COLUMNS_MOST = 300, ARRAYS = 6 };

static double b_host[2 * MOST * COLUMNS_MOST], c_host[2 * MOST * COLUMNS_MOST], c_there[2 * MOST * COLUMNS_MOST];
static int64_t entry_host[MOST * COLUMNS_MOST], entry_there[MOST * COLUMNS_MOST];

/* A GPU, its default stream, and arrays there that end() frees. */
typedef struct gpu {
    rc_device_t *device;
    rc_executor_t x;
    void *array[ARRAYS];
    int arrays;
} gpu_t;

static int begin(gpu_t *g)
{
    rc_err_t err = {0};
    *g = (gpu_t){.device = open_gpu()};
    if (!g->device)
        return 0;
    ok(rc_executor_cuda(0, NULL, NULL, 0, &g->x, &err), &err, "an executor");
    return 1;
}

static void release(gpu_t *g)
{
    while (g->arrays > 0)
        g->x.release(&g->x, g->array[--g->arrays]);
}

static void end(gpu_t *g)
{
    release(g);
    rc_executor_cuda_close(&g->x);
    rc_device_close(g->device);
}

static void *put(gpu_t *g, const void *from, size_t bytes)
{
    rc_err_t err = {0};
    void **to = &g->array[g->arrays++];
    ok(g->x.alloc(&g->x, bytes + 1, to, &err), &err, "an array");
    if (bytes > 0)
        ok(g->x.upload(&g->x, *to, from, bytes, &err), &err, "an array");
    return *to;
}

static void get(gpu_t *g, void *to, const void *from, size_t bytes)
{
    rc_err_t err = {0};
    if (bytes > 0)
        ok(g->x.download(&g->x, to, from, bytes, &err), &err, "an array");
}

static rc_plan_matrix_t put_matrix(gpu_t *g, const rc_plan_matrix_t *m)
{
    rc_plan_matrix_t there = *m;
    there.on_device = 1;
    there.row_ptr = put(g, m->row_ptr, (size_t)(m->rows + 1) * (size_t)m->row_ptr_bytes);
    there.col_idx = put(g, m->col_idx, (size_t)m->nnz * sizeof(int32_t));
    there.val = put(g, m->val, (size_t)m->nnz * rc_precision_bytes(m->precision));
    return there;
}

/* All types, both kinds, and columns beyond a block; some terms are equal, some no numbers. */
static void extremes_are_those_of_the_host(void **state)
{
    (void)state;
    static input_t in;
    static const rc_precision_t types[] = {RC_FP32, RC_FP64, RC_BF16, RC_FP16};
    rc_rng_t rng;
    rc_err_t err = {0};
    gpu_t g;
    if (!begin(&g))
        skip();
    rc_rng_seed(&rng, 51);
    for (int n = 0; n < ROUNDS; n++) {
        make(&rng, (int)below(&rng, 2), &in);
        const rc_precision_t type = types[n % 4];
        const size_t bytes = rc_precision_bytes(type);
        const rc_plan_matrix_t m = matrix_of(&in, below(&rng, 2) ? 4 : 8, type);
        const int64_t k = 1 + below(&rng, n % 5 ? 40 : COLUMNS_MOST);
        for (int64_t i = 0; i < in.cols * k; i++)
            rc_type(type)->store(b_host, i, below(&rng, 40) ? (double)below(&rng, 9) / 2 - 2 : below(&rng, 2) ? NAN : INFINITY);
        rc_extremes_t x = {.kind = (rc_extreme_t)below(&rng, 2), .k = k, .b = b_host, .ldb = k, .out = c_host, .entry = entry_host};
        ok(rc_extremes_host(&m, &x, 2, &err), &err, "on the host");
        const rc_plan_matrix_t there = put_matrix(&g, &m);
        const size_t values = (size_t)(in.rows * k);
        x.b = put(&g, b_host, (size_t)(in.cols * k) * bytes);
        void *out = x.out = put(&g, c_host, values * bytes);
        int64_t *entry = x.entry = put(&g, entry_there, values * sizeof *entry);
        ok(rc_extremes(&there, &x, NULL, &err), &err, "there");
        get(&g, entry_there, entry, values * sizeof *entry);
        get(&g, c_there, out, values * bytes);
        assert_memory_equal(entry_there, entry_host, values * sizeof *entry);
        for (size_t i = 0; i < values; i++) {
            double found = rc_type(type)->load(c_there, (int64_t)i), expected = rc_type(type)->load(c_host, (int64_t)i);
            assert_true(found == expected || (isnan(found) && isnan(expected)));
        }
        release(&g);
    }
    assert_int_equal(rc_extremes(NULL, NULL, NULL, &err), RC_EINVAL);
    end(&g);
}

/* What a softmax or its gradient is there, as near as the type and sums of so many terms allow: a term of a row has the
 * size of the largest share in it, a sum over a row that of all its shares, which is 1. */
static void same(rc_precision_t type, const void *there, const void *host, const double *size, int64_t n)
{
    enum { STORED = 32, SUMMED = 6000 }; /* roundings */
    const double off = STORED * rc_type(type)->unit + SUMMED * rc_type(rc_type(type)->sum)->unit;
    for (int64_t i = 0; i < n; i++) {
        double found = rc_type(type)->load(there, i), expected = rc_type(type)->load(host, i);
        if (!(fabs(found - expected) <= off * (size ? size[i] : 1)))
            fail_msg("%s, number %d: expected %g, found %g, of %g", rc_precision_name(type), (int)i, expected, found,
                size ? size[i] : 1);
    }
}

/* Of each entry the largest share in its row.  \param[in] share  of all entries */
static void largest_of_rows(const rc_plan_matrix_t *m, const void *share, double *size)
{
    const int64_t *ptr = m->row_ptr;
    for (int64_t r = 0; r < m->rows; r++) {
        double largest = 0;
        for (int64_t e = ptr[r]; e < ptr[r + 1]; e++)
            largest = fmax(largest, rc_type(m->precision)->load(share, e));
        for (int64_t e = ptr[r]; e < ptr[r + 1]; e++)
            size[e] = largest;
    }
}

/* Rows that a group of lanes takes, and ones that a block does: columns are there several times. */
static void softmax_is_that_of_the_host(void **state)
{
    (void)state;
    enum { ROWS = 40, COLS = 50, ENTRIES = 6000 };
    static const rc_precision_t types[] = {RC_FP32, RC_FP64, RC_BF16, RC_FP16};
    static int64_t ptr[ROWS + 1];
    static int32_t col[ENTRIES];
    static double size[ENTRIES];
    rc_rng_t rng;
    rc_err_t err = {0};
    gpu_t g;
    if (!begin(&g))
        skip();
    rc_rng_seed(&rng, 53);
    for (int n = 0; n < ROUNDS; n++) {
        const rc_precision_t type = types[n % 4];
        const size_t bytes = rc_precision_bytes(type);
        for (int r = 0; r < ROWS; r++)
            ptr[r + 1] = r + 1 == ROWS ? ENTRIES : ptr[r] + below(&rng, n % 3 ? 30 : 200);
        for (int e = 0; e < ENTRIES; e++)
            col[e] = (int32_t)below(&rng, COLS);
        for (int i = 0; i < 2 * ENTRIES; i++)
            rc_type(type)->store(b_host, i, (double)below(&rng, 2001) / 1000 - 1);
        rc_plan_matrix_t m = {.rows = ROWS, .cols = COLS, .nnz = ENTRIES, .row_ptr = ptr, .row_ptr_bytes = 8, .col_idx = col,
            .col_idx_bytes = 4, .val = b_host, .precision = type};
        double *of_entry = c_host, *of_row = c_host + ENTRIES;
        rc_softmax_t x = {.row = b_host, .col = below(&rng, 2) ? b_host : NULL, .slope = 0.2, .out = entry_host};
        ok(rc_softmax_host(&m, &x, 2, &err), &err, "on the host");
        const rc_plan_matrix_t there = put_matrix(&g, &m);
        const void *b = put(&g, b_host, 2 * ENTRIES * bytes);
        rc_softmax_t y = {.row = b, .col = x.col ? b : NULL, .slope = 0.2, .out = put(&g, c_there, ENTRIES * bytes)};
        ok(rc_softmax(&there, &y, NULL, &err), &err, "there");
        get(&g, entry_there, y.out, ENTRIES * bytes);
        largest_of_rows(&m, entry_host, size);
        same(type, entry_there, entry_host, size, ENTRIES);
        x.gradient = b_host;
        x.of_entry = of_entry;
        x.of_row = of_row;
        ok(rc_softmax_host(&m, &x, 2, &err), &err, "on the host");
        y.gradient = b;
        y.of_entry = (void *)there.val; /* no part of what is asked */
        y.of_row = put(&g, c_there, ROWS * bytes);
        ok(rc_softmax(&there, &y, NULL, &err), &err, "there");
        get(&g, c_there, y.of_entry, ENTRIES * bytes);
        same(type, c_there, of_entry, size, ENTRIES);
        get(&g, c_there, y.of_row, ROWS * bytes);
        same(type, c_there, of_row, NULL, ROWS);
        release(&g);
    }
    assert_int_equal(rc_softmax(NULL, NULL, NULL, &err), RC_EINVAL);
    end(&g);
}

/* With the values of the plan, and with new ones before B; on two streams, of which the second gets a clone. */
static void calls_of_xla_multiply(void **state)
{
    (void)state;
    enum { K = 8 };
    static input_t in;
    rc_rng_t rng;
    rc_err_t err = {0};
    call_t call;
    gpu_t g;
    if (!begin(&g))
        skip();
    rc_rng_seed(&rng, 52);
    for (int n = 0; n < 20; n++) {
        const int64_t k = K;
        do
            make(&rng, 1, &in);
        while (in.nnz == 0);
        const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
        const rc_plan_matrix_t m = matrix_of(&in, 4, RC_FP64);
        rc_plan_t *plan = NULL;
        rc_xla_plan_t *of_xla = NULL;
        ok(rc_plan_create(&p, &m, NULL, NULL, &plan, &err), &err, "a plan");
        ok(rc_xla_plan_new(plan, &of_xla, &err), &err, "a plan for XLA");
        for (int64_t i = 0; i < in.cols * K; i++)
            b_host[i] = (double)below(&rng, 2001) / 1000 - 1;
        double *b = put(&g, b_host, (size_t)(in.cols * K) * 8), *c = put(&g, c_host, (size_t)(in.rows * K) * 8);
        for (int with = 0; with < 3; with++) {
            if (with)
                new_values(&rng, &in);
            call_begin(&call, of_xla, 1 + (with > 0));
            call.frame.context = with == 2 ? (void *)(uintptr_t)1 : NULL; /* cudaStreamLegacy, the same stream by another name */
            call_array(&call, 0, 12, with ? put(&g, in.val64, (size_t)in.nnz * 8) : NULL, 1, in.nnz, 0);
            call_array(&call, with > 0, 12, b, 2, in.cols, K);
            call_array(&call, ARGUMENTS, 12, c, 2, in.rows, K);
            call_runs(&call);
            get(&g, c_there, c, (size_t)(in.rows * K) * 8);
            for (int64_t r = 0; r < in.rows; r++)
                for (int64_t j = 0; j < K; j++) {
                    double sum = 0;
                    for (int32_t e = in.ptr32[r]; e < in.ptr32[r + 1]; e++)
                        sum += in.val64[e] * b_host[in.col[e] * K + j];
                    assert_true(fabs(sum - c_there[r * K + j]) < 1e-10);
                }
        }
        rc_xla_plan_free(of_xla);
        release(&g);
    }
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extremes_are_those_of_the_host), cmocka_unit_test(softmax_is_that_of_the_host),
        cmocka_unit_test(calls_of_xla_multiply)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
