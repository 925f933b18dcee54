#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "kernels/prepared.h"
#include "twins.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row-major operand on the host, and where the executor has it. */
typedef struct dense {
    rc_dense_t m;
    void *host;
} dense_t;

static size_t bytes_of(const dense_t *d)
{
    return (size_t)(d->m.rows * d->m.ld) * rc_precision_bytes(d->m.precision);
}

static double get(const dense_t *d, int64_t r, int64_t j)
{
    return rc_type(d->m.precision)->load(d->host, r * d->m.ld + j);
}

/* Random values, or bytes of ones, which are NaN. */
static dense_t dense_new(
    rc_executor_t *x, const twins_case_t *t, int64_t rows, int64_t k, uint64_t seed)
{
    dense_t d = {.m = {.rows = rows,
                     .cols = k,
                     .ld = k,
                     .precision = t->precision,
                     .layout = RC_ROW_MAJOR}};
    size_t bytes = bytes_of(&d);
    d.host = malloc(bytes + 1);
    assert_non_null(d.host);
    memset(d.host, 0xff, bytes);
    for (int64_t i = 0; seed && i < rows * k; i++)
        rc_type(t->precision)->store(d.host, i, rc_rng_signed(seed, (uint64_t)i));
    assert_int_equal(x->alloc(x, bytes + 64, &d.m.data, NULL), RC_OK);
    if (bytes > 0)
        assert_int_equal(x->upload(x, d.m.data, d.host, bytes, NULL), RC_OK);
    return d;
}

static void dense_free(rc_executor_t *x, dense_t *d)
{
    x->release(x, d->m.data);
    free(d->host);
}

static void multiply(rc_executor_t *x, const rc_kernel_t *kernel, void *state, const dense_t *in,
    dense_t *out, const char *label)
{
    rc_err_t err = {0};
    const rc_operands_t o = {.in = {in->m}, .out = out->m};
    size_t bytes = bytes_of(out);
    memset(out->host, 0xff, bytes);
    if (bytes > 0)
        assert_int_equal(x->upload(x, out->m.data, out->host, bytes, NULL), RC_OK);
    if (rc_kernel_run(kernel, state, &o, 1, 0, &err) < 0)
        fail_msg("%s: %s", label, err.text);
    if (bytes > 0)
        assert_int_equal(x->download(x, out->host, out->m.data, bytes, NULL), RC_OK);
}

static double dot(const dense_t *a, const dense_t *b)
{
    double sum = 0;
    for (int64_t r = 0; r < a->m.rows; r++)
        for (int64_t j = 0; j < a->m.cols; j++)
            sum += get(a, r, j) * get(b, r, j);
    return sum;
}

/* What rounding may make of either sum. */
static double bound_of(const twins_case_t *t, const dense_t *b, const dense_t *d)
{
    const rc_csr_t *a = t->a;
    double mag = 0;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            for (int64_t j = 0; j < b->m.cols; j++)
                mag += fabs(a->val[e] * get(b, a->col_idx[e], j) * get(d, r, j));
    double terms = (double)(a->rows > a->cols ? a->rows : a->cols);
    const rc_type_t *type = rc_type(t->precision);
    const int narrow = type->sum != t->precision; /* values of either product are rounded once more */
    return (terms + 8) * 2 * rc_type(type->sum)->unit * mag + DBL_EPSILON * mag * (double)(a->nnz * b->m.cols)
           + (narrow ? 2 * type->unit * mag + type->least * (double)((a->rows + a->cols) * b->m.cols) : 0);
}

/* \param[in] kernel, state  of A B and of A^T D; a state that is not there gives `before`
 * \return <D, A B> */
