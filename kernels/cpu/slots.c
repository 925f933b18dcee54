#include "config.h"
#include "kernels/cpu/slots.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int64_t rc_sat_add(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

int64_t rc_sat_mul(int64_t a, int64_t b)
{
    return b && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static void copy_row(
    const rc_csr_t *a, int64_t from, int64_t n, int64_t to, rc_precision_t precision, rc_slots_t *s)
{
    if (n == 0)
        return;
    memcpy(s->col + to, a->col_idx + from, (size_t)n * sizeof *s->col);
    if (precision == RC_FP64) {
        memcpy((double *)s->val + to, a->val + from, (size_t)n * sizeof(double));
        return;
    }
    float *val = (float *)s->val + to;
    for (int64_t i = 0; i < n; i++)
        val[i] = (float)a->val[from + i];
}

rc_status_t rc_slots_build(
    const rc_device_t *d, const rc_problem_t *p, rc_slots_t *out, rc_err_t *err)
{
    const rc_csr_t *a = p->a;
    const int32_t *row = p->schedule->row;
    int64_t slots = p->schedule->slots;
    rc_slots_t s = {
        .slots = slots, .rows = a->rows, .cols = a->cols, .k = p->k, .threads = d->threads};
    s.ptr = rc_alloc_aligned((size_t)slots + 1, sizeof *s.ptr, "slot pointers", err);
    s.col = rc_alloc_aligned((size_t)a->nnz, sizeof *s.col, "columns in slot order", err);
    s.val = rc_alloc_aligned(
        (size_t)a->nnz, rc_precision_bytes(p->precision), "values in slot order", err);
    if (!p->identity)
        s.row = rc_alloc_aligned((size_t)slots, sizeof *s.row, "rows of the slots", err);
    if (!s.ptr || !s.col || !s.val || (!p->identity && !s.row)) {
        rc_slots_free(&s);
        return RC_ENOMEM;
    }
    s.ptr[0] = 0;
    for (int64_t i = 0; i < slots; i++) {
        int64_t r = row[i];
        s.ptr[i + 1] = s.ptr[i] + (r < 0 ? 0 : a->row_ptr[r + 1] - a->row_ptr[r]);
    }
    if (s.row && slots)
        memcpy(s.row, row, (size_t)slots * sizeof *s.row);
    enum { chunk = 256 }; /* rows: small enough to balance, large enough to hide the hand-out */
#pragma omp parallel for num_threads(d->threads) schedule(dynamic, chunk)
    for (int64_t i = 0; i < slots; i++)
        if (row[i] >= 0)
            copy_row(a, a->row_ptr[row[i]], s.ptr[i + 1] - s.ptr[i], s.ptr[i], p->precision, &s);
    *out = s;
    return RC_OK;
}

void rc_slots_free(rc_slots_t *s)
{
    free(s->ptr);
    free(s->col);
    free(s->val);
    free(s->row);
    *s = (rc_slots_t){0};
}

int64_t rc_slots_bytes(const rc_problem_t *p)
{
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    int64_t slot = (int64_t)(sizeof(int64_t) + (p->identity ? 0 : sizeof(int32_t)));
    int64_t bytes = rc_sat_mul(p->a->nnz, entry);
    bytes = rc_sat_add(bytes, rc_sat_mul(p->schedule->slots, slot));
    return rc_sat_add(bytes, (int64_t)sizeof(int64_t));
}

int64_t rc_slots_bytes_min(const rc_problem_t *p)
{
    int64_t stored = p->schedule->slots;
    if (!p->identity)
        for (int64_t i = 0; i < p->schedule->slots; i++)
            stored -= p->schedule->row[i] < 0;
    int64_t row_bytes = rc_sat_mul(p->k, (int64_t)rc_precision_bytes(p->precision));
    return rc_sat_add(rc_slots_bytes(p), rc_sat_mul(row_bytes, stored + p->a->cols));
}

rc_geometry_t rc_cpu_geometry(const rc_device_t *d, const int64_t *param, rc_precision_t precision)
{
    (void)param;
    int bytes = (int)rc_precision_bytes(precision);
    int lanes = d->lanes32 * (int)sizeof(float) / bytes;
    int line = d->line_bytes / bytes;
    return (rc_geometry_t){d->threads, lanes > 1 ? lanes : 1, line > 1 ? line : 1};
}

rc_status_t rc_cpu_supports(const rc_problem_t *p, rc_err_t *err)
{
    if (p->op != RC_OP_SPMM)
        return rc_fail(err, RC_ENOTSUP, "operation %s is not implemented", rc_op_name(p->op));
    if (p->k < 1)
        return rc_fail(err, RC_ENOTSUP, "shape: B has no columns");
    if (p->c_order != RC_C_ORIGINAL)
        return rc_fail(err, RC_ENOTSUP, "C in schedule order is not implemented on the CPU");
    return RC_OK;
}
