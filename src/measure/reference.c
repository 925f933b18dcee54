#include "config.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "base/rng_hash.h"
#include "measure/verify_private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Streams of the seed: B itself is stream 0. */
static const uint64_t stream_signs = 0x5167e5;
static const uint64_t stream_sample = 0x5a3b1e;

/* Entries that are not worth a second thread. */
enum { ALONE = 1 << 14 };

double rc_reference_bound(const rc_reference_t *ref, double mag, int64_t len)
{
    return ((double)len + 2) * ref->eps * mag + (double)len * ref->tiny;
}

int rc_reference_comparable(const rc_reference_t *ref, double mag)
{
    return mag <= ref->most; /* false for NaN */
}

static double rounded(const rc_reference_t *ref, double v)
{
    return ref->precision == RC_FP32 ? (double)(float)v : v;
}

/* The bound of a row's sum over the columns; the fp64 sums on both sides round as well. */
static double row_bound(const rc_reference_t *ref, double mag, int64_t len)
{
    enum { slack = 8 };
    if (!rc_reference_comparable(ref, mag))
        return -1;
    double k = (double)ref->columns.width;
    double fp64 = 2 * DBL_EPSILON * ((double)len + k + slack);
    return rc_reference_bound(ref, mag, len) + fp64 * mag + (double)len * k * ref->tiny;
}

/* ------------------------------------------------------------------ rows */

static void multiply_rows(rc_reference_t *ref, const double *bx, const double *babs)
{
    enum { chunk = 256 };
    const rc_csr_t *a = ref->a;
#pragma omp parallel for num_threads(ref->threads) schedule(dynamic, chunk) if (a->nnz > ALONE)
    for (int64_t r = 0; r < a->rows; r++) {
        double sum = 0;
        double mag = 0;
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            double v = rounded(ref, a->val[e]);
            sum += v * bx[a->col_idx[e]];
            mag += fabs(v) * babs[a->col_idx[e]];
        }
        ref->sum[r] = sum;
        ref->bound[r] = row_bound(ref, mag, a->row_ptr[r + 1] - a->row_ptr[r]);
    }
}

/* A (B x) and its bound, from the sums of the B that the device holds. */
static rc_status_t sum_rows(rc_reference_t *ref, rc_device_t *d, const rc_dense_t *b, rc_err_t *err)
{
    double *bx = rc_alloc((size_t)ref->a->cols, sizeof *bx, "the sums of B", err);
    double *babs = rc_alloc((size_t)ref->a->cols, sizeof *babs, "the sums of |B|", err);
    rc_status_t st = bx && babs ? RC_OK : RC_ENOMEM;
    uint64_t key = rc_rng_key(ref->seed ^ stream_signs);
    for (int64_t j = 0; j < ref->columns.width; j++)
        ref->sign[j] = rc_rng_keyed(key, (uint64_t)(ref->columns.j0 + j)) & 1 ? 1.0 : -1.0;
    if (st == RC_OK)
        st = d->dense_project(d, b, ref->sign, bx, babs, NULL, err);
    if (st == RC_OK)
        multiply_rows(ref, bx, babs);
    free(bx);
    free(babs);
    return st;
}

/* ---------------------------------------------------------------- sample */

static int compare_int64(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x;
    int64_t b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* Sort and drop repetitions; returns what is left. */
static int64_t distinct(int64_t *x, int64_t n)
{
    qsort(x, (size_t)n, sizeof *x, compare_int64);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || x[i] != x[kept - 1])
            x[kept++] = x[i];
    return kept;
}

/* `want` seeded numbers below `bound` after the `given` ones that are in x already; all of them
 * when there are no more than that.  x has room for given + want. */
static int64_t draw(rc_rng_t *rng, int64_t bound, int64_t want, int64_t *x, int64_t given)
{
    if (bound <= want) {
        for (int64_t i = 0; i < bound; i++)
            x[i] = i;
        return bound;
    }
    for (int64_t i = 0; i < want; i++)
        x[given + i] = (int64_t)rc_rng_below(rng, (uint64_t)bound);
    return distinct(x, given + want);
}

static int64_t longest_row(const rc_csr_t *a)
{
    int64_t best = 0;
    for (int64_t r = 1; r < a->rows; r++)
        if (a->row_ptr[r + 1] - a->row_ptr[r] > a->row_ptr[best + 1] - a->row_ptr[best])
            best = r;
    return best;
}

static void sample_value(const rc_reference_t *ref, int64_t r, int64_t j, rc_sample_t *out)
{
    const rc_csr_t *a = ref->a;
    uint64_t key = rc_rng_key(ref->seed);
    uint64_t k = (uint64_t)ref->columns.k;
    uint64_t at = (uint64_t)(ref->columns.j0 + j);
    *out = (rc_sample_t){0};
    for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
        double v =
            rounded(ref, a->val[e]) * rc_rng_keyed_signed(key, (uint64_t)a->col_idx[e] * k + at);
        out->ref += v;
        out->mag += fabs(v);
    }
}

static int64_t clamp(int64_t x, int64_t most)
{
    return x < 0 ? 0 : x > most ? most : x;
}

