#include "config.h"
#include "device/device.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/clock.h"
#include "base/rng_hash.h"
#include "device/cuda/cuda.h"
#include "device/cuda/dense_launch.h"

#include <stdlib.h>
#include <string.h>

enum { POISON_BYTE = 0xff };

/* When an operation began; its copies count as copies. */
typedef struct begin {
    int64_t ns;
    int64_t copy_ns;
} begin_t;

static begin_t begin_of(const rc_device_t *d)
{
    (void)rc_cuda_enter(&d->executor); /* and stays */
    return (begin_t){rc_clock_ns(), d->executor.copy_ns};
}

static void count_time(rc_device_t *d, begin_t begin)
{
    d->active_ns += rc_clock_ns() - begin.ns - (d->executor.copy_ns - begin.copy_ns);
}

/* Wait for what was launched, so that its time counts as the device's: the copy or the batch that
 * comes next would wait for it too, and nobody would count it. */
static rc_status_t wait_for_it(rc_device_t *d, rc_err_t *err)
{
    return rc_cuda_check(
        cudaStreamSynchronize(rc_cuda_stream(&d->executor)), "work on a dense matrix", err);
}

static int is_empty(const rc_dense_t *m)
{
    return m->rows == 0 || m->cols == 0;
}

static rc_status_t dense_random(
    rc_device_t *d, const rc_dense_t *m, uint64_t seed, int64_t stride, int64_t j0, rc_err_t *err)
{
    begin_t begin = begin_of(d);
    if (is_empty(m))
        return RC_OK;
    rc_status_t st =
        rc_cuda_launch_random(rc_cuda_stream(&d->executor), m, rc_rng_key(seed), stride, j0, err);
    if (st == RC_OK)
        st = wait_for_it(d, err);
    count_time(d, begin);
    return st;
}

static rc_status_t dense_poison(
    rc_device_t *d, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err)
{
    begin_t begin = begin_of(d);
    int64_t lines = m->layout == RC_ROW_MAJOR ? m->rows : m->cols;
    int64_t length = m->layout == RC_ROW_MAJOR ? m->cols : m->rows;
    void *flags = NULL;
    rc_status_t st = RC_OK;
    if (is_empty(m))
        return RC_OK;
    if (!clear && m->ld == length) {
        size_t bytes = (size_t)(lines * length) * rc_precision_bytes(m->precision);
        RC_TRY(d->executor.fill(&d->executor, m->data, POISON_BYTE, bytes, err));
        st = wait_for_it(d, err);
        goto done;
    }
    if (clear) {
        RC_TRY(d->executor.alloc(&d->executor, (size_t)m->rows, &flags, err));
        RC_TRY(d->executor.upload(&d->executor, flags, clear, (size_t)m->rows, err));
    }
    RC_TRY(rc_cuda_launch_poison(rc_cuda_stream(&d->executor), m, flags, err));
    st = wait_for_it(d, err);
done:
    d->executor.release(&d->executor, flags);
    count_time(d, begin);
    return st;
}

/* --------------------------------------------------------------- project */

/* What a projection needs on the device, as offsets into one piece of memory. */
typedef struct layout {
    size_t bytes;
    size_t sign;
    size_t sum;
    size_t mag;
    size_t found;
    size_t part_sum;
    size_t part_mag;
    size_t part_found;
} layout_t;

static size_t put(layout_t *l, int64_t count, size_t size)
{
    enum { align = 256 };
    size_t at = l->bytes;
    l->bytes += ((size_t)count * size + align - 1) / align * align;
    return at;
}

static layout_t lay_out(const rc_dense_t *m)
{
    layout_t l = {0};
    int64_t chunks = rc_cuda_project_chunks(m);
    int64_t parts = chunks > 1 ? chunks * m->rows : 0;
    l.sign = put(&l, m->cols, sizeof(double));
    l.sum = put(&l, m->rows, sizeof(double));
    l.mag = put(&l, m->rows, sizeof(double));
    l.found = put(&l, m->rows, 1);
    l.part_sum = put(&l, parts, sizeof(double));
    l.part_mag = put(&l, parts, sizeof(double));
    l.part_found = put(&l, parts, 1);
    return l;
}

