#include "config.h"
#include "format/resident.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"

#include <stdlib.h>

int64_t rc_resident_bytes(const rc_csr_t *a, rc_precision_t type)
{
    int64_t entries = rc_sat_mul(a->nnz, (int64_t)(sizeof(int32_t) + rc_precision_bytes(type)));
    return rc_sat_add(entries, (a->rows + 1) * (int64_t)sizeof(int64_t));
}

static rc_status_t keep(rc_executor_t *x, const void *from, size_t bytes, void **out, rc_err_t *err)
{
    *out = NULL;
    if (bytes == 0)
        return RC_OK;
    RC_PASS(x->alloc(x, bytes, out, err));
    return x->upload(x, *out, from, bytes, err);
}

rc_status_t rc_resident_put(rc_executor_t *x, const rc_gather_t *values, void *to, rc_err_t *err)
{
    enum { PIECE = 1 << 22 };
    size_t bytes = rc_precision_bytes(values->to_type);
    int64_t most = values->count < PIECE ? values->count : PIECE;
    rc_status_t st = RC_OK;
    if (!values->place && !values->conjugates && values->to_type == values->from_type)
        return values->count > 0
                   ? x->upload(x, to, values->from, (size_t)values->count * bytes, err)
                   : RC_OK;
    char *piece = rc_alloc((size_t)most, bytes, "values of a matrix", err);
    RC_PASS(piece ? RC_OK : RC_ENOMEM);
    for (int64_t first = 0; first < values->count && st == RC_OK; first += most) {
        int64_t n = values->count - first < most ? values->count - first : most;
        rc_gather_t g = *values;
        g.to = piece;
        g.count = n;
        if (g.place)
            g.place = (const char *)g.place + first * g.place_bytes;
        else
            g.from = (const char *)g.from + (size_t)first * rc_precision_bytes(g.from_type);
        rc_gather_host(&g, x->threads);
        st = x->upload(x, (char *)to + (size_t)first * bytes, piece, (size_t)n * bytes, err);
    }
    free(piece);
    return st;
}

/* The same in memory of its own. */
static rc_status_t put_new(rc_executor_t *x, const rc_gather_t *values, void **out, rc_err_t *err)
{
    *out = NULL;
    if (values->count == 0)
        return RC_OK;
    RC_PASS(x->alloc(x, (size_t)values->count * rc_precision_bytes(values->to_type), out, err));
    return rc_resident_put(x, values, *out, err);
}

rc_status_t rc_resident_values(rc_executor_t *x, const double *val, int64_t nnz,
    rc_precision_t type, void **out, rc_err_t *err)
{
    const rc_gather_t values = {
        .to_type = type, .count = nnz, .from = val, .from_type = RC_HOST_TYPE};
    return put_new(x, &values, out, err);
}

rc_status_t rc_resident_pattern(
    rc_executor_t *x, const rc_csr_t *a, rc_resident_t *out, rc_err_t *err)
{
    size_t nnz = (size_t)a->nnz;
    *out = (rc_resident_t){.x = x, .row_ptr_bytes = sizeof *a->row_ptr};
    RC_PASS(keep(x, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr, &out->owned[0], err));
    RC_PASS(keep(x, a->col_idx, nnz * sizeof *a->col_idx, &out->owned[1], err));
    out->row_ptr = out->owned[0];
    out->col_idx = out->owned[1];
    return RC_OK;
}

rc_status_t rc_resident_typed(rc_executor_t *x, const rc_csr_t *a, const rc_gather_t *values,
    rc_resident_t *out, rc_err_t *err)
{
    RC_PASS(rc_resident_pattern(x, a, out, err));
    out->type = values->to_type;
    rc_status_t st = put_new(x, values, &out->owned[2], err);
    out->val = out->owned[2];
    return st;
}

rc_status_t rc_resident_new(
    rc_executor_t *x, const rc_csr_t *a, rc_precision_t type, rc_resident_t *out, rc_err_t *err)
{
    const rc_gather_t values = {
        .to_type = type, .count = a->nnz, .from = a->val, .from_type = RC_HOST_TYPE};
    return rc_resident_typed(x, a, &values, out, err);
}

void rc_resident_free(rc_resident_t *r)
{
    for (size_t i = 0; i < sizeof r->owned / sizeof r->owned[0]; i++)
        if (r->owned[i])
            r->x->release(r->x, r->owned[i]);
    *r = (rc_resident_t){0};
}
