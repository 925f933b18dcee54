#include "config.h"
#include "unit.h"

#include "plan_fixture.h"

#include <math.h>
#include <string.h>

int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

void new_values(rc_rng_t *rng, input_t *in)
{
    for (int64_t i = 0; i < in->nnz; i++) {
        in->val64[i] = rc_type(in->exact)->round((double)(float)(2 * rc_rng_unit(rng) - 1));
        for (int t = 0; t < RC_TYPES; t++)
            rc_type((rc_precision_t)t)->store(in->stored[t], i, in->val64[i]);
    }
}

void *values_in(input_t *in, rc_precision_t type)
{
    return in->stored[type];
}

/* ------------------------------------------------------------------------- matrix */

/* Columns of a row in order, or in any. */
void make(rc_rng_t *rng, int sorted, input_t *in)
{
    double fill = rc_rng_unit(rng) * rc_rng_unit(rng);
    int64_t most = below(rng, 16) ? USUAL : MOST;
    *in = (input_t){.exact = in->exact, .rows = below(rng, most + 1), .cols = below(rng, most + 1)};
    for (int64_t r = 0; r < in->rows; r++) {
        int64_t begin = in->nnz;
        for (int64_t c = 0; c < in->cols; c++)
            if (rc_rng_unit(rng) < fill)
                in->col[in->nnz++] = (int32_t)c;
        for (int64_t i = in->nnz - 1; !sorted && i > begin; i--) {
            int64_t j = begin + below(rng, i - begin + 1);
            int32_t t = in->col[i];
            in->col[i] = in->col[j];
            in->col[j] = t;
        }
        in->ptr32[r + 1] = (int32_t)in->nnz;
        in->ptr64[r + 1] = in->nnz;
    }
    new_values(rng, in);
}

void transpose(const input_t *in, input_t *out)
{
    int64_t n = 0;
    out->rows = in->cols;
    out->cols = in->rows;
    out->nnz = in->nnz;
    for (int64_t c = 0; c < in->cols; c++) {
        out->ptr64[c] = n;
        for (int64_t r = 0; r < in->rows; r++)
            for (int64_t e = in->ptr64[r]; e < in->ptr64[r + 1]; e++)
                if (in->col[e] == c) {
                    out->col[n] = (int32_t)r;
                    out->val64[n] = in->val64[e];
                    for (int t = 0; t < RC_TYPES; t++)
                        rc_type((rc_precision_t)t)->store(out->stored[t], n, in->val64[e]);
                    n++;
                }
    }
    out->ptr64[in->cols] = n;
    for (int64_t c = 0; c <= in->cols; c++)
        out->ptr32[c] = (int32_t)out->ptr64[c];
}

rc_plan_matrix_t matrix_of(const input_t *in, int ptr_bytes, rc_precision_t type)
{
    return (rc_plan_matrix_t){.rows = in->rows,
        .cols = in->cols,
        .nnz = in->nnz,
        .row_ptr = ptr_bytes == 4 ? (const void *)in->ptr32 : (const void *)in->ptr64,
        .row_ptr_bytes = ptr_bytes,
        .col_idx = in->col,
        .val = in->stored[type],
        .precision = type};
}

static size_t at(rc_layout_t layout, const dense_t *d, int64_t r, int64_t j)
{
    return (size_t)(layout == RC_ROW_MAJOR ? r * d->ld + j : j * d->ld + r);
}

static const rc_type_t *out_type(const rc_plan_problem_t *p)
{
    return rc_type(rc_type_out(p->precision, p->out_fp32));
}

static void fill_with(rc_rng_t *rng, const rc_type_t *type, dense_t *d)
{
    for (size_t i = 0; i < sizeof d->f64 / sizeof *d->f64; i++) {
        d->f64[i] = type->round((double)(float)(2 * rc_rng_unit(rng) - 1));
        type->store(d->data, (int64_t)i, d->f64[i]);
    }
}

void fill(rc_rng_t *rng, const rc_plan_problem_t *p, dense_t *d)
{
    fill_with(rng, rc_type(p->precision), d);
}

void *data_of(dense_t *d)
{
    return d->data;
}

static double value(const rc_plan_problem_t *p, const dense_t *d, size_t i)
{
    return out_type(p)->load(d->data, (int64_t)i);
}