static rc_cuda_sums_t sums_at(char *base, size_t sum, size_t mag, size_t found)
{
    return (rc_cuda_sums_t){(double *)(void *)(base + sum), (double *)(void *)(base + mag),
        (unsigned char *)base + found};
}

static rc_status_t dense_project(rc_device_t *d, const rc_dense_t *m, const double *sign,
    double *sum, double *mag, unsigned char *found, rc_err_t *err)
{
    begin_t begin = begin_of(d);
    size_t rows = (size_t)m->rows;
    void *memory = NULL;
    rc_status_t st = RC_OK;
    if (is_empty(m)) {
        if (sum)
            memset(sum, 0, rows * sizeof *sum);
        if (mag)
            memset(mag, 0, rows * sizeof *mag);
        if (found)
            memset(found, 0, rows);
        return RC_OK;
    }
    layout_t l = lay_out(m);
    RC_TRY(d->executor.alloc(&d->executor, l.bytes, &memory, err));
    char *base = memory;
    rc_cuda_sums_t out = sums_at(base, l.sum, l.mag, l.found);
    rc_cuda_sums_t part = sums_at(base, l.part_sum, l.part_mag, l.part_found);
    const double *signs = (const double *)(const void *)(base + l.sign);
    RC_TRY(
        d->executor.upload(&d->executor, base + l.sign, sign, (size_t)m->cols * sizeof *sign, err));
    RC_TRY(rc_cuda_launch_project(rc_cuda_stream(&d->executor), m, signs, &part, &out, err));
    RC_TRY(wait_for_it(d, err));
    if (sum)
        RC_TRY(d->executor.download(&d->executor, sum, out.sum, rows * sizeof *sum, err));
    if (mag)
        RC_TRY(d->executor.download(&d->executor, mag, out.mag, rows * sizeof *mag, err));
    if (found)
        RC_TRY(d->executor.download(&d->executor, found, out.found, rows, err));
done:
    d->executor.release(&d->executor, memory);
    count_time(d, begin);
    return st;
}

/* ---------------------------------------------------------------- gather */

/* One copy to the device and one back: positions, then values and flags. */
static rc_status_t dense_gather(rc_device_t *d, const rc_dense_t *m, const int64_t *row,
    const int64_t *col, int64_t n, double *out, unsigned char *poison, rc_err_t *err)
{
    begin_t begin = begin_of(d);
    size_t count = (size_t)n;
    size_t there = 2 * count * sizeof(int64_t);
    size_t back = count * (sizeof(double) + 1);
    void *memory = NULL;
    char *host = NULL;
    rc_status_t st = RC_OK;
    if (n == 0)
        return RC_OK;
    host = rc_alloc(count, 2 * sizeof(int64_t), "positions in C", err);
    RC_PASS(host ? RC_OK : RC_ENOMEM);
    memcpy(host, row, count * sizeof *row);
    memcpy(host + count * sizeof *row, col, count * sizeof *col);
    RC_TRY(d->executor.alloc(&d->executor, there + back, &memory, err));
    char *base = memory;
    const int64_t *rows = (const int64_t *)memory;
    double *values = (double *)(void *)(base + there);
    unsigned char *flags = (unsigned char *)base + there + count * sizeof(double);
    RC_TRY(d->executor.upload(&d->executor, memory, host, there, err));
    RC_TRY(rc_cuda_launch_gather(
        rc_cuda_stream(&d->executor), m, rows, rows + count, n, values, flags, err));
    RC_TRY(wait_for_it(d, err));
    RC_TRY(d->executor.download(
        &d->executor, host, values, back, err)); /* 9 bytes each: fits where 16 were */
    memcpy(out, host, count * sizeof *out);
    memcpy(poison, host + count * sizeof *out, count);
done:
    d->executor.release(&d->executor, memory);
    free(host);
    count_time(d, begin);
    return st;
}

void rc_cuda_dense(rc_device_t *d)
{
    d->dense_random = dense_random;
    d->dense_poison = dense_poison;
    d->dense_project = dense_project;
    d->dense_gather = dense_gather;
}
