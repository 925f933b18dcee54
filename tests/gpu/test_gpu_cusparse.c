/* cuSPARSE's kernels in every value type that their descriptors have: what it multiplies is right, and what the version at
 * hand refuses says which version, algorithm and type.  Needs a GPU: without one it skips itself, or fails when
 * ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "operands.h"
#include "order/policy.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel with its parameters on operands of K columns. */
typedef struct trial {
    rc_executor_t *x;
    const rc_operation_t *operation;
    rc_kernel_spec_t spec;
    rc_problem_t p;
    int large; /* 1: inputs whose dot products are beyond fp16, of real numbers */
    char label[300];
} trial_t;

enum { LARGE = 256 };
static const double SMALL = 0x1p-10; /* values of A then */

static double input(const trial_t *t, int operand, int64_t r, int64_t j, int part)
{
    const double large = part ? 0 : LARGE;
    return rc_type(t->p.precision)->round(t->large ? large : input_part(operand, r, j, part));
}

/* The product without factors; free_reference. */
static reference_t reference_of(const trial_t *t)
{
    reference_t ref = make_reference(t->p.a, t->p.precision, t->operation->op, t->p.k);
    for (int64_t i = 0; t->large && i < ref.rows * ref.cols; i++) {
        ref.mag[i] = (double)ref.terms[i / ref.cols] * SMALL;
        for (int n = 0; n < rc_operation_inputs(t->operation); n++)
            ref.mag[i] *= LARGE;
        ref.sum[0][i] = ref.mag[i];
        ref.sum[1][i] = 0;
    }
    return ref;
}

/* An operand with the inputs' values, or (`operand` negative) NaN; in memory of the executor. */
static rc_dense_t operand_new(const trial_t *t, const rc_shape_t *shape, rc_layout_t layout, int operand)
{
    const rc_type_t *type = rc_type(t->p.precision);
    rc_err_t err = {0};
    rc_dense_t m = {.rows = rc_shape_rows(shape, t->p.a),
        .cols = rc_shape_cols(shape, t->p.k),
        .precision = t->p.precision,
        .layout = shape->wide ? layout : RC_COL_MAJOR};
    m.ld = m.layout == RC_ROW_MAJOR ? m.cols : m.rows;
    const size_t bytes = (size_t)(m.rows * m.cols) * (size_t)type->bytes;
    void *host = malloc(bytes);
    assert_non_null(host);
    memset(host, 0xff, bytes);
    for (int64_t i = 0; operand >= 0 && i < m.rows * m.cols; i++)
        for (int q = 0; q < type->parts; q++)
            operand_put_part(host, t->p.precision, operand_at(&m, i / m.cols, i % m.cols), q,
                input(t, operand, i / m.cols, i % m.cols, q));
    ok(t->x->alloc(t->x, bytes, &m.data, &err), &err, t->label);
    ok(t->x->upload(t->x, m.data, host, bytes, &err), &err, t->label);
    free(host);
    return m;
}

/* Part q of a product of two numbers. */
static double product_part(const double a[2], const double b[2], int q)
{
    return q ? a[0] * b[1] + a[1] * b[0] : a[0] * b[0] - a[1] * b[1];
}

static double size_of(const double x[2])
{
    return fabs(x[0]) + fabs(x[1]);
}

/* \param[in,out] held  [values of out, row by row] what it held before, where beta is not 0; then what it holds */
static void check_values(const trial_t *t, const reference_t *ref, const rc_operands_t *o, double alpha, double beta,
    double (*held)[2])
{
    const rc_dense_t *out = &o->out;
    const rc_type_t *type = rc_type(t->p.precision);
    const double sum_eps = 2 * type->parts * rc_type(type->sum)->unit;
    const double by[2] = {alpha, o->alpha_im};
    const double with[2] = {beta, o->beta_im};
    const size_t bytes = (size_t)(out->rows * out->cols) * (size_t)type->bytes;
    rc_err_t err = {0};
    void *host = malloc(bytes);
    assert_non_null(host);
    ok(t->x->download(t->x, host, out->data, bytes, &err), &err, t->label);
    for (int64_t i = 0; i < out->rows * out->cols; i++) {
        const double sum[2] = {ref->sum[0][i], ref->sum[1][i]};
        const double terms = (double)ref->terms[i / out->cols];
        const double none[2] = {0, 0};
        const double *old = size_of(with) > 0 ? held[i] : none;
        /* what is added to may be rounded before, and sums of 16 bits on the way */
        double bound = (sum_eps * (terms + 4) + 4 * type->unit) * (size_of(by) * ref->mag[i] + size_of(with) * size_of(old))
            + (terms + 2) * type->least;
        double found[2] = {0, 0};
        for (int q = 0; q < type->parts; q++) {
            double want = product_part(by, sum, q) + product_part(with, old, q);
            found[q] = operand_get_part(host, t->p.precision, operand_at(out, i / out->cols, i % out->cols), q);
            if (!(fabs(found[q] - want) <= bound))
                fail_msg("%s, beta %g: part %d of value %d: expected %.9g, found %.9g, bound %.3g", t->label, beta, q, (int)i,
                    want, found[q], bound);
        }
        memcpy(held[i], found, sizeof found);
    }
    free(host);
}

