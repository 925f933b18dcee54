/* The kernels of y = A x on a CPU, on the matrices that formats are tried on. */
#include "config.h"
#include "unit.h"

#include "failing_alloc.h"
#include "base/type.h"
#include "format_matrices.h"
#include "kernels/prepared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {"plain-spmv", "csr", "csr:lanes=1", "csr:lanes=2", "csr:lanes=8",
    "csr:lanes=16", "csr:lanes=32", "merge", "merge:items=1", "merge:items=2", "merge:items=5",
    "merge:items=64", "ell"};
enum { SPECS = sizeof specs / sizeof *specs, THIRD = 3 };

/* Rows in any order, and, if asked for, pads, and no empty rows. */
static rc_schedule_t schedule_of(const rc_csr_t *a, rc_rng_t *rng, int identity)
{
    rc_schedule_t s = {.rows = a->rows};
    s.row = calloc(2 * (size_t)a->rows + 8, sizeof *s.row);
    assert_non_null(s.row);
    int left_out = !identity && format_below(rng, 2);
    for (int64_t r = 0; r < a->rows; r++)
        if (!left_out || a->row_ptr[r] < a->row_ptr[r + 1])
            s.row[s.slots++] = (int32_t)r;
    for (int64_t pads = identity ? 0 : format_below(rng, 8); pads > 0; pads--)
        s.row[s.slots++] = -1;
    for (int64_t i = s.slots - 1; !identity && i > 0; i--) {
        int64_t j = format_below(rng, i + 1);
        int32_t t = s.row[i];
        s.row[i] = s.row[j];
        s.row[j] = t;
    }
    return s;
}

static double get(const void *y, rc_precision_t precision, int64_t i)
{
    return rc_type(precision)->load(y, i);
}

static void set(void *y, rc_precision_t precision, int64_t i, double v)
{
    rc_type(precision)->store(y, i, v);
}

/* alpha A x + beta y of small integers, which every order of additions gives exactly; x and y are
 * 1 + i mod 7 and 2 + i mod 5. */
static double expected(const rc_csr_t *a, int64_t r, double alpha, double beta)
{
    double sum = 0;
    for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++)
        sum += a->val[i] * (double)(1 + a->col_idx[i] % 7);
    return alpha * sum + (beta == 0 ? 0 : beta * (double)(2 + r % 5));
}

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* A kernel on a matrix under a schedule, with y. */
typedef struct product {
    const format_matrix_t *m;
    const rc_schedule_t *schedule;
    int identity;
    int threads;
    void *x;
    void *y;
} product_t;

static void compute(const product_t *t, const char *text)
{
    static const double factor[][2] = {{1, 0}, {2, 3}, {-1, 1}};
    const rc_csr_t *a = &t->m->a;
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    rc_executor_t d;
    void *state = NULL;
    assert_int_equal(rc_kernel_spec_parse(text, RC_DEVICE_CPU, &spec, NULL), RC_OK);
    rc_executor_cpu(t->threads, &d);
    rc_problem_t p = {.k = 1, .precision = t->m->e.precision, .a = a, .schedule = t->schedule,
        .identity = t->identity, .c_rows = a->rows};
    memcpy(p.param, spec.param, sizeof p.param);
    const rc_dense_t x = {.data = t->x, .rows = a->cols, .cols = 1, .ld = a->cols,
        .precision = p.precision};
    const rc_dense_t y = {.data = t->y, .rows = a->rows, .cols = 1, .ld = a->rows,
        .precision = p.precision};
    const rc_operands_t o = {.in = {x}, .out = y};
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, NULL), RC_OK);
    assert_int_equal(rc_kernel_prepare(spec.kernel, &d, &p, &analysis, &state, NULL), RC_OK);
    for (size_t f = 0; f < sizeof factor / sizeof *factor; f++) {
        for (int64_t r = 0; r < a->rows; r++)
            set(t->y, p.precision, r, factor[f][1] == 0 ? NAN : (double)(2 + r % 5));
        assert_int_equal(
            rc_kernel_run(spec.kernel, state, &o, factor[f][0], factor[f][1], NULL), RC_OK);
        for (int64_t r = 0; r < a->rows; r++) {
            double want = rc_precision_round(p.precision, expected(a, r, factor[f][0], factor[f][1]));
            if (!same(get(t->y, p.precision, r), want))
                fail_msg("%s: row %d of %d: expected %g, found %g", text, (int)r, (int)a->rows, want,
                    get(t->y, p.precision, r));
        }
    }
    rc_kernel_release(spec.kernel, state);
}

static void check_products(const format_matrix_t *m, rc_rng_t *rng)
{
    int identity = (int)format_below(rng, 2);
    rc_schedule_t s = schedule_of(&m->a, rng, identity);
    product_t t = {.m = m, .schedule = &s, .identity = identity, .threads = m->threads == 2 ? 1 : m->threads};
    t.x = calloc((size_t)m->a.cols + 1, 2 * sizeof(double));
    t.y = calloc((size_t)m->a.rows + 1, 2 * sizeof(double));
    assert_true(t.x && t.y);
    for (int64_t c = 0; c < m->a.cols; c++)
        set(t.x, m->e.precision, c, (double)(1 + c % 7));
    for (int64_t i = format_below(rng, THIRD); i < SPECS; i += THIRD) /* a third will do */
        compute(&t, specs[i]);
    free(t.x);
    free(t.y);
    free(s.row);
}

static void products(void **state)
{
    (void)state;
    for_every_matrix(check_products);
}

/* ---------------------------------------------------------- bits and bytes */

static void fill_random(rc_rng_t *rng, double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = 2 * rc_rng_unit(rng) - 1;
}