static double check_products(rc_executor_t *x, const twins_case_t *t, int64_t k,
    const rc_kernel_t *const kernel[2], void *const state[2], double before, const char *label)
{
    dense_t b = dense_new(x, t, t->a->cols, k, 11);
    dense_t d = dense_new(x, t, t->a->rows, k, 12);
    dense_t ab = dense_new(x, t, t->a->rows, k, 0);
    dense_t atd = dense_new(x, t, t->a->cols, k, 0);
    if (state[0])
        multiply(x, kernel[0], state[0], &b, &ab, label);
    if (state[1])
        multiply(x, kernel[1], state[1], &d, &atd, label);
    double of_ab = state[0] ? dot(&d, &ab) : before;
    double of_atd = state[1] ? dot(&b, &atd) : before;
    if (!(fabs(of_ab - of_atd) <= bound_of(t, &b, &d)))
        fail_msg("%s: <D, A B> is %.17g, <B, A' D> is %.17g", label, of_ab, of_atd);
    dense_free(x, &b);
    dense_free(x, &d);
    dense_free(x, &ab);
    dense_free(x, &atd);
    return of_ab;
}

static rc_kernel_spec_t spec_of(const char *name, const twins_case_t *t)
{
    rc_kernel_spec_t spec;
    rc_err_t err = {0};
    char text[160];
    snprintf(text, sizeof text, "%s%s", name, t->params);
    if (rc_kernel_spec_parse(text, t->kind, &spec, &err) < 0)
        fail_msg("%s", err.text);
    return spec;
}

static rc_problem_t problem_of(
    rc_executor_t *x, const rc_kernel_spec_t *spec, const twins_case_t *t)
{
    int identity = t->schedule->slots == t->schedule->rows;
    for (int64_t i = 0; identity && i < t->schedule->slots; i++)
        identity = t->schedule->row[i] == i;
    rc_problem_t p = {.k = t->k,
        .precision = t->precision,
        .a = t->a,
        .schedule = t->schedule,
        .identity = identity,
        .geometry = spec->kernel->geometry(x, spec->param, t->precision),
        .c_rows = rc_shape_rows(&rc_operation_of(spec->kernel->op)->out, t->a)};
    memcpy(p.param, spec->param, sizeof p.param);
    return p;
}

int check_twins(rc_executor_t *x, const char *name, const twins_case_t *t)
{
    const rc_kernel_spec_t spec = spec_of(name, t);
    assert_non_null(spec.kernel->twin);
    const rc_kernel_spec_t other = spec_of(spec.kernel->twin, t);
    const int first = spec.kernel->op == RC_OP_SPMM_T; /* what is prepared */
    const rc_kernel_t *const kernel[2] = {
        first ? other.kernel : spec.kernel, first ? spec.kernel : other.kernel};
    const rc_problem_t p = problem_of(x, &spec, t);
    const rc_problem_t q = problem_of(x, &other, t);
    rc_analysis_t analysis;
    rc_err_t err = {0};
    void *state[2] = {NULL, NULL};
    char label[200];
    snprintf(label, sizeof label, "%s%s, %" PRId64 " x %" PRId64 ", K %" PRId64 ", %s", name,
        t->params, t->a->rows, t->a->cols, t->k, rc_precision_name(t->precision));
    if (rc_kernel_analyse(spec.kernel, &p, &analysis, &err) < 0 ||
        rc_kernel_prepare(spec.kernel, x, &p, &analysis, &state[first], &err) < 0) {
        if (err.status != RC_ENOTSUP)
            fail_msg("%s: %s", label, err.text);
        return 0;
    }
    if (rc_kernel_share(other.kernel, x, &q, state[first], &state[!first], &err) < 0)
        fail_msg("%s: %s", label, err.text);
    double sum = check_products(x, t, t->k, kernel, state, 0, label);
    (void)check_products(x, t, (t->k + 1) / 2, kernel, state, 0, label);
    rc_kernel_release(spec.kernel, state[first]);
    state[first] = NULL;
    (void)check_products(x, t, t->k, kernel, state, sum, label);
    rc_kernel_release(other.kernel, state[!first]);
    return 1;
}
