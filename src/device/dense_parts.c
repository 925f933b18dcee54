#include "config.h"
#include "device/dense_parts.h"
#include "base/alloc.h"

#include <stdlib.h>

enum { PARTS = 2 };

rc_dense_t rc_dense_parts(const rc_dense_t *m)
{
    const rc_type_t *type = rc_type(m->precision);
    rc_dense_t out = *m;
    if (type->parts == 1)
        return out;
    out.precision = type->part;
    out.ld *= PARTS;
    if (m->layout == RC_ROW_MAJOR)
        out.cols *= PARTS;
    else
        out.rows *= PARTS;
    return out;
}

/* What the rows of a row-major matrix of parts are summed up to: one part after the other, by signs
 * of 0 for the other one. */
typedef struct rows {
    rc_pool_t pool;
    double *sign; /* [columns of parts] */
    double *sum;  /* [rows], and so on */
    double *mag;
    unsigned char *found;
} rows_t;

static rc_status_t rows_new(const rc_dense_t *parts, rows_t *r, rc_err_t *err)
{
    const size_t n = (size_t)parts->rows;
    *r = (rows_t){0};
    r->sign = rc_pool_get(&r->pool, (size_t)parts->cols, sizeof *r->sign);
    r->sum = rc_pool_get(&r->pool, n, sizeof *r->sum);
    r->mag = rc_pool_get(&r->pool, n, sizeof *r->mag);
    r->found = rc_pool_get(&r->pool, n, sizeof *r->found);
    return rc_pool_check(&r->pool, "the sums of parts", err);
}

static rc_status_t project_rows(rc_device_t *d, const rc_dense_t *parts, const double *sign,
    const rc_dense_found_t *out, rc_err_t *err)
{
    rows_t of;
    rc_status_t st = rows_new(parts, &of, err);
    for (int q = 0; st == RC_OK && q < PARTS; q++) {
        for (int64_t j = 0; j < parts->cols; j++)
            of.sign[j] = j % PARTS == q ? sign[j / PARTS] : 0;
        st = d->dense_project(d, parts, of.sign, of.sum, of.mag, of.found, err);
        for (int64_t r = 0; st == RC_OK && r < parts->rows; r++) {
            const int64_t at = r * PARTS + q;
            out->sum[at] = of.sum[r];
            if (out->mag)
                out->mag[at] = of.mag[r];
            if (out->found)
                out->found[at] = of.found[r];
        }
    }
    rc_pool_free(&of.pool);
    return st;
}

rc_status_t rc_dense_project_parts(rc_device_t *d, const rc_dense_t *m, const double *sign,
    const rc_dense_found_t *out, rc_err_t *err)
{
    const rc_dense_t parts = rc_dense_parts(m);
    return parts.cols == m->cols
               ? d->dense_project(d, &parts, sign, out->sum, out->mag, out->found, err)
               : project_rows(d, &parts, sign, out, err);
}

rc_status_t rc_dense_gather_parts(
    rc_device_t *d, const rc_dense_t *m, const rc_dense_places_t *at, rc_err_t *err)
{
    const rc_dense_t parts = rc_dense_parts(m);
    int64_t *const of = m->layout == RC_ROW_MAJOR ? at->col : at->row;
    for (int64_t i = 0; parts.precision != m->precision && i < at->n; i++)
        of[i] = of[i] * PARTS + at->part[i];
    return d->dense_gather(d, &parts, at->row, at->col, at->n, at->value, at->poison, err);
}