/* y on so many threads, in fp64. */
static void multiply(const rc_csr_t *a, const char *text, int threads, double *x, double *y)
{
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    rc_executor_t d;
    void *state = NULL;
    int32_t *row = calloc((size_t)a->rows + 1, sizeof *row);
    assert_non_null(row);
    for (int64_t r = 0; r < a->rows; r++)
        row[r] = (int32_t)r;
    const rc_schedule_t s = {.slots = a->rows, .rows = a->rows, .row = row};
    assert_int_equal(rc_kernel_spec_parse(text, RC_DEVICE_CPU, &spec, NULL), RC_OK);
    rc_executor_cpu(threads, &d);
    rc_problem_t p = {.k = 1, .precision = RC_FP64, .a = a, .schedule = &s, .identity = 1,
        .c_rows = a->rows};
    memcpy(p.param, spec.param, sizeof p.param);
    const rc_operands_t o = {
        .in = {{.data = x, .rows = a->cols, .cols = 1, .ld = a->cols, .precision = RC_FP64}},
        .out = {.data = y, .rows = a->rows, .cols = 1, .ld = a->rows, .precision = RC_FP64}};
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, NULL), RC_OK);
    assert_int_equal(rc_kernel_prepare(spec.kernel, &d, &p, &analysis, &state, NULL), RC_OK);
    assert_int_equal(rc_kernel_run(spec.kernel, state, &o, 1, 0, NULL), RC_OK);
    rc_kernel_release(spec.kernel, state);
    free(row);
}

/* Two runs give the same bits, whatever the threads. */
static void check_bits(const format_matrix_t *m, rc_rng_t *rng)
{
    const rc_csr_t *a = &m->a;
    if (format_below(rng, 6) != 0)
        return; /* some will do */
    size_t bytes = (size_t)a->rows * sizeof(double);
    double *x = calloc((size_t)a->cols + 1, sizeof *x);
    double *y = calloc((size_t)a->rows + 1, sizeof *y);
    double *first = calloc((size_t)a->rows + 1, sizeof *first);
    assert_true(x && y && first);
    fill_random(rng, a->val, a->nnz);
    fill_random(rng, x, a->cols);
    for (int i = 0; i < SPECS; i++) {
        multiply(a, specs[i], 1, x, first);
        multiply(a, specs[i], 3, x, y);
        assert_memory_equal(first, y, bytes);
    }
    free(x);
    free(y);
    free(first);
}

static void bits(void **state)
{
    (void)state;
    for_every_matrix(check_bits);
}

/* What the analysis says of ELLPACK is what its definition says; a limit is a reason. */
static void ellpack(void **state)
{
    (void)state;
    enum { rows = 40000, longest = 100 };
    int32_t *row = calloc(rows, sizeof *row);
    int64_t *ptr = calloc(rows + 1, sizeof *ptr);
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    rc_err_t err = {0};
    assert_true(row && ptr);
    for (int32_t r = 0; r < rows; r++) {
        row[r] = r;
        ptr[r + 1] = ptr[r] + (r == 7 ? longest : 1);
    }
    const rc_csr_t a = {.rows = rows, .cols = longest, .nnz = ptr[rows], .row_ptr = ptr};
    const rc_schedule_t s = {.slots = rows, .rows = rows, .row = row};
    rc_problem_t p = {.k = 1, .precision = RC_FP64, .a = &a, .schedule = &s, .identity = 1,
        .c_rows = rows};
    assert_int_equal(rc_kernel_spec_parse("ell", RC_DEVICE_CPU, &spec, NULL), RC_OK);
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, NULL), RC_OK);
    assert_true(analysis.bytes == (int64_t)12 * rows * longest);
    assert_true(analysis.traffic == analysis.bytes && analysis.stored_rows == rows);
    assert_true(analysis.fill == (double)rows * longest / (double)a.nnz);
    assert_int_equal(rc_kernel_spec_parse("ell:limit=cusp", RC_DEVICE_CPU, &spec, NULL), RC_OK);
    memcpy(p.param, spec.param, sizeof p.param);
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), RC_ENOTSUP);
    assert_non_null(strstr(err.text, "limit=cusp: 4000000 places for 40099 entries"));
    free(row);
    free(ptr);
}

/* Any allocation of the preparation may fail. */
static void failures(void **state)
{
    (void)state;
    static const int64_t ptr[] = {0, 2, 2, 3};
    static const int32_t col[] = {0, 2, 1};
    static const double val[] = {1, 2, 3};
    int32_t row[] = {2, -1, 0};
    const rc_csr_t a = {.rows = 3, .cols = 3, .nnz = 3, .row_ptr = (int64_t *)ptr,
        .col_idx = (int32_t *)col, .val = (double *)val};
    const rc_schedule_t s = {.slots = 3, .rows = 3, .row = row};
    rc_executor_t x;
    rc_executor_cpu(1, &x);
    for (int i = 0; i < SPECS; i++) {
        rc_kernel_spec_t spec;
        rc_analysis_t analysis;
        rc_status_t st = RC_ENOMEM;
        void *kernel = NULL;
        assert_int_equal(rc_kernel_spec_parse(specs[i], RC_DEVICE_CPU, &spec, NULL), RC_OK);
        rc_problem_t p = {.k = 1, .a = &a, .schedule = &s, .c_rows = 3};
        memcpy(p.param, spec.param, sizeof p.param);
        assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, NULL), RC_OK);
        for (long n = 0; st != RC_OK; n++) {
            failing_alloc_set(n);
            st = rc_kernel_prepare(spec.kernel, &x, &p, &analysis, &kernel, NULL);
            int failed = failing_alloc_happened();
            failing_alloc_set(-1);
            assert_true(st == (failed ? RC_ENOMEM : RC_OK));
        }
        rc_kernel_release(spec.kernel, kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(bits),
        cmocka_unit_test(ellpack),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
