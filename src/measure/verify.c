#include "config.h"
#include "measure/verify.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Host buffer that B and C pass through, in values. */
enum { TILE = 1 << 19 };

/* The poison is a NaN with all bits set: arithmetic on finite numbers never gives it. */
enum { POISON_BYTE = 0xff };

/* Streams of the seed: B itself is stream 0. */
static const uint64_t stream_signs = 0x5167e5;
static const uint64_t stream_sample = 0x5a3b1e;

typedef struct sample {
    int64_t at; /* linear index in C */
    double ref;
    double mag; /* sum |a||b| */
    int64_t len;
} sample_t;

struct rc_reference {
    const rc_csr_t *a;
    int64_t k;
    rc_precision_t precision;
    rc_layout_t layout;
    uint64_t seed;
    int threads;
    double eps;  /* spacing of 1 */
    double tiny; /* smallest subnormal */
    double most; /* half of the largest number */
    double *sum; /* [rows] A (B x) */
    double *mag; /* [rows] |A| (|B| |x|) */
    sample_t *sample;
    int64_t samples;
};

/* ------------------------------------------------------------- reference */

static double b_value(const rc_reference_t *ref, int64_t c, int64_t j)
{
    return rc_rng_signed(ref->seed, (uint64_t)c * (uint64_t)ref->k + (uint64_t)j);
}

static double sign_of(const rc_reference_t *ref, int64_t j)
{
    return rc_rng_hash(ref->seed ^ stream_signs, (uint64_t)j) & 1 ? 1.0 : -1.0;
}

static double rounded(const rc_reference_t *ref, double v)
{
    return ref->precision == RC_FP32 ? (double)(float)v : v;
}

static double bound_of(const rc_reference_t *ref, double mag, int64_t len)
{
    return ((double)len + 2) * ref->eps * mag + (double)len * ref->tiny;
}

/* The bound of a row's sum over K columns; the fp64 sums on both sides round as well. */
static double row_bound(const rc_reference_t *ref, double mag, int64_t len)
{
    enum { slack = 8 };
    double fp64 = 2 * DBL_EPSILON * ((double)len + (double)ref->k + slack);
    return bound_of(ref, mag, len) + fp64 * mag + (double)len * (double)ref->k * ref->tiny;
}

static int comparable(const rc_reference_t *ref, double mag)
{
    return mag <= ref->most; /* false for NaN */
}

static rc_status_t row_sums(rc_reference_t *ref, rc_err_t *err)
{
    const rc_csr_t *a = ref->a;
    double *bx = rc_alloc((size_t)a->cols, sizeof *bx, "the sums of B", err);
    double *babs = rc_alloc((size_t)a->cols, sizeof *babs, "the sums of |B|", err);
    double *sign = rc_alloc((size_t)ref->k, sizeof *sign, "the signs of the check", err);
    if (!bx || !babs || !sign) {
        free(bx);
        free(babs);
        free(sign);
        return RC_ENOMEM;
    }
    for (int64_t j = 0; j < ref->k; j++)
        sign[j] = sign_of(ref, j);
#pragma omp parallel for num_threads(ref->threads) schedule(static)
    for (int64_t c = 0; c < a->cols; c++) {
        double sum = 0;
        double mag = 0;
        for (int64_t j = 0; j < ref->k; j++) {
            double v = b_value(ref, c, j);
            sum += sign[j] * v;
            mag += fabs(v);
        }
        bx[c] = sum;
        babs[c] = mag;
    }
    enum { chunk = 256 };
#pragma omp parallel for num_threads(ref->threads) schedule(dynamic, chunk)
    for (int64_t r = 0; r < a->rows; r++) {
        double sum = 0;
        double mag = 0;
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            double v = rounded(ref, a->val[e]);
            sum += v * bx[a->col_idx[e]];
            mag += fabs(v) * babs[a->col_idx[e]];
        }
        ref->sum[r] = sum;
        ref->mag[r] = mag;
    }
    free(bx);
    free(babs);
    free(sign);
    return RC_OK;
}

