#include "config.h"
#include "kernels/cpu/dense_cpu.h"
#include "base/clock.h"
#include "base/rng_hash.h"

#include <math.h>
#include <string.h>

enum {
    POISON_BYTE = 0xff,
    SPAN = 4096,     /* values of a line (row or column) that are filled in one piece */
    BLOCK = 256,     /* rows that are summed together when column-major */
    LANES = 8,       /* interleaved sums of a row when row-major */
    ALONE = 1 << 15, /* values that are not worth a second thread */
};

/* A matrix as lines that are contiguous in memory: its rows or its columns. */
typedef struct lines {
    int64_t lines;
    int64_t length;
    int64_t pieces; /* of SPAN values per line */
} lines_t;

static lines_t lines_of(const rc_dense_t *m)
{
    int row_major = m->layout == RC_ROW_MAJOR;
    lines_t l = {row_major ? m->rows : m->cols, row_major ? m->cols : m->rows, 0};
    l.pieces = (l.length + SPAN - 1) / SPAN;
    return l;
}

static int threads_for(const rc_device_t *d, const rc_dense_t *m)
{
    return m->cols == 0 || m->rows <= ALONE / m->cols ? 1 : d->executor.threads;
}

static int64_t index_of(const rc_dense_t *m, int64_t r, int64_t j)
{
    return m->layout == RC_ROW_MAJOR ? r * m->ld + j : j * m->ld + r;
}

/* ------------------------------------------------------------------ fill */

/* Values [first, end) of a line; `counter` belongs to the value 0 and grows by `step`. */
static void random_piece(const rc_dense_t *m, int64_t line, int64_t first, int64_t end,
    uint64_t key, uint64_t counter, uint64_t step)
{
    if (m->precision == RC_FP32) {
        float *x = (float *)m->data + line * m->ld;
        for (int64_t i = first; i < end; i++)
            x[i] = (float)rc_rng_keyed_signed(key, counter + (uint64_t)i * step);
        return;
    }
    double *x = (double *)m->data + line * m->ld;
    for (int64_t i = first; i < end; i++)
        x[i] = rc_rng_keyed_signed(key, counter + (uint64_t)i * step);
}

rc_status_t rc_cpu_dense_random(
    rc_device_t *d, const rc_dense_t *m, uint64_t seed, int64_t stride, int64_t j0, rc_err_t *err)
{
    (void)err;
    int64_t start = rc_clock_ns();
    uint64_t key = rc_rng_key(seed);
    int row_major = m->layout == RC_ROW_MAJOR;
    uint64_t line_step = row_major ? (uint64_t)stride : 1;
    uint64_t value_step = row_major ? 1 : (uint64_t)stride;
    lines_t l = lines_of(m);
#pragma omp parallel for num_threads(threads_for(d, m)) schedule(static)
    for (int64_t i = 0; i < l.lines * l.pieces; i++) {
        int64_t line = i / l.pieces;
        int64_t first = (i - line * l.pieces) * SPAN;
        int64_t end = l.length - first < SPAN ? l.length : first + SPAN;
        random_piece(
            m, line, first, end, key, (uint64_t)j0 + (uint64_t)line * line_step, value_step);
    }
    d->active_ns += rc_clock_ns() - start;
    return RC_OK;
}

static void poison_piece(const rc_dense_t *m, int64_t line, int64_t first, int64_t end,
    const unsigned char *clear, size_t bytes)
{
    char *x = (char *)m->data + (size_t)(line * m->ld) * bytes;
    memset(x + (size_t)first * bytes, POISON_BYTE, (size_t)(end - first) * bytes);
    for (int64_t i = first; clear && i < end; i++)
        if (clear[i])
            memset(x + (size_t)i * bytes, 0, bytes);
}

rc_status_t rc_cpu_dense_poison(
    rc_device_t *d, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err)
{
    (void)err;
    int64_t start = rc_clock_ns();
    size_t bytes = rc_precision_bytes(m->precision);
    int row_major = m->layout == RC_ROW_MAJOR;
    lines_t l = lines_of(m);
#pragma omp parallel for num_threads(threads_for(d, m)) schedule(static)
    for (int64_t i = 0; i < l.lines * l.pieces; i++) {
        int64_t line = i / l.pieces;
        int64_t first = (i - line * l.pieces) * SPAN;
        int64_t end = l.length - first < SPAN ? l.length : first + SPAN;
        if (row_major && clear && clear[line])
            memset((char *)m->data + (size_t)(line * m->ld + first) * bytes, 0,
                (size_t)(end - first) * bytes);
        else
            poison_piece(m, line, first, end, row_major ? NULL : clear, bytes);
    }
    d->active_ns += rc_clock_ns() - start;
    return RC_OK;
}

/* --------------------------------------------------------------- project */

static int bits_fp32(const float *x)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return (bits == UINT32_MAX ? RC_ROW_POISON : 0) |
           ((bits << 1) != 0 && (bits << 1) <= UINT32_C(0xff000000) ? RC_ROW_NONZERO : 0);
}