/* "cuSPARSE 12.6.3: this SpMM by alg=1 in fp16 is not supported" */
static void check_refusal(const trial_t *t, const rc_err_t *why)
{
    static const char library[] = "cuSPARSE ";
    const char *at = strstr(why->text, library);
    const char *alg = strstr(t->spec.params, "alg=");
    char named[16] = "";
    if (alg && !strstr(why->text, "descriptor"))
        snprintf(named, sizeof named, "by %.5s in", alg);
    if (!at || !isdigit((unsigned char)at[sizeof library - 1]) || !strstr(at, rc_precision_name(t->p.precision))
        || !strstr(at, named))
        fail_msg("%s: refused by '%s'", t->label, why->text);
}

/* \return 1: the library multiplied; 0: it refused to */
static int multiplies(const trial_t *t, const rc_analysis_t *analysis, rc_operands_t *o)
{
    const rc_kernel_t *kernel = t->spec.kernel;
    rc_err_t err = {0};
    void *state = NULL;
    double(*held)[2] = calloc((size_t)(o->out.rows * o->out.cols), sizeof *held);
    assert_non_null(held);
    reference_t ref = reference_of(t);
    rc_status_t st = rc_kernel_prepare(kernel, t->x, &t->p, analysis, &state, &err);
    if (st == RC_OK && kernel->preprocess)
        st = kernel->preprocess(state, o, &err);
    for (int twice = 0; st == RC_OK && twice < 2; twice++) {
        const double alpha = twice ? -2 : 1;
        const double beta = twice ? 0.5 : 0;
        const int turns = twice && rc_type(t->p.precision)->parts > 1;
        o->alpha_im = turns ? 0.75 : 0;
        o->beta_im = turns ? -1 : 0;
        st = rc_kernel_run(kernel, state, o, alpha, beta, &err);
        if (st == RC_OK)
            check_values(t, &ref, o, alpha, beta, held);
    }
    free_reference(&ref);
    free(held);
    rc_kernel_release(kernel, state);
    if (st != RC_ENOTSUP)
        ok(st, &err, t->label);
    else
        check_refusal(t, &err);
    return st == RC_OK;
}

/* \return as multiplies; -1: not for this matrix, order or library */
static int try_one(trial_t *t)
{
    rc_analysis_t analysis;
    rc_operands_t o = {0};
    rc_err_t err = {0};
    snprintf(t->label, sizeof t->label, "%s:%s, %s, K %d, %s", t->spec.kernel->name, t->spec.params,
        rc_precision_name(t->p.precision), (int)t->p.k, t->p.identity ? "in order" : "under an order");
    if (rc_kernel_analyse(t->spec.kernel, &t->p, &analysis, &err) == RC_ENOTSUP)
        return -1;
    const rc_layout_t layout = t->spec.kernel->layout;
    for (int i = 0; i < rc_operation_inputs(t->operation); i++)
        o.in[i] = operand_new(t, &t->operation->in[i], rc_layout_in(layout), i);
    o.out = operand_new(t, &t->operation->out, rc_layout_out(layout), -1);
    int there = multiplies(t, &analysis, &o);
    for (int i = 0; i < rc_operation_inputs(t->operation); i++)
        t->x->release(t->x, o.in[i].data);
    t->x->release(t->x, o.out.data);
    return there;
}

/* The largest value of a kernel's parameter; -1: it has none of that name. */
static int64_t most_of(const rc_kernel_t *kernel, const char *name)
{
    for (int i = 0; i < RC_KERNEL_PARAMS_MAX && kernel->param[i].name; i++)
        if (strcmp(kernel->param[i].name, name) == 0)
            return kernel->param[i].max;
    return -1;
}

static void parse(rc_kernel_spec_t *spec, const rc_kernel_t *kernel, int64_t alg, int64_t pre)
{
    char text[100];
    rc_err_t err = {0};
    int n = snprintf(text, sizeof text, "%s", kernel->name);
    if (alg >= 0)
        n += snprintf(text + n, sizeof text - (size_t)n, ":alg=%d", (int)alg);
    if (pre >= 0)
        (void)snprintf(text + n, sizeof text - (size_t)n, ":pre=%d", (int)pre);
    ok(rc_kernel_spec_parse(text, RC_DEVICE_CUDA, spec, &err), &err, text);
}

