#include "config.h"
#include "kernels/resident.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

/* Values that are not worth a second thread. */
enum { ALONE = 1 << 16 };

int64_t rc_resident_bytes(const rc_csr_t *a, int value_bytes)
{
    int64_t entries = rc_sat_mul(a->nnz, (int64_t)sizeof(int32_t) + value_bytes);
    return rc_sat_add(entries, (a->rows + 1) * (int64_t)sizeof(int64_t));
}

static rc_status_t keep(
    rc_executor_t *x, const void *from, size_t bytes, void **out, rc_err_t *err)
{
    *out = NULL;
    if (bytes == 0)
        return RC_OK;
    rc_status_t st = x->alloc(x, bytes, out, err);
    return st < 0 ? st : x->upload(x, *out, from, bytes, err);
}

/* A piece at a time: what was narrowed is in the caches when it is copied, and takes no memory beside. */
static rc_status_t narrow_pieces(
    rc_executor_t *x, const double *val, int64_t nnz, float *piece, int64_t most, float *to, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int64_t first = 0; first < nnz && st == RC_OK; first += most) {
        int64_t n = nnz - first < most ? nnz - first : most;
#pragma omp parallel for num_threads(x->threads) schedule(static) if (n > ALONE)
        for (int64_t i = 0; i < n; i++)
            piece[i] = (float)val[first + i];
        st = x->upload(x, to + first, piece, (size_t)n * sizeof *piece, err);
    }
    return st;
}

static rc_status_t keep_narrowed(
    rc_executor_t *x, const double *val, int64_t nnz, void **out, rc_err_t *err)
{
    enum { piece_values = 1 << 22 };
    int64_t most = nnz < piece_values ? nnz : piece_values;
    *out = NULL;
    if (nnz == 0)
        return RC_OK;
    float *piece = rc_alloc((size_t)most, sizeof *piece, "values of a matrix", err);
    if (!piece)
        return RC_ENOMEM;
    rc_status_t st = x->alloc(x, (size_t)nnz * sizeof *piece, out, err);
    if (st == RC_OK)
        st = narrow_pieces(x, val, nnz, piece, most, *out, err);
    free(piece);
    return st;
}

rc_status_t rc_resident_values(
    rc_executor_t *x, const double *val, int64_t nnz, int value_bytes, void **out, rc_err_t *err)
{
    *out = NULL;
    return value_bytes == (int)sizeof *val ? keep(x, val, (size_t)nnz * sizeof *val, out, err)
                                           : keep_narrowed(x, val, nnz, out, err);
}

rc_status_t rc_resident_new(
    rc_executor_t *x, const rc_csr_t *a, int value_bytes, rc_resident_t *out, rc_err_t *err)
{
    size_t nnz = (size_t)a->nnz;
    rc_status_t st;
    *out = (rc_resident_t){.x = x, .row_ptr_bytes = sizeof *a->row_ptr, .value_bytes = value_bytes};
    RC_TRY(keep(x, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr, &out->owned[0], err));
    RC_TRY(keep(x, a->col_idx, nnz * sizeof *a->col_idx, &out->owned[1], err));
    RC_TRY(rc_resident_values(x, a->val, a->nnz, value_bytes, &out->owned[2], err));
    out->row_ptr = out->owned[0];
    out->col_idx = out->owned[1];
    out->val = out->owned[2];
done:
    return st;
}

void rc_resident_free(rc_resident_t *r)
{
    for (size_t i = 0; i < sizeof r->owned / sizeof r->owned[0]; i++)
        if (r->owned[i])
            r->x->release(r->x, r->owned[i]);
    *r = (rc_resident_t){0};
}