static int bits_fp64(const double *x)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    return (bits == UINT64_MAX ? RC_ROW_POISON : 0) |
           ((bits << 1) != 0 && (bits << 1) <= UINT64_C(0xffe0000000000000) ? RC_ROW_NONZERO : 0);
}

/* Sums of a block of rows, or the lanes of one row. */
typedef struct sums {
    double sum[BLOCK];
    double mag[BLOCK];
    int found[BLOCK];
} sums_t;

static void add_fp32(sums_t *s, const float *x, int64_t n, double sign)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        double v = (double)x[i];
        s->sum[i] += sign * v;
        s->mag[i] += fabs(v);
        s->found[i] |= bits_fp32(&x[i]);
    }
}

static void add_fp64(sums_t *s, const double *x, int64_t n, double sign)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        s->sum[i] += sign * x[i];
        s->mag[i] += fabs(x[i]);
        s->found[i] |= bits_fp64(&x[i]);
    }
}

static void project_block(
    const rc_dense_t *m, int64_t first, int64_t n, const double *sign, sums_t *s)
{
    memset(s, 0, sizeof *s);
    for (int64_t j = 0; j < m->cols; j++) {
        int64_t at = j * m->ld + first;
        if (m->precision == RC_FP32)
            add_fp32(s, (const float *)m->data + at, n, sign[j]);
        else
            add_fp64(s, (const double *)m->data + at, n, sign[j]);
    }
}

static void lanes_fp32(sums_t *s, const float *x, const double *sign, int64_t n)
{
    for (int64_t j = 0; j < n; j += LANES) {
        int64_t lanes = n - j < LANES ? n - j : LANES;
        for (int64_t l = 0; l < lanes; l++) {
            double v = (double)x[j + l];
            s->sum[l] += sign[j + l] * v;
            s->mag[l] += fabs(v);
            s->found[l] |= bits_fp32(&x[j + l]);
        }
    }
}

static void lanes_fp64(sums_t *s, const double *x, const double *sign, int64_t n)
{
    for (int64_t j = 0; j < n; j += LANES) {
        int64_t lanes = n - j < LANES ? n - j : LANES;
        for (int64_t l = 0; l < lanes; l++) {
            s->sum[l] += sign[j + l] * x[j + l];
            s->mag[l] += fabs(x[j + l]);
            s->found[l] |= bits_fp64(&x[j + l]);
        }
    }
}

static void project_row(const rc_dense_t *m, int64_t r, const double *sign, sums_t *s)
{
    for (int l = 0; l < LANES; l++) {
        s->sum[l] = s->mag[l] = 0;
        s->found[l] = 0;
    }
    if (m->precision == RC_FP32)
        lanes_fp32(s, (const float *)m->data + r * m->ld, sign, m->cols);
    else
        lanes_fp64(s, (const double *)m->data + r * m->ld, sign, m->cols);
    for (int l = 1; l < LANES; l++) {
        s->sum[0] += s->sum[l];
        s->mag[0] += s->mag[l];
        s->found[0] |= s->found[l];
    }
}

rc_status_t rc_cpu_dense_project(rc_device_t *d, const rc_dense_t *m, const double *sign,
    double *sum, double *mag, unsigned char *found, rc_err_t *err)
{
    (void)err;
    int64_t start = rc_clock_ns();
    int64_t step = m->layout == RC_ROW_MAJOR ? 1 : BLOCK;
#pragma omp parallel for num_threads(threads_for(d, m)) schedule(static)
    for (int64_t first = 0; first < m->rows; first += step) {
        sums_t s;
        int64_t n = m->rows - first < step ? m->rows - first : step;
        if (m->layout == RC_ROW_MAJOR)
            project_row(m, first, sign, &s);
        else
            project_block(m, first, n, sign, &s);
        for (int64_t i = 0; i < n; i++) {
            if (sum)
                sum[first + i] = s.sum[i];
            if (mag)
                mag[first + i] = s.mag[i];
            if (found)
                found[first + i] = (unsigned char)s.found[i];
        }
    }
    d->active_ns += rc_clock_ns() - start;
    return RC_OK;
}

/* ---------------------------------------------------------------- gather */

rc_status_t rc_cpu_dense_gather(rc_device_t *d, const rc_dense_t *m, const int64_t *row,
    const int64_t *col, int64_t n, double *out, unsigned char *poison, rc_err_t *err)
{
    (void)err;
    int64_t start = rc_clock_ns();
    for (int64_t i = 0; i < n; i++) {
        int64_t at = index_of(m, row[i], col[i]);
        int fp32 = m->precision == RC_FP32;
        out[i] = fp32 ? (double)((const float *)m->data)[at] : ((const double *)m->data)[at];
        poison[i] = (fp32 ? bits_fp32((const float *)m->data + at)
                          : bits_fp64((const double *)m->data + at)) == RC_ROW_POISON;
    }
    d->active_ns += rc_clock_ns() - start;
    return RC_OK;
}
