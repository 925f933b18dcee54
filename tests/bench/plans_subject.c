#include "config.h"
#include "plans_subject.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/type.h"
#include "device/cuda/cuda.h"
#include "kernels/vendor/vendor.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const int64_t bench_ks[BENCH_KS] = {8, 32, 128, 512};

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
    rc_precision_t precision, bench_subject_t *s, rc_err_t *err)
{
    rc_executor_t *x = &d->executor;
    const size_t line = BENCH_K_MOST * rc_precision_bytes(precision);
    *s = (bench_subject_t){
        .name = name, .d = d, .stream = rc_cuda_stream(x), .a = a, .precision = precision};
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

typedef struct launch {
    rc_plan_t *plan;
    int64_t k;
    rc_dense_t b;
    rc_dense_t c;
    struct CUstream_st *stream;
} launch_t;

static rc_status_t launch(void *user, rc_err_t *err)
{
    const launch_t *l = user;
    return rc_plan_execute(
        l->plan, l->k, 1, l->b.data, l->b.ld, 0, l->c.data, l->c.ld, l->stream, err);
}

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

enum { SAMPLES = 256, B_SEED = 11, ROW_SEED = 12, COLUMN_SEED = 13 };

/* What a value of C is in fp64, from the values as the product has them, and what may be between.
 * \param[in] rounds  1: sums are of the type of values on the way, too */
static double expected(
    const bench_subject_t *s, int64_t row, int64_t column, int rounds, double *bound)
{
    const rc_type_t *type = rc_type(s->precision);
    const double eps = 2 * (rounds ? type : rc_type(type->sum))->unit;
    double sum = 0;
    double most = 0;
    for (int64_t e = s->a->row_ptr[row]; e < s->a->row_ptr[row + 1]; e++) {
        uint64_t at = (uint64_t)s->a->col_idx[e] * BENCH_K_MOST + (uint64_t)column;
        double term = type->round(s->a->val[e]) * type->round(rc_rng_signed(B_SEED, at));
        sum += term;
        most += fabs(term);
    }
    *bound = eps * most * (4 + sqrt((double)(s->a->row_ptr[row + 1] - s->a->row_ptr[row]))) +
             2 * type->unit * fabs(sum) + 1e-7 * type->unit;
    return sum;
}

/* One product on a B that is known, into a C that is poison. */
static rc_status_t check(bench_subject_t *s, launch_t *l, int rounds, rc_err_t *err)
{
    rc_device_t *d = s->d;
    int64_t row[SAMPLES];
    int64_t column[SAMPLES];
    double got[SAMPLES];
    unsigned char poison[SAMPLES];
    RC_PASS(d->dense_random(d, &l->b, B_SEED, BENCH_K_MOST, 0, err));
    RC_PASS(d->dense_poison(d, &l->c, NULL, err));
    RC_PASS(launch(l, err));
    for (int i = 0; i < SAMPLES; i++) {
        double u = 0.5 + 0.5 * rc_rng_signed(ROW_SEED, (uint64_t)i);
        double v = 0.5 + 0.5 * rc_rng_signed(COLUMN_SEED, (uint64_t)i);
        row[i] = (int64_t)(u * (double)s->a->rows) % s->a->rows;
        column[i] = (int64_t)(v * (double)l->k) % l->k;
    }
    RC_PASS(d->dense_gather(d, &l->c, row, column, SAMPLES, got, poison, err));
    for (int i = 0; i < SAMPLES; i++) {
        double bound = 0;
        double want = expected(s, row[i], column[i], rounds, &bound);
        if (poison[i] || !(fabs(got[i] - want) <= bound))
            return rc_fail(err, RC_EFORMAT,
                "%s, K %" PRId64 ": C(%" PRId64 ", %" PRId64 ") is %.9g, in fp64 %.9g", s->name,
                l->k, row[i], column[i], got[i], want);
    }
    return RC_OK;
}

rc_status_t bench_product_us(bench_subject_t *s, rc_plan_t *plan, const bench_ask_t *ask, int64_t k,
    double limit, double *us, rc_err_t *err)
{
    enum { ROUNDS = 5, ROUND_NS = 2000000, MOST = 200 };
    rc_device_t *d = s->d;
    launch_t l = {plan, k, dense(s, s->b, s->a->cols, k, ask->layout),
        dense(s, s->c, s->a->rows, k, ask->layout), s->stream};
    double sample[ROUNDS];
    rc_stats_t stats;
    int64_t ns = 0;
    if (s->a->rows == 0)
        return rc_fail(err, RC_ENOTSUP, "%s has no rows", s->name);
    RC_PASS(check(s, &l, ask->rounds, err));
    RC_PASS(d->time_batch(d, launch, &l, 2, &ns, err));
    *us = (double)ns * 0.5e-3;
    if (limit > 0 && *us > limit)
        return RC_OK;
    int64_t batch = ROUND_NS / (ns / 2 + 1);
    batch = batch < 2 ? 2 : batch > MOST ? MOST : batch;
    if (d->batch_max > 0 && batch > d->batch_max)
        batch = d->batch_max;
    for (int i = 0; i < ROUNDS; i++) {
        RC_PASS(d->time_batch(d, launch, &l, batch, &ns, err));
        sample[i] = (double)ns / (double)batch * 1e-3;
    }
    rc_stats_compute(sample, ROUNDS, &stats);
    *us = stats.median;
    return RC_OK;
}

/* -------------------------------------------------------------------- cuSPARSE */

/* One of its algorithms at each K. */
static rc_status_t time_vendor(
    bench_subject_t *s, const char *kernel, rc_layout_t layout, rc_err_t *err)
{
    const double worth = 1.5; /* times the best so far: it may still be the fastest */
    const bench_ask_t ask = {.layout = layout,
        .k = bench_ks,
        .ks = BENCH_KS,
        .kernels = kernel,
        .orders = "csr",
        .rounds = 1};
    rc_plan_t *plan = NULL;
    rc_status_t st = bench_plan(s, &ask, &plan, NULL, err);
    for (int i = 0; i < BENCH_KS && st == RC_OK; i++) {
        double us = 0;
        st = bench_product_us(s, plan, &ask, bench_ks[i], worth * s->vendor_us[i], &us, err);
        if (st == RC_OK && (s->vendor_us[i] == 0 || us < s->vendor_us[i]))
            s->vendor_us[i] = us;
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
