#include "config.h"
#include "dense_plain.h"

#include "base/rng.h"
#include "base/type.h"

#include <math.h>
#include <string.h>

enum { POISON = 0xff };

static int64_t place(const rc_dense_t *m, int64_t r, int64_t j)
{
    return m->layout == RC_ROW_MAJOR ? r * m->ld + j : j * m->ld + r;
}

static unsigned char *at(const rc_dense_t *m, int64_t r, int64_t j)
{
    return (unsigned char *)m->data + (size_t)place(m, r, j) * rc_precision_bytes(m->precision);
}

static int is_poison(const rc_dense_t *m, int64_t r, int64_t j)
{
    int same = 1;
    for (size_t i = 0; i < rc_precision_bytes(m->precision); i++)
        same &= at(m, r, j)[i] == POISON;
    return same;
}

static double get(const rc_dense_t *m, int64_t r, int64_t j)
{
    return rc_type(m->precision)->load(m->data, place(m, r, j));
}

static rc_status_t fill(
    rc_device_t *d, const rc_dense_t *m, uint64_t seed, int64_t stride, int64_t j0, rc_err_t *err)
{
    (void)d, (void)err;
    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t j = 0; j < m->cols; j++)
            rc_type(m->precision)->store(
                m->data, place(m, r, j), rc_rng_signed(seed, (uint64_t)(r * stride + j0 + j)));
    return RC_OK;
}

static rc_status_t poison(
    rc_device_t *d, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err)
{
    (void)d, (void)err;
    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t j = 0; j < m->cols; j++)
            memset(at(m, r, j), clear && clear[r] ? 0 : POISON, rc_precision_bytes(m->precision));
    return RC_OK;
}

static rc_status_t project(rc_device_t *d, const rc_dense_t *m, const double *sign, double *sum,
    double *mag, unsigned char *found, rc_err_t *err)
{
    (void)d, (void)err;
    for (int64_t r = 0; r < m->rows; r++) {
        double s = 0;
        double a = 0;
        int f = 0;
        for (int64_t j = 0; j < m->cols; j++) {
            double v = get(m, r, j);
            s += sign[j] * v;
            a += fabs(v);
            f |= is_poison(m, r, j) ? RC_ROW_POISON : v != 0 && !isnan(v) ? RC_ROW_NONZERO : 0;
        }
        if (sum)
            sum[r] = s;
        if (mag)
            mag[r] = a;
        if (found)
            found[r] = (unsigned char)f;
    }
    return RC_OK;
}

static rc_status_t gather(rc_device_t *d, const rc_dense_t *m, const int64_t *row,
    const int64_t *col, int64_t n, double *out, unsigned char *is, rc_err_t *err)
{
    (void)d, (void)err;
    for (int64_t i = 0; i < n; i++) {
        out[i] = get(m, row[i], col[i]);
        is[i] = (unsigned char)is_poison(m, row[i], col[i]);
    }
    return RC_OK;
}

void dense_plain(rc_device_t *d)
{
    d->dense_random = fill;
    d->dense_poison = poison;
    d->dense_project = project;
    d->dense_gather = gather;
}
