/* The kernels of CSR-k on a GPU: what they launch, all cases under several orders against fp64, and that both ways
 * to add up a row give the same bits.  Needs a GPU: without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "kernels/prepared.h"
#include "kernels/spmv/cuda/spmv.h"
#include "device/device.h"
#include "operands.h"
#include "order/policy.h"
#include "sparse/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix of each case, and one of many super-super-rows. */
static const char *const matrices[] = {"mesh2d:n=90", "mesh2d:n=70,points=9", "mesh3d:n=16,points=27",
    "block:n=6000,size=48", "rmat:scale=13", "manyempty:n=70000", "arrow:n=20000"};

static const char *const orders[] = {"csr", "rcm", "bandk:srs=8:ssrs=8", "bandk:srs=5:ssrs=0", "dcsr", "random"};

/* What a run does on the device. */
typedef struct problem {
    rc_executor_t *x;
    const rc_csr_t *a;
    rc_precision_t precision;
    rc_schedule_t s;
    void *in;
    void *out;
} problem_t;

static double x_at(int64_t i)
{
    return 0.5 + (double)(i % 13) / 16;
}

static void problem_new(problem_t *p, const char *order)
{
    const rc_geometry_t g = {32, 32, 32};
    size_t value = rc_precision_bytes(p->precision);
    rc_err_t err = {0};
    void *host = malloc((size_t)p->a->cols * value + 1);
    assert_non_null(host);
    for (int64_t i = 0; i < p->a->cols; i++)
        if (p->precision == RC_FP64)
            ((double *)host)[i] = x_at(i);
        else
            ((float *)host)[i] = (float)x_at(i);
    ok(rc_order_build(order, p->a, &g, 1, &p->s, &err), &err, order);
    ok(p->x->alloc(p->x, (size_t)p->a->cols * value + 1, &p->in, &err), &err, "x");
    ok(p->x->alloc(p->x, (size_t)p->a->rows * value + 1, &p->out, &err), &err, "y");
    ok(p->x->upload(p->x, p->in, host, (size_t)p->a->cols * value, &err), &err, "x");
    free(host);
}

static void problem_free(problem_t *p)
{
    p->x->release(p->x, p->in);
    p->x->release(p->x, p->out);
    rc_schedule_free(&p->s);
}

/* y of a kernel.  \param[out] y  [rows] of the precision  \param[out] launch  NULL: nobody looks */
static void multiply(const problem_t *v, const char *text, void *y, rc_cuda_launch_t *launch)
{
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    void *state = NULL;
    rc_err_t err = {0};
    size_t bytes = (size_t)v->a->rows * rc_precision_bytes(v->precision);
    ok(rc_kernel_spec_parse(text, RC_DEVICE_CUDA, &spec, &err), &err, text);
    rc_problem_t p = {.k = 1,
        .precision = v->precision,
        .a = v->a,
        .schedule = &v->s,
        .identity = rc_schedule_is_identity(&v->s),
        .geometry = spec.kernel->geometry(v->x, spec.param, v->precision),
        .c_rows = v->a->rows,
        .text = spec.text};
    memcpy(p.param, spec.param, sizeof p.param);
    const rc_operands_t o = {.in = {{.data = v->in, .rows = v->a->cols, .cols = 1, .ld = v->a->cols,
                                 .precision = v->precision, .layout = RC_COL_MAJOR}},
        .out = {.data = v->out, .rows = v->a->rows, .cols = 1, .ld = v->a->rows,
            .precision = v->precision, .layout = RC_COL_MAJOR}};
    ok(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), &err, text);
    ok(rc_kernel_prepare(spec.kernel, v->x, &p, &analysis, &state, &err), &err, text);
    ok(v->x->fill(v->x, v->out, 0xff, bytes, &err), &err, text);
    ok(rc_kernel_run(spec.kernel, state, &o, 1, 0, &err), &err, text);
    ok(v->x->download(v->x, y, v->out, bytes, &err), &err, text);
    if (launch)
        *launch = ((const rc_spmv_t *)state)->launch[0].of;
    rc_kernel_release(spec.kernel, state);
}

static void check_values(const problem_t *v, const void *y, const char *matrix, const char *spec)
{
    double tolerance = v->precision == RC_FP64 ? 1e-13 : 1e-5;
    for (int64_t r = 0; r < v->a->rows; r++) {
        double sum = 0;
        double size = 0;
        for (int64_t e = v->a->row_ptr[r]; e < v->a->row_ptr[r + 1]; e++) {
            double term = narrowed(v->precision, v->a->val[e]) * x_at(v->a->col_idx[e]);
            sum += term;
            size += fabs(term);
        }
        double found = v->precision == RC_FP64 ? ((const double *)y)[r] : (double)((const float *)y)[r];
        if (!(fabs(found - sum) <= tolerance * size))
            fail_msg("%s, %s, %s, row %d: expected %g, found %g", matrix, spec,
                rc_precision_name(v->precision), (int)r, sum, found);
    }
}

