/* CPU kernels in every value type that they have: NaN, infinity and what is too large; sums that the type of
 * values could not hold; runs of fewer columns and of the other product on one prepared matrix. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "device/device.h"
#include "kernels/prepared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {"cstat", "cstat:strip=1", "rowsplit", "fault", "serial-row", "serial-col", "serial-spmv",
    "csr:lanes=1", "csr:lanes=8", "csr2:srs=2", "csr3:srs=2:ssrs=2", "merge:items=1", "merge:items=3", "ell", "plain-spmv",
    "plain-spmv-static", "plain-spmm_t", "rs:t=0:w=2", "rs:t=64:w=64", "rs-spmm_t:t=1:w=4",
    "aspt:panel=3:col_min=2:tile_cols=2:tile_min=1:rest=2"};
enum { SPECS = sizeof specs / sizeof *specs, K = 3, ROWS = 10, COLS = 8, MOST = 2 * COLS };

/* A by rows, and the value of each row of B. */
typedef struct example {
    int64_t ptr[ROWS + 1];
    int32_t col[ROWS * COLS];
    double val[ROWS * COLS];
    rc_csr_t a;
    double b[COLS];
} example_t;

static void row(example_t *e, int n, const int32_t *col, const double *val)
{
    for (int i = 0; i < n; i++) {
        e->col[e->a.nnz] = col[i];
        e->val[e->a.nnz++] = val[i];
    }
    e->ptr[++e->a.rows] = e->a.nnz;
}

#define ROW(e, ...) row_of(e, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* Of column and value in turn. */
static void row_of(example_t *e, const double *given, size_t n)
{
    int32_t col[COLS];
    double val[COLS];
    for (size_t i = 0; i + 1 < n; i += 2) {
        col[i / 2] = (int32_t)given[i];
        val[i / 2] = given[i + 1];
    }
    row(e, (int)(n / 2), col, val);
}

/* 1: a sum of four times the largest value is one. */
static int has_room(const rc_type_t *type)
{
    return rc_type(type->sum)->largest / 4 > type->largest;
}

static void special(const rc_type_t *type, example_t *e)
{
    const double part = has_room(type) ? 1 : 0.25;
    const double b[COLS] = {1, NAN, INFINITY, -INFINITY, type->largest, type->largest / 2, -type->largest / 2, 0};
    memset(e, 0, sizeof *e);
    memcpy(e->b, b, sizeof b);
    ROW(e, 0, 1);
    ROW(e, 0, 1, 1, 1);
    ROW(e, 0, 1, 2, 1);
    ROW(e, 2, 1, 3, 1);
    ROW(e, 4, 4);
    ROW(e, 4, 1);
    ROW(e, 2, 0);
    e->ptr[++e->a.rows] = e->a.nnz;
    ROW(e, 4, part, 5, part, 6, part);
    ROW(e, 4, -4, 7, 1);
    e->a.cols = COLS;
    e->a.row_ptr = e->ptr;
    e->a.col_idx = e->col;
    e->a.val = e->val;
}

/* A' in the place of A. */
static rc_csr_t turned(const rc_csr_t *a, int64_t *ptr, int32_t *col, double *val)
{
    rc_csr_t t = {.rows = a->cols, .cols = a->rows, .row_ptr = ptr, .col_idx = col, .val = val};
    ptr[0] = 0;
    for (int64_t c = 0; c < a->cols; c++) {
        for (int64_t r = 0; r < a->rows; r++)
            for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++)
                if (a->col_idx[i] == c) {
                    col[t.nnz] = (int32_t)r;
                    val[t.nnz++] = a->val[i];
                }
        ptr[c + 1] = t.nnz;
    }
    return t;
}

/* A prepared matrix and operands for it. */
typedef struct bench {
    rc_device_t *d;
    rc_kernel_spec_t spec;
    rc_schedule_t schedule;
    rc_problem_t p;
    rc_analysis_t analysis;
    rc_operands_t o;
    void *state;
    int32_t slot[MOST];
    unsigned char b[MOST * (K + 1) * 2 * sizeof(double)];
    unsigned char c[MOST * (K + 1) * 2 * sizeof(double)];
} bench_t;

