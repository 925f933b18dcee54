/* The kernels of y = A x on matrices that keep many CTAs busy: against fp64, and the same bits in 100 runs.
 * Needs a GPU: without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "operands.h"
#include "order/policy.h"
#include "real_types.h"
#include "sparse/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 100 };

/* Meshes, skewed rows, one row with everything, rows without entries, few columns that are read often, and more than
 * 4,096 rows that csr gives a warp each, or a CTA. */
static const char *const matrices[] = {"mesh2d:n=150", "rmat:scale=14", "arrow:n=30000", "manyempty:n=40000",
    "block:n=8000", "uniform:n=200,mean=150", "uniform:n=2000,mean=520", "uniform:n=4200,mean=1020"};

/* Variants that cut a matrix finely, beside the defaults. */
static const char *const specs[] = {"csr", "csr:lanes=1", "csr:lanes=32", "merge", "merge:items=3",
    "merge:items=5000", "csr5", "csr5:sigma=1", "csr5:sigma=33", "coo", "ell", "hyb", "hyb:width=bell",
    "hyb:width=1", "csr2", "csr2:srs=1", "csr3", "csr3:srs=1:ssrs=1", "csr3:srs=3000:ssrs=40", "csr35",
    "csr35:volta:reduce=shuffle", "csr35:srs=1:ssrs=1", "csrk-split", "csrk-split:bound=0", "csrk-split:bound=3"};

/* What the runs of one matrix share. */
typedef struct vector {
    rc_executor_t *x;
    rc_csr_t a;
    rc_precision_t precision;
    double *expected; /* [rows] */
    double *size;     /* [rows] sum of the absolute values of the terms */
    void *in;         /* device, [cols] */
    void *out;        /* device, [rows] */
    void *first;      /* [rows] of the first run */
    void *again;      /* [rows] */
    const char *name;
} vector_t;

static double x_at(int64_t i)
{
    return 0.5 + (double)(i % 17) / 16;
}

static double load(const void *from, rc_precision_t precision, int64_t i)
{
    return rc_type(precision)->load(from, i);
}

/* x times a factor, in the memory of the device. */
static void put_x(const vector_t *v, double factor)
{
    rc_err_t err = {0};
    size_t bytes = (size_t)v->a.cols * rc_precision_bytes(v->precision);
    void *host = malloc(bytes + 1);
    assert_non_null(host);
    for (int64_t i = 0; i < v->a.cols; i++)
        rc_type(v->precision)->store(host, i, factor * x_at(i));
    ok(v->x->upload(v->x, v->in, host, bytes, &err), &err, "x");
    free(host);
}

static void vector_new(vector_t *v)
{
    rc_err_t err = {0};
    size_t value = rc_precision_bytes(v->precision);
    size_t rows = (size_t)v->a.rows;
    v->expected = calloc(rows + 1, sizeof *v->expected);
    v->size = calloc(rows + 1, sizeof *v->size);
    v->first = malloc(rows * value + 1);
    v->again = malloc(rows * value + 1);
    assert_true(v->expected && v->size && v->first && v->again);
    for (int64_t r = 0; r < v->a.rows; r++)
        for (int64_t i = v->a.row_ptr[r]; i < v->a.row_ptr[r + 1]; i++) {
            double term = narrowed(v->precision, v->a.val[i]) * x_at(v->a.col_idx[i]);
            v->expected[r] += term;
            v->size[r] += fabs(term);
        }
    ok(v->x->alloc(v->x, (size_t)v->a.cols * value + 1, &v->in, &err), &err, "x");
    ok(v->x->alloc(v->x, rows * value + 1, &v->out, &err), &err, "y");
    put_x(v, 1);
}

static void vector_free(vector_t *v)
{
    v->x->release(v->x, v->in);
    v->x->release(v->x, v->out);
    free(v->expected);
    free(v->size);
    free(v->first);
    free(v->again);
}

static void check_values(const vector_t *v, const char *spec)
{
    enum { ROUNDINGS = 1000 }; /* of a sum */
    const rc_type_t *type = rc_type(v->precision);
    double tolerance = ROUNDINGS * rc_type(type->sum)->unit + 1.01 * type->unit;
    for (int64_t r = 0; r < v->a.rows; r++) {
        double y = load(v->first, v->precision, r);
        if (!(fabs(y - v->expected[r]) <= tolerance * v->size[r] + type->least))
            fail_msg("%s, %s, %s, row %d: expected %g, found %g", v->name, spec,
                rc_precision_name(v->precision), (int)r, v->expected[r], y);
    }
}