typedef struct counts {
    int multiplied[RC_TYPES];
    int refused[RC_TYPES];
} counts_t;

/* All algorithms of a kernel for the matrix and K of `like`. */
static void try_kernel(const rc_kernel_t *kernel, const trial_t *like, counts_t *counts)
{
    const unsigned types = kernel->types ? kernel->types : RC_TYPES_IEEE;
    const int64_t algs = most_of(kernel, "alg");
    const int64_t pres = most_of(kernel, "pre");
    for (int64_t i = 0; i < (algs < 0 ? 1 : algs + 1) * (pres < 0 ? 1 : pres + 1) * RC_TYPES; i++) {
        trial_t t = *like;
        const int type = (int)(i % RC_TYPES);
        const int64_t rest = i / RC_TYPES;
        if (!(types >> type & 1))
            continue;
        parse(&t.spec, kernel, algs < 0 ? -1 : rest % (algs + 1), pres < 0 ? -1 : rest / (algs < 0 ? 1 : algs + 1));
        t.operation = rc_operation_of(kernel->op);
        t.p.precision = (rc_precision_t)type;
        t.p.k = t.operation->has_k ? like->p.k : 1;
        if (rc_type(t.p.precision)->parts == 1 || t.large)
            t.p.val = NULL;
        t.p.c_rows = rc_shape_rows(&t.operation->out, t.p.a);
        memcpy(t.p.param, t.spec.param, sizeof t.p.param);
        t.p.geometry = kernel->geometry(t.x, t.spec.param, t.p.precision);
        int there = try_one(&t);
        counts->multiplied[type] += there == 1;
        counts->refused[type] += there == 0;
    }
}

static void try_all(rc_device_t *d, const rc_csr_t *a, int which, int64_t k, int large, counts_t *counts)
{
    rc_schedule_t s = make_schedule(a, which, (rc_geometry_t){32, 32, 32});
    double *val = malloc(((size_t)a->nnz + 1) * 2 * sizeof *val);
    assert_non_null(val);
    for (int64_t i = 0; i < 2 * a->nnz; i++)
        val[i] = entry_part(a, i / 2, (int)(i % 2));
    const trial_t like = {.x = &d->executor,
        .large = large,
        .p = {.k = k, .a = a, .val = val, .val_type = RC_C128, .schedule = &s, .identity = rc_schedule_is_identity(&s)}};
    for (int i = 0; rc_kernels[i]; i++)
        if (rc_kernels[i]->device == RC_DEVICE_CUDA && strncmp(rc_kernels[i]->name, "cusparse", 8) == 0
            && kernel_is_wanted(rc_kernels[i]->name))
            try_kernel(rc_kernels[i], &like, counts);
    free(val);
    rc_schedule_free(&s);
}

static void tell(const counts_t *counts)
{
    for (int t = 0; t < RC_TYPES; t++)
        print_message("%s: %d multiplied, %d refused\n", rc_precision_name((rc_precision_t)t), counts->multiplied[t],
            counts->refused[t]);
}

static void every_type(void **state)
{
    static const shape_t shape = {"48 x 32", 48, 32, 0.2, 0, 0, 0};
    rc_device_t *d = open_gpu();
    counts_t counts = {{0}, {0}};
    (void)state;
    if (!d)
        skip();
    rc_csr_t a = make_matrix(&shape, 7);
    for (int which = SCHEDULE_IDENTITY; which <= SCHEDULE_RANDOM; which++)
        for (int64_t k = 3; k <= 24; k *= 8)
            try_all(d, &a, which, k, 0, &counts);
    tell(&counts);
    for (int t = 0; t < RC_TYPES; t++) /* which every version has */
        assert_true(getenv("ROWCAST_GPU_KERNEL") || !rc_type_among(RC_TYPES_WHOLE, (rc_precision_t)t) ||
            counts.multiplied[t] > 0);
    free_matrix(&a);
    rc_device_close(d);
}

/* What is stored between the calls of a sampled product is no value of the type. */
static void dots_beyond_the_type(void **state)
{
    static const shape_t shape = {"48 x 32", 48, 32, 0.2, 0, 0, 0};
    rc_device_t *d = open_gpu();
    counts_t counts = {{0}, {0}};
    (void)state;
    if (!d)
        skip();
    rc_csr_t a = make_matrix(&shape, 7);
    for (int64_t e = 0; e < a.nnz; e++)
        a.val[e] = SMALL;
    try_all(d, &a, SCHEDULE_IDENTITY, 24, 1, &counts);
    tell(&counts);
    free_matrix(&a);
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_type), cmocka_unit_test(dots_beyond_the_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