static void check_order(problem_t *v, const char *matrix, const char *order)
{
    static const char *const specs[] = {"csr2:reduce=shuffle", "csr2", "csr35:reduce=shuffle", "csr35",
        "csr35:srs=3:ssrs=2:reduce=shuffle", "csr35:srs=3:ssrs=2", "csr35:volta", "csr3", "csr3:srs=1:ssrs=1",
        "csr3:srs=2500:ssrs=70", "csrk-split", "csrk-split:bound=2", "csrk-split:srs=300:bound=40"};
    enum { PAIRS = 6 }; /* of the first, each two add up in the same order */
    size_t bytes = (size_t)v->a->rows * rc_precision_bytes(v->precision);
    void *y[2] = {malloc(bytes + 1), malloc(bytes + 1)};
    assert_true(y[0] && y[1]);
    problem_new(v, order);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        multiply(v, specs[i], y[i % 2], NULL);
        check_values(v, y[i % 2], matrix, specs[i]);
        if (i < PAIRS && i % 2 == 1 && memcmp(y[0], y[1], bytes) != 0)
            fail_msg("%s, %s: %s and %s give other bits", matrix, order, specs[i - 1], specs[i]);
    }
    problem_free(v);
    free(y[0]);
    free(y[1]);
}

static void every_case(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    rc_err_t err = {0};
    if (!d)
        skip();
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++) {
        rc_csr_t a;
        ok(rc_generate(matrices[m], &a, NULL, &err), &err, matrices[m]);
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
            for (int precision = 0; precision < 2; precision++) {
                problem_t v = {.x = &d->executor, .a = &a, .precision = (rc_precision_t)precision};
                check_order(&v, matrices[m], orders[o]);
            }
        rc_csr_free(&a);
    }
    rc_device_close(d);
}

/* Blocks as published, a CTA a super-super-row; of CSR-2 one for each block of super-rows. */
static void launches(void **state)
{
    (void)state;
    static const struct {
        const char *matrix;
        const char *spec;
        unsigned block[3];
        unsigned ctas;
    } cases[] = {
        {"mesh2d:n=90", "csr35:srs=10:ssrs=9", {8, 12, 1}, 90},
        {"mesh2d:n=70,points=9", "csr35:srs=10:ssrs=7", {4, 8, 12}, 70},
        {"mesh3d:n=16,points=27", "csr35:srs=8:ssrs=8", {8, 8, 8}, 64},
        {"block:n=6000,size=48", "csr35:srs=6:ssrs=10", {16, 8, 4}, 100},
        {"block:n=6000,size=48", "csr3:srs=6:ssrs=10", {8, 12, 1}, 100},
        {"mesh2d:n=90", "csr2:srs=10", {8, 12, 1}, 68},
        {"mesh2d:n=70,points=9", "csr2:srs=10", {4, 8, 12}, 41},
        {"block:n=6000,size=48", "csr2:srs=10", {16, 8, 4}, 150},
        {"manyempty:n=70000", "csr3:srs=1:ssrs=1", {8, 12, 1}, 70000},
        {"mesh2d:n=90", "csr3:srs=8100:ssrs=3", {8, 12, 1}, 1},
    };
    rc_device_t *d = open_gpu();
    rc_err_t err = {0};
    if (!d)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_csr_t a;
        rc_cuda_launch_t l;
        ok(rc_generate(cases[i].matrix, &a, NULL, &err), &err, cases[i].matrix);
        problem_t v = {.x = &d->executor, .a = &a};
        float *y = malloc((size_t)a.rows * sizeof *y + 1);
        assert_non_null(y);
        problem_new(&v, "csr");
        multiply(&v, cases[i].spec, y, &l);
        check_values(&v, y, cases[i].matrix, cases[i].spec);
        if (l.threads != cases[i].block[0] || l.threads_y != cases[i].block[1] ||
            l.threads_z != cases[i].block[2] || l.ctas != cases[i].ctas)
            fail_msg("%s, %s: %u CTAs of %u, %u, %u", cases[i].matrix, cases[i].spec, l.ctas, l.threads,
                l.threads_y, l.threads_z);
        problem_free(&v);
        free(y);
        rc_csr_free(&a);
    }
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launches), cmocka_unit_test(every_case)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