static rc_status_t bench_try(
    bench_t *x, rc_device_t *d, const char *spec, const rc_csr_t *a, rc_precision_t type, int out_sums)
{
    memset(x, 0, sizeof *x);
    x->d = d;
    assert_int_equal(rc_kernel_spec_parse(spec, RC_DEVICE_CPU, &x->spec, NULL), RC_OK);
    const rc_kernel_t *kernel = x->spec.kernel;
    const rc_operation_t *op = rc_operation_of(kernel->op);
    for (int64_t r = 0; r < a->rows; r++) /* 3 has no common divisor with the rows */
        x->slot[r] = (int32_t)(r * 3 % a->rows);
    x->schedule = (rc_schedule_t){.rows = a->rows, .slots = a->rows, .row = x->slot};
    x->p = (rc_problem_t){.k = op->has_k ? K : 1, .precision = type, .out_sums = out_sums, .a = a, .schedule = &x->schedule,
        .geometry = kernel->geometry(&d->executor, x->spec.param, type), .c_rows = rc_shape_rows(&op->out, a)};
    memcpy(x->p.param, x->spec.param, sizeof x->p.param);
    rc_status_t st = rc_kernel_analyse(kernel, &x->p, &x->analysis, NULL);
    if (st == RC_OK)
        assert_int_equal(rc_kernel_prepare(kernel, &d->executor, &x->p, &x->analysis, &x->state, NULL), RC_OK);
    return st;
}

static void bench_new(bench_t *x, rc_device_t *d, const char *spec, const rc_csr_t *a, rc_precision_t type)
{
    assert_int_equal(bench_try(x, d, spec, a, type, 0), RC_OK);
}

static rc_precision_t out_of(const bench_t *x)
{
    return rc_type_out(x->p.precision, x->p.out_sums);
}

/* The operands of k columns, one apart from what is needed. */
static void operands(bench_t *x, const rc_kernel_t *kernel, int64_t k, const double *b, double c)
{
    const rc_operation_t *op = rc_operation_of(kernel->op);
    const int64_t in = rc_shape_rows(&op->in[0], x->p.a);
    const int64_t out = rc_shape_rows(&op->out, x->p.a);
    const int by_row = kernel->layout == RC_ROW_MAJOR;
    const rc_type_t *type = rc_type(x->p.precision);
    const rc_type_t *to = rc_type(out_of(x));
    x->o = (rc_operands_t){
        .in = {{x->b, in, k, (by_row ? k : in) + 1, x->p.precision, kernel->layout}},
        .out = {x->c, out, k, (by_row ? k : out) + 1, out_of(x), kernel->layout}};
    for (int64_t r = 0; r < in; r++)
        for (int64_t j = 0; j < k; j++)
            type->store(x->b, by_row ? r * x->o.in[0].ld + j : j * x->o.in[0].ld + r, b[r]);
    for (int64_t i = 0; i < (by_row ? out : k) * x->o.out.ld; i++)
        to->store(x->c, i, c);
}

static double at(const bench_t *x, int64_t r, int64_t j)
{
    const rc_dense_t *c = &x->o.out;
    return rc_type(c->precision)->load(c->data, c->layout == RC_ROW_MAJOR ? r * c->ld + j : j * c->ld + r);
}

/* What lies between rows or columns is as it was. */
static void check_gaps(const bench_t *x, double c)
{
    const rc_dense_t *m = &x->o.out;
    for (int64_t l = 0; l < (m->layout == RC_ROW_MAJOR ? m->rows : m->cols); l++)
        assert_true(rc_type(m->precision)->load(m->data, l * m->ld + m->ld - 1) == c);
}

/* The product in fp64, in which no finite sum here is too large. */
static double expected(const rc_csr_t *a, const double *b, int64_t r, const rc_type_t *type)
{
    const int scaled = type->largest > 0x1p200;
    double sum = 0;
    for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++)
        sum += a->val[i] * (scaled ? b[a->col_idx[i]] * 0x1p-10 : b[a->col_idx[i]]);
    return type->round(scaled ? sum * 0x1p10 : sum);
}

static int near(double found, double want, const rc_type_t *type)
{
    return isnan(want)   ? isnan(found)
           : isinf(want) ? found == want
                         : fabs(found - want) <= 4 * type->unit * fabs(want);
}

typedef void each_fn(rc_device_t *d, const char *spec, rc_precision_t type);

/* Every kernel has all types of real numbers. */
static int takes(const char *spec, rc_precision_t type)
{
    rc_kernel_spec_t s;
    assert_int_equal(rc_kernel_spec_parse(spec, RC_DEVICE_CPU, &s, NULL), RC_OK);
    return rc_type(type)->parts == 1 || rc_kernel_takes(s.kernel, type);
}

/* Every kernel in every type that it has and with every instruction set of this machine. */
static void each(each_fn *fn)
{
    for (int threads = 1; threads <= 2; threads++) {
        rc_device_t *d;
        assert_int_equal(rc_device_open_cpu(threads, &d, NULL), RC_OK);
        const int widest = d->executor.lanes32;
        for (d->executor.lanes32 = 4; d->executor.lanes32 <= widest; d->executor.lanes32 *= 2)
            for (size_t i = 0; i < SPECS; i++)
                for (int t = 0; t < RC_TYPES; t++)
                    if (takes(specs[i], (rc_precision_t)t))
                        fn(d, specs[i], (rc_precision_t)t);
        rc_device_close(d);
    }
}