static rc_dense_t column(const vector_t *v, void *data, int64_t rows)
{
    return (rc_dense_t){.data = data,
        .rows = rows,
        .cols = 1,
        .ld = rows,
        .precision = v->precision,
        .layout = RC_COL_MAJOR};
}

/* Near 0, where numbers are as far apart as the least one, twice a rounded value may be another one. */
static int is_twice(const vector_t *v, double twice, double once)
{
    return fabs(twice - 2 * once) <= rc_type(v->precision)->least;
}

/* Twice x gives twice y: nothing of an earlier run is left where this one finds it. */
static void run_doubled(const vector_t *v, const rc_kernel_t *k, void *state, const rc_operands_t *o, const char *spec)
{
    rc_err_t err = {0};
    size_t bytes = (size_t)v->a.rows * rc_precision_bytes(v->precision);
    put_x(v, 2);
    for (int run = 0; run < 2; run++) {
        ok(v->x->fill(v->x, v->out, 0xff, bytes, &err), &err, spec);
        ok(rc_kernel_run(k, state, o, 1, 0, &err), &err, spec);
        ok(v->x->download(v->x, v->again, v->out, bytes, &err), &err, spec);
        for (int64_t r = 0; r < v->a.rows; r++)
            if (!is_twice(v, load(v->again, v->precision, r), load(v->first, v->precision, r)))
                fail_msg("%s, %s, %s, row %d: %.17g for x, %.17g for twice x", v->name, spec,
                    rc_precision_name(v->precision), (int)r, load(v->first, v->precision, r),
                    load(v->again, v->precision, r));
    }
    put_x(v, 1);
}

static void run_all(const vector_t *v, const rc_kernel_t *k, void *state, const char *spec)
{
    rc_err_t err = {0};
    size_t bytes = (size_t)v->a.rows * rc_precision_bytes(v->precision);
    const rc_operands_t o = {
        .in = {column(v, v->in, v->a.cols)}, .out = column(v, v->out, v->a.rows)};
    for (int run = 0; run < RUNS; run++) {
        void *to = run == 0 ? v->first : v->again;
        ok(v->x->fill(v->x, v->out, 0xff, bytes, &err), &err, spec);
        ok(rc_kernel_run(k, state, &o, 1, 0, &err), &err, spec);
        ok(v->x->download(v->x, to, v->out, bytes, &err), &err, spec);
        if (run == 0)
            check_values(v, spec);
        else if (memcmp(v->first, v->again, bytes) != 0)
            fail_msg("%s, %s, %s: run %d gave other bits", v->name, spec,
                rc_precision_name(v->precision), run);
    }
    run_doubled(v, k, state, &o, spec);
}

static void run_spec(const vector_t *v, const char *text)
{
    rc_kernel_spec_t spec;
    rc_schedule_t s;
    rc_analysis_t analysis;
    void *state = NULL;
    rc_err_t err = {0};
    ok(rc_kernel_spec_parse(text, RC_DEVICE_CUDA, &spec, &err), &err, text);
    const rc_kernel_t *k = spec.kernel;
    assert_true(k->device == RC_DEVICE_CUDA && k->deterministic(spec.param));
    rc_problem_t p = {.k = 1,
        .precision = v->precision,
        .a = &v->a,
        .schedule = &s,
        .identity = 1,
        .geometry = k->geometry(v->x, spec.param, v->precision),
        .c_rows = v->a.rows};
    memcpy(p.param, spec.param, sizeof p.param);
    p.text = spec.text;
    ok(rc_order_build("csr", &v->a, &p.geometry, 0, &s, &err), &err, "order");
    rc_status_t st = rc_kernel_analyse(k, &p, &analysis, &err);
    enum { most = 1 << 30 }; /* bytes: ELLPACK of one long row is not for every GPU */
    if (st != RC_ENOTSUP && rc_analysis_bytes(&analysis, 1) < most) {
        ok(st, &err, text);
        ok(rc_kernel_prepare(k, v->x, &p, &analysis, &state, &err), &err, text);
        run_all(v, k, state, text);
        rc_kernel_release(k, state);
    }
    rc_schedule_free(&s);
}

static void many_ctas(void **test)
{
    (void)test;
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_err_t err = {0};
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++)
        for (int t = 0; t < REAL_TYPES; t++) {
            vector_t v = {.x = &d->executor, .precision = real_type(t), .name = matrices[m]};
            ok(rc_generate(matrices[m], &v.a, NULL, &err), &err, matrices[m]);
            vector_new(&v);
            for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
                run_spec(&v, specs[i]);
            vector_free(&v);
            rc_csr_free(&v.a);
        }
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_ctas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