rc_operands_t operands(const rc_plan_problem_t *p, dense_t *b, dense_t *c)
{
    (void)p;
    rc_operands_t o = {.out = {.data = data_of(c), .ld = c->ld}};
    o.in[0] = (rc_dense_t){.data = data_of(b), .ld = b->ld};
    return o;
}

void fill_product(rc_rng_t *rng, const rc_plan_problem_t *p, const input_t *in, int64_t k, dense_t *b, dense_t *c)
{
    b->ld = p->ld_in[0] ? p->ld_in[0] : (rc_layout_in(p->layout) == RC_ROW_MAJOR ? k : in->cols) + 1 + below(rng, PAD);
    c->ld = p->ld_out ? p->ld_out : (rc_layout_out(p->layout) == RC_ROW_MAJOR ? k : in->rows) + 1 + below(rng, PAD);
    fill(rng, p, b);
    fill_with(rng, out_type(p), c);
}

size_t data_bytes(const rc_plan_problem_t *p)
{
    const dense_t *d = NULL;
    return sizeof d->f64 / sizeof *d->f64 * (size_t)out_type(p)->bytes;
}

void compare_product(const char *label, const rc_plan_problem_t *p, const input_t *in, int64_t k,
    double alpha, double beta, const dense_t *b, const dense_t *c, dense_t *before)
{
    /* sums are of a type of their own; values of A, alpha, beta and C are rounded once to that of the plan,
     * where they are small by its least number; a C of another type, and an A of that of the plan, are not */
    const rc_type_t *type = out_type(p);
    const rc_type_t *rounded = in->exact == p->precision ? type : rc_type(p->precision);
    const double eps = 2 * (double)(in->cols + 4) * rc_type(type->sum)->unit + 4 * rounded->unit;
    const double least = (double)(in->cols + 1) * rounded->least;
    for (int64_t r = 0; r < in->rows; r++)
        for (int64_t j = 0; j < k; j++) {
            size_t i = at(rc_layout_out(p->layout), c, r, j);
            double sum = 0;
            double mag = fabs(beta * before->f64[i]);
            for (int64_t e = in->ptr64[r]; e < in->ptr64[r + 1]; e++) {
                double t = in->val64[e] * b->f64[at(rc_layout_in(p->layout), b, in->col[e], j)];
                sum += t;
                mag += fabs(alpha * t);
            }
            double want = alpha * sum + beta * before->f64[i];
            if (!(fabs(value(p, c, i) - want) <= eps * mag + least))
                fail_msg("%s, K = %d, alpha %g, beta %g: C(%d, %d): expected %g, found %g", label, (int)k, alpha,
                    beta, (int)r, (int)j, want, value(p, c, i));
            before->f64[i] = value(p, c, i);
            type->store(before->data, (int64_t)i, before->f64[i]);
        }
    assert_memory_equal(before->data, c->data, data_bytes(p));
}

void check_run(rc_rng_t *rng, rc_plan_t *plan, run_fn *run, const rc_plan_problem_t *p, const input_t *in, int64_t k)
{
    static dense_t b;
    static dense_t c;
    static dense_t before;
    double alpha = below(rng, 2) ? 1 : -0.5;
    double beta = (double)below(rng, 3) / 2;
    rc_err_t err = {0};
    fill_product(rng, p, in, k, &b, &c);
    before = c;
    rc_operands_t o = operands(p, &b, &c);
    assert_int_equal(run(plan, k, &o, alpha, beta, &err), RC_OK);
    char label[1000];
    (void)rc_plan_describe(plan, label, sizeof label);
    compare_product(label, p, in, k, alpha, beta, &b, &c, &before);
}

void check_product(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p,
    const input_t *in, int64_t k)
{
    check_run(rng, plan, rc_plan_run, p, in, k);
}

int64_t some_k(rc_rng_t *rng, const rc_plan_problem_t *p, int i)
{
    return p->k_range ? p->k[0] + below(rng, p->k[1] - p->k[0] + 1) : p->k[i];
}

rc_status_t execute_host(rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return rc_plan_execute(
        plan, k, alpha, o->in[0].data, o->in[0].ld, beta, o->out.data, o->out.ld, NULL, err);
}

rc_status_t execute_host_transposed(
    rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return rc_plan_execute_transposed(
        plan, k, alpha, o->in[0].data, o->in[0].ld, beta, o->out.data, o->out.ld, NULL, err);
}
