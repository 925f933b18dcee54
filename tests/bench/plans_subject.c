#include "config.h"
#include "plans_subject.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/type.h"
#include "device/cuda/cuda.h"
#include "device/dense_parts.h"
#include "kernels/vendor/vendor.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const bench_ks_t bench_ks_usual = {4, {8, 32, 128, 512}};
const bench_ks_t bench_ks_pruned = {3, {64, 512, 4096}};

static int64_t greatest(const bench_ks_t *ks)
{
    return ks->k[ks->n - 1];
}

/* ------------------------------------------------------------------ the matrix */

static rc_status_t put(bench_subject_t *s, int array, const void *from, size_t bytes, rc_err_t *err)
{
    rc_executor_t *x = &s->d->executor;
    RC_PASS(from ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a matrix"));
    RC_PASS(x->alloc(x, bytes + 1, &s->array[array], err));
    return x->upload(x, s->array[array], from, bytes, err);
}

/* The arrays of a program: numbers of 32 bits. */
static rc_status_t put_matrix(bench_subject_t *s, rc_err_t *err)
{
    const rc_type_t *type = rc_type(s->precision);
    const rc_csr_t *a = s->a;
    size_t n = (size_t)a->nnz;
    size_t rows = (size_t)a->rows + 1;
    int32_t *ptr = malloc(rows * sizeof *ptr);
    void *val = malloc((n + 1) * (size_t)type->bytes);
    for (size_t i = 0; ptr && i < rows; i++)
        ptr[i] = (int32_t)a->row_ptr[i];
    for (size_t i = 0; val && i < n; i++)
        type->store(val, (int64_t)i, a->val[i]);
    rc_status_t st = put(s, 0, ptr, rows * sizeof *ptr, err);
    if (st == RC_OK)
        st = put(s, 1, a->col_idx, n * sizeof *a->col_idx, err);
    if (st == RC_OK)
        st = put(s, 2, val, n * (size_t)type->bytes, err);
    free(ptr);
    free(val);
    s->m = (rc_plan_matrix_t){.rows = a->rows,
        .cols = a->cols,
        .nnz = a->nnz,
        .row_ptr = s->array[0],
        .row_ptr_bytes = sizeof *ptr,
        .col_idx = s->array[1],
        .val = s->array[2],
        .precision = s->precision,
        .on_device = 1};
    return st;
}

rc_status_t bench_subject_open(rc_device_t *d, const char *name, const rc_csr_t *a,
    rc_precision_t precision, const bench_ks_t *ks, bench_subject_t *s, rc_err_t *err)
{
    rc_executor_t *x = &d->executor;
    const size_t line = (size_t)greatest(ks) * rc_precision_bytes(precision);
    *s = (bench_subject_t){.name = name,
        .d = d,
        .stream = rc_cuda_stream(x),
        .a = a,
        .precision = precision,
        .ks = ks};
    rc_status_t st = put_matrix(s, err);
    if (st == RC_OK)
        st = x->alloc(x, (size_t)a->cols * line + 1, &s->b, err);
    if (st == RC_OK)
        st = x->alloc(x, (size_t)a->rows * line + 1, &s->c, err);
    if (st < 0)
        bench_subject_close(s);
    return st;
}

void bench_subject_close(bench_subject_t *s)
{
    rc_executor_t *x = &s->d->executor;
    for (int i = 0; i < 3; i++)
        x->release(x, s->array[i]);
    x->release(x, s->b);
    x->release(x, s->c);
}

int64_t bench_subject_bytes(const bench_subject_t *s)
{
    return (s->a->rows + 1) * (int64_t)sizeof(int32_t) +
           s->a->nnz * (int64_t)(sizeof(int32_t) + rc_precision_bytes(s->precision));
}

rc_status_t bench_plan(
    bench_subject_t *s, const bench_ask_t *ask, rc_plan_t **plan, double *ms, rc_err_t *err)
{
    const rc_plan_problem_t p = {.op = RC_OP_SPMM,
        .precision = s->precision,
        .layout = ask->layout,
        .k = ask->k,
        .ks = ask->ks};
    const rc_plan_options_t o = {
        .kernels = ask->kernels, .orders = ask->orders, .tune = ask->tune, .tune_ns = ask->tune_ns};
    int64_t begin = rc_clock_ns();
    rc_status_t st = rc_plan_create(&p, &s->m, &o, s->stream, plan, err);
    if (ms)
        *ms = (double)(rc_clock_ns() - begin) * 1e-6;
    return st;
}

/* ---------------------------------------------------------------- the products */

static rc_dense_t dense(
    const bench_subject_t *s, void *data, int64_t rows, int64_t k, rc_layout_t layout)
{
    return (rc_dense_t){.data = data,
        .rows = rows,
        .cols = k,
        .ld = layout == RC_ROW_MAJOR ? k : rows,
        .precision = s->precision,
        .layout = layout};
}

bench_multiply_t bench_multiply_of(
    const bench_subject_t *s, int64_t k, rc_layout_t layout, rc_launch_fn *launch, void *state)
{
    return (bench_multiply_t){.launch = launch,
        .state = state,
        .b = dense(s, s->b, s->a->cols, k, layout),
        .c = dense(s, s->c, s->a->rows, k, layout)};
}

enum { SAMPLES = 256, B_SEED = 11, ROW_SEED = 12, COLUMN_SEED = 13 };

/* Which values of C are held against fp64: of complex numbers one part of each. */
typedef struct samples {
    int64_t row[SAMPLES];
    int64_t column[SAMPLES];
    unsigned char part[SAMPLES];
} samples_t;

static void draw(const bench_subject_t *s, int64_t k, samples_t *at)
{
    const int parts = rc_type(s->precision)->parts;
    for (int i = 0; i < SAMPLES; i++) {
        double u = 0.5 + 0.5 * rc_rng_signed(ROW_SEED, (uint64_t)i);
        double v = 0.5 + 0.5 * rc_rng_signed(COLUMN_SEED, (uint64_t)i);
        at->row[i] = (int64_t)(u * (double)s->a->rows) % s->a->rows;
        at->column[i] = (int64_t)(v * (double)k) % k;
        at->part[i] = (unsigned char)(i % parts);
    }
}

/* What a sample is in fp64, from the values as the product has them, and what may be between.
 * Values of A are real ones.
 * \param[in] rounds  1: sums are of the type of values on the way, too */
static double expected(
    const bench_subject_t *s, const samples_t *at, int i, int rounds, double *bound)
{
    const int64_t row = at->row[i];
    const rc_type_t *type = rc_type(s->precision);
    const double eps = 2 * (rounds ? type : rc_type(type->sum))->unit;
    double sum = 0;
    double most = 0;
    for (int64_t e = s->a->row_ptr[row]; e < s->a->row_ptr[row + 1]; e++) {
        uint64_t n = (uint64_t)s->a->col_idx[e] * (uint64_t)greatest(s->ks) +
                     (uint64_t)at->column[i];
        n = n * (uint64_t)type->parts + at->part[i];
        double term = type->round(s->a->val[e]) * type->round(rc_rng_signed(B_SEED, n));
        sum += term;
        most += fabs(term);
    }
    *bound = eps * most * (4 + sqrt((double)(s->a->row_ptr[row + 1] - s->a->row_ptr[row]))) +
             2 * type->unit * fabs(sum) + 1e-7 * type->unit;
    return sum;
}

/* One product on a B that is known, into a C that is poison. */
static rc_status_t check(bench_subject_t *s, const bench_multiply_t *m, rc_err_t *err)
{
    rc_device_t *d = s->d;
    samples_t at;
    double got[SAMPLES];
    unsigned char poison[SAMPLES];
    RC_PASS(d->dense_random(d, &m->b, B_SEED, greatest(s->ks), 0, err));
    RC_PASS(d->dense_poison(d, &m->c, NULL, err));
    RC_PASS(m->launch(m->state, err));
    draw(s, m->c.cols, &at);
    samples_t places = at; /* those of parts are written over them */
    const rc_dense_places_t from = {
        SAMPLES, places.row, places.column, places.part, got, poison};
    RC_PASS(rc_dense_gather_parts(d, &m->c, &from, err));
    for (int i = 0; i < SAMPLES; i++) {
        double bound = 0;
        double want = expected(s, &at, i, m->rounds, &bound);
        if (poison[i] || !(fabs(got[i] - want) <= bound))
            return rc_fail(err, RC_EFORMAT,
                "%s, K %" PRId64 ": C(%" PRId64 ", %" PRId64 ") is %.9g, in fp64 %.9g", s->name,
                m->c.cols, at.row[i], at.column[i], got[i], want);
    }
    return RC_OK;
}

rc_status_t bench_multiply_us(
    bench_subject_t *s, const bench_multiply_t *m, double limit, double *us, rc_err_t *err)
{
    enum { ROUNDS = 5, ROUND_NS = 2000000, MOST = 200 };
    rc_device_t *d = s->d;
    double sample[ROUNDS];
    rc_stats_t stats;
    int64_t ns = 0;
    if (s->a->rows == 0)
        return rc_fail(err, RC_ENOTSUP, "%s has no rows", s->name);
    RC_PASS(check(s, m, err));
    RC_PASS(d->time_batch(d, m->launch, m->state, 2, &ns, err));
    *us = (double)ns * 0.5e-3;
    if (limit > 0 && *us > limit)
        return RC_OK;
    int64_t batch = ROUND_NS / (ns / 2 + 1);
    batch = batch < 2 ? 2 : batch > MOST ? MOST : batch;
    if (d->batch_max > 0 && batch > d->batch_max)
        batch = d->batch_max;
    for (int i = 0; i < ROUNDS; i++) {
        RC_PASS(d->time_batch(d, m->launch, m->state, batch, &ns, err));
        sample[i] = (double)ns / (double)batch * 1e-3;
    }
    rc_stats_compute(sample, ROUNDS, &stats);
    *us = stats.median;
    return RC_OK;
}

typedef struct run {
    rc_plan_t *plan;
    const bench_multiply_t *of;
    struct CUstream_st *stream;
} run_t;

static rc_status_t run_plan(void *state, rc_err_t *err)
{
    const run_t *r = state;
    const rc_dense_t *b = &r->of->b;
    const rc_dense_t *c = &r->of->c;
    return rc_plan_execute(
        r->plan, c->cols, 1, b->data, b->ld, 0, c->data, c->ld, r->stream, err);
}

rc_status_t bench_product_us(bench_subject_t *s, rc_plan_t *plan, const bench_ask_t *ask, int64_t k,
    double limit, double *us, rc_err_t *err)
{
    run_t r = {plan, NULL, s->stream};
    bench_multiply_t m = bench_multiply_of(s, k, ask->layout, run_plan, &r);
    r.of = &m;
    m.rounds = ask->rounds;
    return bench_multiply_us(s, &m, limit, us, err);
}

/* -------------------------------------------------------------------- cuSPARSE */

/* One of its algorithms at each K. */
static rc_status_t time_vendor(
    bench_subject_t *s, const char *kernel, rc_layout_t layout, rc_err_t *err)
{
    const double worth = 1.5; /* times the best so far: it may still be the fastest */
    const double lost = 10;   /* it is not the fastest at a greater K either, where one may take a second */
    const bench_ask_t ask = {.layout = layout,
        .k = s->ks->k,
        .ks = s->ks->n,
        .kernels = kernel,
        .orders = "csr",
        .rounds = 1};
    rc_plan_t *plan = NULL;
    rc_status_t st = bench_plan(s, &ask, &plan, NULL, err);
    for (int i = 0; i < s->ks->n && st == RC_OK; i++) {
        double us = 0;
        st = bench_product_us(s, plan, &ask, s->ks->k[i], worth * s->vendor_us[i], &us, err);
        if (st == RC_OK && (s->vendor_us[i] == 0 || us < s->vendor_us[i]))
            s->vendor_us[i] = us;
        if (us > lost * s->vendor_us[i])
            break;
    }
    rc_plan_free(plan);
    return st == RC_ENOTSUP ? RC_OK : st; /* of another CUDA */
}

/* Those of one layout from a list that NULL ends. */
static rc_status_t time_vendors(
    bench_subject_t *s, const char *const list[], rc_layout_t layout, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; list[i] && st == RC_OK; i++)
        if (rc_vendor_is_for(list[i], "spmm", rc_layout_name(layout)))
            st = time_vendor(s, list[i], layout, err);
    return st;
}

rc_status_t bench_vendor(bench_subject_t *s, rc_err_t *err)
{
    static const char *const usual[] = {
        "cusparse-csr-row", "cusparse-coo-row", "cusparse-csr-col", "cusparse-coo-col", NULL};
    static const rc_layout_t layouts[] = {RC_ROW_MAJOR, RC_COL_MAJOR};
    rc_status_t st = RC_OK;
    for (int i = 0; i < 2 && st == RC_OK; i++) {
        st = time_vendors(s, rc_vendor_all, layouts[i], err);
        if (st == RC_OK)
            st = time_vendors(s, usual, layouts[i], err);
    }
    if (st == RC_OK && s->vendor_us[0] == 0)
        st = rc_fail(err, RC_ENOTSUP, "%s: cuSPARSE has no product", s->name);
    return st;
}
