#include "config.h"
#include "device/device.h"
#include "base/clock.h"
#include "base/rng_hash.h"
#include "base/type.h"

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

/* Sums of a block of rows, or the lanes of one row. */
typedef struct sums {
    double sum[BLOCK];
    double mag[BLOCK];
    int found[BLOCK];
} sums_t;

#define INSTANCES "device/cpu/dense_cpu.inc"
#include "device/cpu/instances.inc"

static void (*const fill[])(void *, int64_t, int64_t, uint64_t, uint64_t, uint64_t) = RC_INSTANCES(
    fill);
static int (*const found_at[])(const void *, int64_t) = RC_INSTANCES(found_at);
static void (*const add[])(sums_t *, const void *, int64_t, int64_t, double) = RC_INSTANCES(add);
static void (*const lanes[])(
    sums_t *, const void *, int64_t, int64_t, const double *) = RC_INSTANCES(lanes);

/* ------------------------------------------------------------------ fill */

/* A complex number is two real ones, whose numbers follow each other. */
static void fill_piece(
    const rc_dense_t *m, int64_t at, int64_t n, uint64_t key, uint64_t counter, uint64_t step)
{
    const rc_type_t *type = rc_type(m->precision);
    if (type->parts == 1) {
        fill[m->precision](m->data, at, n, key, counter, step);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        fill[type->part](m->data, (at + i) * type->parts, type->parts, key,
            (counter + (uint64_t)i * step) * (uint64_t)type->parts, 1);
}

static rc_status_t dense_random(
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
        fill_piece(m, line * m->ld + first, end - first, key,
            (uint64_t)j0 + (uint64_t)line * line_step + (uint64_t)first * value_step, value_step);
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

static rc_status_t dense_poison(
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

static void project_block(
    const rc_dense_t *m, int64_t first, int64_t n, const double *sign, sums_t *s)
{
    memset(s, 0, sizeof *s);
    for (int64_t j = 0; j < m->cols; j++)
        add[m->precision](s, m->data, j * m->ld + first, n, sign[j]);
}

static void project_row(const rc_dense_t *m, int64_t r, const double *sign, sums_t *s)
{
    for (int l = 0; l < LANES; l++) {
        s->sum[l] = s->mag[l] = 0;
        s->found[l] = 0;
    }
    lanes[m->precision](s, m->data, r * m->ld, m->cols, sign);
    for (int l = 1; l < LANES; l++) {
        s->sum[0] += s->sum[l];
        s->mag[0] += s->mag[l];
        s->found[0] |= s->found[l];
    }
}

static rc_status_t dense_project(rc_device_t *d, const rc_dense_t *m, const double *sign,
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

static rc_status_t dense_gather(rc_device_t *d, const rc_dense_t *m, const int64_t *row,
    const int64_t *col, int64_t n, double *out, unsigned char *poison, rc_err_t *err)
{
    (void)err;
    int64_t start = rc_clock_ns();
    for (int64_t i = 0; i < n; i++) {
        int64_t at = index_of(m, row[i], col[i]);
        out[i] = rc_type(m->precision)->load(m->data, at);
        poison[i] = found_at[m->precision](m->data, at) == RC_ROW_POISON;
    }
    d->active_ns += rc_clock_ns() - start;
    return RC_OK;
}

void rc_cpu_dense(rc_device_t *d)
{
    d->dense_random = dense_random;
    d->dense_poison = dense_poison;
    d->dense_project = dense_project;
    d->dense_gather = dense_gather;
}