static void one_special(rc_device_t *d, const char *spec, rc_precision_t precision)
{
    static const double factor[] = {0, 1};
    const rc_type_t *type = rc_type(precision);
    int64_t ptr[ROWS + 1];
    int32_t col[ROWS * COLS];
    double val[ROWS * COLS];
    example_t e;
    bench_t x;
    special(type, &e);
    const rc_csr_t t = turned(&e.a, ptr, col, val);
    rc_kernel_spec_t s;
    assert_int_equal(rc_kernel_spec_parse(spec, RC_DEVICE_CPU, &s, NULL), RC_OK);
    bench_new(&x, d, spec, s.kernel->op == RC_OP_SPMM_T ? &t : &e.a, precision);
    for (int f = 0; f < 2; f++) {
        const double old = f ? type->round(0.1) : NAN;
        operands(&x, s.kernel, x.p.k, e.b, old);
        assert_int_equal(rc_kernel_run(s.kernel, x.state, &x.o, 1, factor[f], NULL), RC_OK);
        for (int64_t r = 0; r < ROWS; r++)
            for (int64_t j = 0; j < x.p.k; j++) {
                const double want = type->round(expected(&e.a, e.b, r, type) + (f ? old : 0));
                if (!near(at(&x, r, j), want, type))
                    fail_msg("%s, %s: row %d is %g, not %g", spec, type->name, (int)r, at(&x, r, j), want);
            }
        if (f)
            check_gaps(&x, old);
    }
    rc_kernel_release(s.kernel, x.state);
}

static void special_values(void **state)
{
    (void)state;
    each(one_special);
}

/* Small integers, which every type has and every order of additions gives exactly. */
static void integers(example_t *e)
{
    memset(e, 0, sizeof *e);
    ROW(e, 0, 3, 1, -1, 5, 2);
    ROW(e, 2, 1);
    e->ptr[++e->a.rows] = e->a.nnz;
    ROW(e, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8);
    ROW(e, 7, -3);
    e->a.cols = COLS;
    e->a.row_ptr = e->ptr;
    e->a.col_idx = e->col;
    e->a.val = e->val;
}

static void check_run(bench_t *x, const rc_kernel_t *kernel, void *prepared, int64_t k)
{
    static const double b[COLS] = {1, -2, 3, 1, 2, -1, 4, 2};
    const rc_csr_t *a = x->p.a;
    const int turns = kernel->op == RC_OP_SPMM_T;
    const int64_t rows = turns ? a->cols : a->rows;
    double want[MOST] = {0};
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++)
            want[turns ? a->col_idx[i] : r] += a->val[i] * b[turns ? r : a->col_idx[i]];
    operands(x, kernel, k, b, 5);
    assert_int_equal(rc_kernel_run(kernel, prepared, &x->o, 2, -1, NULL), RC_OK);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < k; j++)
            assert_true(at(x, r, j) == 2 * want[r] - 5);
    check_gaps(x, 5);
}

static void one_shared(rc_device_t *d, const char *spec, rc_precision_t precision)
{
    example_t e;
    bench_t x;
    integers(&e);
    bench_new(&x, d, spec, &e.a, precision);
    const rc_kernel_t *kernel = x.spec.kernel;
    const rc_kernel_t *twin = kernel->twin ? rc_kernel_find(kernel->twin, RC_DEVICE_CPU) : NULL;
    for (int64_t k = kernel->any_k ? 1 : x.p.k; k <= x.p.k; k++) {
        check_run(&x, kernel, x.state, k);
        if (twin)
            check_run(&x, twin, x.state, k);
    }
    if (kernel->shares) {
        void *other = NULL;
        assert_int_equal(rc_kernel_share(kernel, &d->executor, &x.p, x.state, &other, NULL), RC_OK);
        check_run(&x, kernel, other, x.p.k);
        rc_kernel_release(kernel, x.state);
        check_run(&x, kernel, other, x.p.k);
        x.state = other;
    }
    rc_kernel_release(kernel, x.state);
}

static void prepared_matrices_are_shared(void **state)
{
    (void)state;
    each(one_shared);
}

/* A factor that a type of 16 bits has not is one of the sums all the same. */
static void one_factor(rc_device_t *d, const char *spec, rc_precision_t precision)
{
    static const double b[COLS] = {1, 1, 1, 1, 1, 1, 1, 1};
    const rc_type_t *type = rc_type(precision);
    const double tiny = type->least / 4;
    example_t e;
    bench_t x;
    if (type->sum == precision)
        return;
    memset(&e, 0, sizeof e);
    ROW(&e, 0, type->largest);
    e.a = (rc_csr_t){.rows = 1, .cols = 1, .nnz = 1, .row_ptr = e.ptr, .col_idx = e.col, .val = e.val};
    bench_new(&x, d, spec, &e.a, precision);
    operands(&x, x.spec.kernel, x.p.k, b, 1);
    assert_int_equal(rc_kernel_run(x.spec.kernel, x.state, &x.o, tiny, 0, NULL), RC_OK);
    assert_true(near(at(&x, 0, 0), type->round(tiny * type->largest), type) && at(&x, 0, 0) > 0);
    rc_kernel_release(x.spec.kernel, x.state);
}