static rc_status_t draw_sample(rc_reference_t *ref, rc_err_t *err)
{
    enum { fixed_rows = 3, fixed_cols = 2 };
    const rc_csr_t *a = ref->a;
    if (a->rows == 0)
        return RC_OK;
    int64_t want_rows = clamp(ref->verify_rows, a->rows);
    int64_t want_cols = clamp(ref->verify_cols, ref->columns.width);
    ref->row = rc_alloc((size_t)want_rows + fixed_rows, sizeof *ref->row, "the sampled rows", err);
    ref->col =
        rc_alloc((size_t)want_cols + fixed_cols, sizeof *ref->col, "the sampled columns", err);
    if (!ref->row || !ref->col)
        return RC_ENOMEM;
    rc_rng_t rng;
    rc_rng_seed(&rng, ref->seed ^ stream_sample);
    ref->row[0] = 0;
    ref->row[1] = a->rows - 1;
    ref->row[2] = longest_row(a);
    ref->rows = draw(&rng, a->rows, want_rows, ref->row, fixed_rows);
    ref->col[0] = 0;
    ref->col[1] = ref->columns.width - 1;
    ref->cols = draw(&rng, ref->columns.width, want_cols, ref->col, fixed_cols);
    int64_t samples = ref->rows * ref->cols;
    ref->sample = rc_alloc((size_t)samples, sizeof *ref->sample, "the verification sample", err);
    if (!ref->sample)
        return RC_ENOMEM;
    int64_t work = 0;
    for (int64_t i = 0; i < ref->rows; i++)
        work += (a->row_ptr[ref->row[i] + 1] - a->row_ptr[ref->row[i]]) * ref->cols;
#pragma omp parallel for num_threads(ref->threads) schedule(dynamic) if (work > ALONE)
    for (int64_t i = 0; i < samples; i++)
        sample_value(ref, ref->row[i / ref->cols], ref->col[i % ref->cols], &ref->sample[i]);
    return RC_OK;
}

/* ------------------------------------------------------------- reference */

rc_status_t rc_reference_new(const rc_group_t *g, const rc_measure_config_t *cfg,
    const rc_columns_t *columns, rc_device_t *d, const rc_dense_t *b, rc_reference_t **out,
    rc_err_t *err)
{
    rc_reference_t *ref = rc_alloc0(1, sizeof *ref, "the reference", err);
    if (!ref)
        return RC_ENOMEM;
    int fp32 = g->precision == RC_FP32;
    *ref = (rc_reference_t){
        .a = g->a,
        .digest = g->digest,
        .nnz = g->a->nnz,
        .columns = *columns,
        .precision = g->precision,
        .seed = cfg->seed,
        .verify_rows = cfg->verify_rows,
        .verify_cols = cfg->verify_cols,
        .threads = d->threads > 0 ? d->threads : 1,
        .eps = fp32 ? (double)FLT_EPSILON : DBL_EPSILON,
        .tiny = fp32 ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN,
        .most = fp32 ? (double)FLT_MAX / 2 : DBL_MAX / 2,
    };
    size_t rows = (size_t)g->a->rows;
    ref->sign = rc_alloc((size_t)columns->width, sizeof *ref->sign, "the signs of the check", err);
    ref->sum = rc_alloc(rows, sizeof *ref->sum, "the row sums", err);
    ref->bound = rc_alloc(rows, sizeof *ref->bound, "the row bounds", err);
    rc_status_t st = ref->sign && ref->sum && ref->bound ? RC_OK : RC_ENOMEM;
    if (st == RC_OK)
        st = sum_rows(ref, d, b, err);
    if (st == RC_OK)
        st = draw_sample(ref, err);
    if (st < 0) {
        rc_reference_free(ref);
        return st;
    }
    *out = ref;
    return RC_OK;
}

int rc_reference_is_of(const rc_reference_t *ref, const rc_group_t *g)
{
    static const rc_digest_t unknown;
    return rc_digest_compare(&g->digest, &unknown) != 0 &&
           rc_digest_compare(&g->digest, &ref->digest) == 0 && ref->nnz == g->a->nnz;
}

int rc_reference_serves(const rc_reference_t *ref, const rc_group_t *g,
    const rc_measure_config_t *cfg, const rc_columns_t *columns)
{
    return rc_reference_is_of(ref, g) && ref->precision == g->precision &&
           ref->columns.k == columns->k && ref->columns.j0 == columns->j0 &&
           ref->columns.width == columns->width && ref->seed == cfg->seed &&
           ref->verify_rows == cfg->verify_rows && ref->verify_cols == cfg->verify_cols;
}

void rc_reference_borrow(rc_reference_t *ref, const rc_csr_t *a)
{
    ref->a = a;
}

void rc_reference_free(rc_reference_t *ref)
{
    if (!ref)
        return;
    free(ref->sign);
    free(ref->sum);
    free(ref->bound);
    free(ref->row);
    free(ref->col);
    free(ref->sample);
    free(ref->c_sum);
    free(ref->found);
    free(ref);
}