static int compare_int64(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x;
    int64_t b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static int compare_samples(const void *x, const void *y)
{
    return compare_int64(&((const sample_t *)x)->at, &((const sample_t *)y)->at);
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

static void sample_value(const rc_reference_t *ref, int64_t r, int64_t j, sample_t *out)
{
    const rc_csr_t *a = ref->a;
    double sum = 0;
    double mag = 0;
    for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
        double v = rounded(ref, a->val[e]) * b_value(ref, a->col_idx[e], j);
        sum += v;
        mag += fabs(v);
    }
    *out = (sample_t){
        .at = ref->layout == RC_ROW_MAJOR ? r * ref->k + j : j * a->rows + r,
        .ref = sum,
        .mag = mag,
        .len = a->row_ptr[r + 1] - a->row_ptr[r],
    };
}

static rc_status_t draw_sample(rc_reference_t *ref, const rc_measure_config_t *cfg, rc_err_t *err)
{
    enum { fixed_rows = 3, fixed_cols = 2 };
    if (ref->a->rows == 0)
        return RC_OK;
    int64_t want_rows = cfg->verify_rows > 0 ? cfg->verify_rows : 0;
    int64_t want_cols = cfg->verify_cols > 0 ? cfg->verify_cols : 0;
    if (want_rows > ref->a->rows)
        want_rows = ref->a->rows;
    if (want_cols > ref->k)
        want_cols = ref->k;
    int64_t *row = rc_alloc((size_t)want_rows + fixed_rows, sizeof *row, "the sampled rows", err);
    int64_t *col =
        rc_alloc((size_t)want_cols + fixed_cols, sizeof *col, "the sampled columns", err);
    rc_status_t st = row && col ? RC_OK : RC_ENOMEM;
    if (st == RC_OK) {
        rc_rng_t rng;
        rc_rng_seed(&rng, ref->seed ^ stream_sample);
        row[0] = 0;
        row[1] = ref->a->rows - 1;
        row[2] = longest_row(ref->a);
        int64_t rows = draw(&rng, ref->a->rows, want_rows, row, fixed_rows);
        col[0] = 0;
        col[1] = ref->k - 1;
        int64_t cols = draw(&rng, ref->k, want_cols, col, fixed_cols);
        ref->sample = rc_alloc(
            (size_t)rows * (size_t)cols, sizeof *ref->sample, "the verification sample", err);
        st = ref->sample ? RC_OK : RC_ENOMEM;
        if (ref->sample) {
            ref->samples = rows * cols;
#pragma omp parallel for num_threads(ref->threads) schedule(dynamic)
            for (int64_t i = 0; i < rows * cols; i++)
                sample_value(ref, row[i / cols], col[i % cols], &ref->sample[i]);
            qsort(ref->sample, (size_t)ref->samples, sizeof *ref->sample, compare_samples);
        }
    }
    free(row);
    free(col);
    return st;
}

rc_status_t rc_reference_new(const rc_group_t *g, const rc_measure_config_t *cfg, int threads,
    rc_reference_t **out, rc_err_t *err)
{
    rc_reference_t *ref = rc_alloc0(1, sizeof *ref, "the reference", err);
    if (!ref)
        return RC_ENOMEM;
    int fp32 = g->precision == RC_FP32;
    *ref = (rc_reference_t){
        .a = g->a,
        .k = g->k,
        .precision = g->precision,
        .layout = g->kernel->kernel->layout,
        .seed = cfg->seed,
        .threads = threads,
        .eps = fp32 ? (double)FLT_EPSILON : DBL_EPSILON,
        .tiny = fp32 ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN,
        .most = fp32 ? (double)FLT_MAX / 2 : DBL_MAX / 2,
    };
    ref->sum = rc_alloc((size_t)g->a->rows, sizeof *ref->sum, "the row sums", err);
    ref->mag = rc_alloc((size_t)g->a->rows, sizeof *ref->mag, "the row bounds", err);
    if (!ref->sum || !ref->mag || row_sums(ref, err) < 0 || draw_sample(ref, cfg, err) < 0) {
        rc_reference_free(ref);
        return RC_ENOMEM;
    }
    *out = ref;
    return RC_OK;
}

void rc_reference_free(rc_reference_t *ref)
{
    if (!ref)
        return;
    free(ref->sum);
    free(ref->mag);
    free(ref->sample);
    free(ref);
}

/* ------------------------------------------------------------- operands */

static void *tile_new(const rc_reference_t *ref, rc_err_t *err)
{
    return rc_alloc_aligned(TILE, rc_precision_bytes(ref->precision), "a transfer buffer", err);
}

static int64_t tile_end(int64_t first, int64_t total)
{
    return total - first < TILE ? total : first + TILE;
}

static void tile_set(const rc_reference_t *ref, void *tile, int64_t i, double v)
{
    if (ref->precision == RC_FP32)
        ((float *)tile)[i] = (float)v;
    else
        ((double *)tile)[i] = v;
}

static char *value_at(const rc_reference_t *ref, void *p, int64_t i)
{
    return (char *)p + (size_t)i * rc_precision_bytes(ref->precision);
}

rc_status_t rc_reference_fill_b(const rc_reference_t *ref, rc_device_t *d, void *b, rc_err_t *err)
{
    int64_t total = ref->a->cols * ref->k;
    void *tile = tile_new(ref, err);
    if (!tile)
        return RC_ENOMEM;
    rc_status_t st = RC_OK;
    for (int64_t first = 0; first < total && st == RC_OK; first += TILE) {
        int64_t end = tile_end(first, total);
        int64_t width = ref->layout == RC_ROW_MAJOR ? ref->k : ref->a->cols;
#pragma omp parallel for num_threads(ref->threads) schedule(static)
        for (int64_t i = first; i < end; i++) {
            int64_t major = i / width;
            int64_t minor = i - major * width;
            double v = ref->layout == RC_ROW_MAJOR ? b_value(ref, major, minor)
                                                   : b_value(ref, minor, major);
            tile_set(ref, tile, i - first, v);
        }
        st = d->upload(d, value_at(ref, b, first), tile,
            (size_t)(end - first) * rc_precision_bytes(ref->precision), err);
    }
    free(tile);
    return st;
}

/* 1 for every row that the schedule holds; `absent` counts the others. */
static unsigned char *rows_present(
    const rc_reference_t *ref, const rc_schedule_t *s, int64_t *absent, rc_err_t *err)
{
    unsigned char *present = rc_alloc0((size_t)ref->a->rows, 1, "the rows of the schedule", err);
    if (!present)
        return NULL;
    for (int64_t p = 0; p < s->slots; p++)
        if (s->row[p] >= 0)
            present[s->row[p]] = 1;
    *absent = 0;
    for (int64_t r = 0; r < ref->a->rows; r++)
        *absent += !present[r];
    return present;
}

rc_status_t rc_reference_poison(const rc_reference_t *ref, rc_device_t *d,
    const rc_schedule_t *schedule, void *c, rc_err_t *err)
{
    int64_t rows = ref->a->rows;
    int64_t total = rows * ref->k;
    size_t bytes = rc_precision_bytes(ref->precision);
    int64_t absent;
    unsigned char *present = rows_present(ref, schedule, &absent, err);
    if (!present)
        return RC_ENOMEM;
    void *tile = NULL;
    rc_status_t st = RC_OK;
    if (absent == 0) {
        st = d->fill(d, c, POISON_BYTE, (size_t)total * bytes, err);
        goto done;
    }
    tile = tile_new(ref, err);
    if (!tile) {
        st = RC_ENOMEM;
        goto done;
    }
    for (int64_t first = 0; first < total; first += TILE) {
        int64_t end = tile_end(first, total);
        for (int64_t i = first; i < end; i++) {
            int64_t r = ref->layout == RC_ROW_MAJOR ? i / ref->k : i % rows;
            memset(value_at(ref, tile, i - first), present[r] ? POISON_BYTE : 0, bytes);
        }
        RC_TRY(d->upload(d, value_at(ref, c, first), tile, (size_t)(end - first) * bytes, err));
    }
done:
    free(present);
    free(tile);
    return st;
}

/* ---------------------------------------------------------------- check */

typedef enum finding_kind {
    FOUND_NONE = 0,
    FOUND_POISON, /* never stored to */
    FOUND_NONZERO /* in a row without entries */
} finding_kind_t;

/* The first value of C, in (row, column) order, that is wrong whatever the reference. */
typedef struct finding {
    finding_kind_t kind;
    int64_t row;
    int64_t col;
    double value;
} finding_t;

static void keep_first(finding_t *best, const finding_t *f)
{
    if (f->kind &&
        (!best->kind || f->row < best->row || (f->row == best->row && f->col < best->col)))
        *best = *f;
}

static double tile_get(const rc_reference_t *ref, const void *tile, int64_t i, int *poison)
{
    if (ref->precision == RC_FP32) {
        uint32_t bits;
        memcpy(&bits, (const float *)tile + i, sizeof bits);
        *poison = bits == UINT32_MAX;
        return (double)((const float *)tile)[i];
    }
    uint64_t bits;
    memcpy(&bits, (const double *)tile + i, sizeof bits);
    *poison = bits == UINT64_MAX;
    return ((const double *)tile)[i];
}

/* Take in value i of the tile, which is C(r, j). */
static void scan_value(const rc_reference_t *ref, const void *tile, int64_t i, int64_t r, int64_t j,
    double sign, double *sum, finding_t *found)
{
    int poison;
    double v = tile_get(ref, tile, i, &poison);
    sum[r] += sign * v;
    finding_t f = {FOUND_NONE, r, j, v};
    if (poison)
        f.kind = FOUND_POISON;
    else if (v != 0 && ref->a->row_ptr[r] == ref->a->row_ptr[r + 1])
        f.kind = FOUND_NONZERO;
    keep_first(found, &f);
}

/* Values [first, end) of C, which are in the tile.  Each thread has rows of its own. */
static void scan_tile(const rc_reference_t *ref, const void *tile, int64_t first, int64_t end,
    const double *sign, double *sum, finding_t *found)
{
    int row_major = ref->layout == RC_ROW_MAJOR;
    int64_t width = row_major ? ref->k : ref->a->rows;
    int64_t major0 = first / width;
    int64_t major1 = (end - 1) / width;
    int64_t minor0 = major0 == major1 ? first - major0 * width : 0;
    int64_t minor1 = major0 == major1 ? end - major0 * width : width;
#pragma omp parallel num_threads(ref->threads)
    {
        finding_t mine = {FOUND_NONE, 0, 0, 0};
        if (row_major) {
#pragma omp for schedule(static)
            for (int64_t r = major0; r <= major1; r++)
                for (int64_t j = minor0; j < minor1; j++) {
                    int64_t i = r * width + j;
                    if (i >= first && i < end)
                        scan_value(ref, tile, i - first, r, j, sign[j], sum, &mine);
                }
        } else {
#pragma omp for schedule(static)
            for (int64_t r = minor0; r < minor1; r++)
                for (int64_t j = major0; j <= major1; j++) {
                    int64_t i = j * width + r;
                    if (i >= first && i < end)
                        scan_value(ref, tile, i - first, r, j, sign[j], sum, &mine);
                }
        }
#pragma omp critical(rc_verify_scan)
        keep_first(found, &mine);
    }
}

typedef struct errors {
    double max; /* |C - ref| / bound; NaN before the first */
    double rel; /* |C - ref| / mag */
    int64_t at; /* linear index of max */
    double value;
    double ref;
} errors_t;

static void check_sample(const rc_reference_t *ref, const sample_t *s, double value, errors_t *e)
{
    if (!comparable(ref, s->mag))
        return;
    double off = fabs(value - s->ref);
    double bound = bound_of(ref, s->mag, s->len);
    double ratio = off == 0 ? 0 : isfinite(off) && bound > 0 ? off / bound : INFINITY;
    double rel = off == 0 ? 0 : isfinite(off) && s->mag > 0 ? off / s->mag : INFINITY;
    if (!(e->rel >= rel))
        e->rel = rel;
    if (!(e->max >= ratio)) {
        e->max = ratio;
        e->at = s->at;
        e->value = value;
        e->ref = s->ref;
    }
}

/* The largest ratio of the row check, and its row. */
static double check_rows(const rc_reference_t *ref, const double *sum, int64_t *row)
{
    double worst = 0;
    *row = -1;
    for (int64_t r = 0; r < ref->a->rows; r++) {
        int64_t len = ref->a->row_ptr[r + 1] - ref->a->row_ptr[r];
        if (!comparable(ref, ref->mag[r]))
            continue;
        double off = fabs(sum[r] - ref->sum[r]);
        double bound = row_bound(ref, ref->mag[r], len);
        double ratio = off == 0 ? 0 : isfinite(off) && bound > 0 ? off / bound : INFINITY;
        if (ratio > worst) {
            worst = ratio;
            *row = r;
        }
    }
    return worst;
}

static rc_status_t verdict(const rc_reference_t *ref, const finding_t *found, const double *sum,
    errors_t *e, rc_err_t *err)
{
    int64_t row;
    double worst_row = check_rows(ref, sum, &row);
    int sample_wrong = e->max > 1; /* false for NaN */
    if (found->kind == FOUND_NONE && !sample_wrong && worst_row <= 1)
        return RC_OK;
    if (found->kind != FOUND_NONE)
        e->max = INFINITY;
    else if (!sample_wrong)
        e->max = worst_row;
    if (found->kind == FOUND_POISON)
        return rc_fail(err, RC_EWRONG, "C(%" PRId64 ", %" PRId64 ") was not stored to", found->row,
            found->col);
    if (found->kind == FOUND_NONZERO)
        return rc_fail(err, RC_EWRONG,
            "C(%" PRId64 ", %" PRId64 "): expected 0 in a row without entries, found %.9g",
            found->row, found->col, found->value);
    if (!sample_wrong)
        return rc_fail(err, RC_EWRONG,
            "row %" PRId64 " of C: its sum with random signs is off by %.3g times the bound", row,
            worst_row);
    int row_major = ref->layout == RC_ROW_MAJOR;
    int64_t width = row_major ? ref->k : ref->a->rows;
    int64_t major = e->at / width;
    int64_t minor = e->at % width;
    return rc_fail(err, RC_EWRONG,
        "C(%" PRId64 ", %" PRId64 "): expected %.9g, found %.9g, %.3g times the bound",
        row_major ? major : minor, row_major ? minor : major, e->ref, e->value, e->max);
}

rc_status_t rc_reference_check(const rc_reference_t *ref, rc_device_t *d, const void *c,
    double *error_max, double *error_rel, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t total = ref->a->rows * ref->k;
    void *tile = tile_new(ref, err);
    double *sum = rc_alloc0((size_t)ref->a->rows, sizeof *sum, "the row sums", err);
    double *sign = rc_alloc((size_t)ref->k, sizeof *sign, "the signs of the check", err);
    if (!tile || !sum || !sign) {
        st = RC_ENOMEM;
        goto done;
    }
    for (int64_t j = 0; j < ref->k; j++)
        sign[j] = sign_of(ref, j);
    finding_t found = {FOUND_NONE, 0, 0, 0};
    errors_t e = {NAN, NAN, 0, 0, 0};
    int64_t next = 0;
    for (int64_t first = 0; first < total; first += TILE) {
        int64_t end = tile_end(first, total);
        RC_TRY(d->download(d, tile,
            (const char *)c + (size_t)first * rc_precision_bytes(ref->precision),
            (size_t)(end - first) * rc_precision_bytes(ref->precision), err));
        scan_tile(ref, tile, first, end, sign, sum, &found);
        for (; next < ref->samples && ref->sample[next].at < end; next++) {
            int poison;
            double v = tile_get(ref, tile, ref->sample[next].at - first, &poison);
            check_sample(ref, &ref->sample[next], v, &e);
        }
    }
    st = verdict(ref, &found, sum, &e, err);
    *error_max = e.max;
    *error_rel = e.rel;
done:
    free(tile);
    free(sum);
    free(sign);
    return st;
}