static void factors_are_of_the_type_of_sums(void **state)
{
    (void)state;
    each(one_factor);
}

/* Sums that are more than an output of 16 bits holds, at both ends of its range and between two of its numbers. */
static void one_unrounded(rc_device_t *d, const char *spec, rc_precision_t precision)
{
    const rc_type_t *type = rc_type(precision);
    const double b[COLS] = {1, type->largest, type->least, type->unit / 4, 1, 1, 1, 1};
    const double factor[] = {0, -0.5};
    const double old = 1 + type->unit / 2;
    example_t e;
    bench_t x;
    if (type->sum == precision)
        return;
    memset(&e, 0, sizeof e);
    ROW(&e, 0, 1, 3, 1);
    ROW(&e, 1, 1);
    ROW(&e, 2, 0.25);
    e.ptr[++e.a.rows] = e.a.nnz;
    ROW(&e, 0, 1, 3, -1);
    e.a = (rc_csr_t){.rows = 5, .cols = 5, .nnz = e.a.nnz, .row_ptr = e.ptr, .col_idx = e.col, .val = e.val};
    int64_t ptr[ROWS + 1];
    int32_t col[ROWS * COLS];
    double val[ROWS * COLS];
    const rc_csr_t t = turned(&e.a, ptr, col, val);
    rc_kernel_spec_t s;
    assert_int_equal(rc_kernel_spec_parse(spec, RC_DEVICE_CPU, &s, NULL), RC_OK);
    const rc_status_t st = bench_try(&x, d, spec, s.kernel->op == RC_OP_SPMM_T ? &t : &e.a, precision, 1);
    assert_int_equal(st, s.kernel->out_sums ? RC_OK : RC_ENOTSUP);
    for (int f = 0; f < 2 && st == RC_OK; f++)
        for (int64_t k = s.kernel->any_k ? 1 : x.p.k; k <= x.p.k; k++) {
            operands(&x, s.kernel, k, b, old);
            assert_int_equal(rc_kernel_run(s.kernel, x.state, &x.o, 2, factor[f], NULL), RC_OK);
            const double unit = type->unit / 4;
            const double want[] = {2 * (1 + unit), 2 * type->largest, type->least / 2, 0, 2 * (1 - unit)};
            for (int64_t r = 0; r < e.a.rows; r++)
                for (int64_t j = 0; j < k; j++)
                    if (at(&x, r, j) != (double)(float)(want[r] + factor[f] * old))
                        fail_msg("%s, %s: row %d is %.9g, not %.9g", spec, type->name, (int)r, at(&x, r, j),
                            want[r] + factor[f] * old);
            check_gaps(&x, old);
        }
    if (st == RC_OK)
        rc_kernel_release(s.kernel, x.state);
}

static void sums_are_stored_as_they_are(void **state)
{
    (void)state;
    each(one_unrounded);
}

/* A run moves the output in its own type; sums that are the output take no memory beside it. */
static void one_counted(rc_device_t *d, const char *spec, rc_precision_t precision)
{
    const rc_type_t *type = rc_type(precision);
    example_t e;
    bench_t x[2];
    if (type->sum == precision)
        return;
    integers(&e);
    for (int sums = 0; sums < 2; sums++) {
        const rc_status_t st = bench_try(&x[sums], d, spec, &e.a, precision, sums);
        if (st == RC_OK)
            rc_kernel_release(x[sums].spec.kernel, x[sums].state);
        if (st != RC_OK)
            return;
    }
    const rc_operation_t *op = rc_operation_of(x[0].spec.kernel->op);
    const int64_t k = x[0].p.k;
    assert_int_equal(rc_analysis_traffic(&x[1].analysis, op, &x[1].p, k) - rc_analysis_traffic(&x[0].analysis, op, &x[0].p, k),
        x[0].analysis.stored_rows * k * (rc_type(type->sum)->bytes - type->bytes));
    assert_true(x[1].analysis.bytes == x[0].analysis.bytes && x[1].analysis.bytes_per_column == 0);
}

static void traffic_and_memory_know_the_output(void **state)
{
    (void)state;
    each(one_counted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_values),
        cmocka_unit_test(prepared_matrices_are_shared),
        cmocka_unit_test(factors_are_of_the_type_of_sums),
        cmocka_unit_test(sums_are_stored_as_they_are),
        cmocka_unit_test(traffic_and_memory_know_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
