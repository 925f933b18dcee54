/* A caller's matrix read where it is. */
#include "config.h"
#include "format/cuda/read.h"
#include "base/error.h"
#include "base/type.h"

/* What a read is about. */
typedef struct reading {
    rc_executor_t *x;
    const rc_plan_matrix_t *m;
    rc_read_csr_t a; /* as it is known so far */
    rc_there_t *out;
} reading_t;

/* ------------------------------------------------------------------- faults */

/* Number i of an array; slow, for what is said of a fault. */
static rc_status_t number_at(
    rc_executor_t *x, const void *from, int bytes, int64_t i, int64_t *out, rc_err_t *err)
{
    int32_t narrow = 0;
    const char *at = (const char *)from + i * bytes;
    RC_PASS(x->download(x, bytes == 4 ? (void *)&narrow : (void *)out, at, (size_t)bytes, err));
    if (bytes == 4)
        *out = narrow;
    return RC_OK;
}

/* The last row that begins at or before an entry. */
static rc_status_t row_of(const reading_t *r, int64_t entry, int64_t *row, rc_err_t *err)
{
    int64_t low = 0;
    int64_t high = r->a.rows - 1;
    while (low < high) {
        int64_t mid = low + (high - low + 1) / 2;
        int64_t p;
        RC_PASS(number_at(r->x, r->a.ptr, r->a.ptr_bytes, mid, &p, err));
        if (p <= entry)
            low = mid;
        else
            high = mid - 1;
    }
    *row = low;
    return RC_OK;
}

static rc_status_t no_pointer(const reading_t *r, int64_t i, rc_err_t *err)
{
    int64_t before = 0;
    int64_t p;
    if (i > 0)
        RC_PASS(number_at(r->x, r->a.ptr, r->a.ptr_bytes, i - 1, &before, err));
    RC_PASS(number_at(r->x, r->a.ptr, r->a.ptr_bytes, i, &p, err));
    return rc_given_no_pointer(r->m, i, before, p, err);
}

static rc_status_t no_column(const reading_t *r, int64_t i, rc_err_t *err)
{
    int64_t row;
    int64_t col;
    RC_PASS(row_of(r, i, &row, err));
    RC_PASS(number_at(r->x, r->a.col, r->a.col_bytes, i, &col, err));
    return rc_given_no_column(r->m, row, col, err);
}

/* -------------------------------------------------------------------- looks */

/* \param[out] look  of a matrix without faults */
static rc_status_t look(const reading_t *r, int32_t *narrow, rc_read_look_t *look, rc_err_t *err)
{
    rc_executor_t *x = r->x;
    void *there = NULL;
    rc_status_t st;
    RC_TRY(x->alloc(x, sizeof *look, &there, err));
    RC_TRY(x->fill(x, there, 0, sizeof *look, err));
    RC_TRY(rc_read_look(x, &r->a, narrow, there, err));
    RC_TRY(x->download(x, look, there, sizeof *look, err));
    if (look->no_pointer)
        RC_TRY(no_pointer(r, (int64_t)~look->no_pointer, err));
    if (look->no_column)
        RC_TRY(no_column(r, (int64_t)~look->no_column, err));
done:
    x->release(x, there);
    return st;
}

/* 1: numbers of an array can be read where it is. */
static int is_aligned(const void *p, int bytes)
{
    return (uintptr_t)p % (uintptr_t)bytes == 0;
}

/* An array of the caller; a copy where wide loads cannot begin there. */
static rc_status_t serve(
    rc_executor_t *x, const void **array, size_t bytes, void **owned, rc_err_t *err)
{
    if (is_aligned(*array, RC_READ_ALIGNED))
        return RC_OK;
    RC_PASS(x->alloc(x, bytes, owned, err));
    RC_PASS(rc_read_copy(x, *owned, *array, bytes, err));
    *array = *owned;
    return RC_OK;
}

/* The arrays of the caller that are as they should be. */
static rc_status_t borrow(const reading_t *r, rc_err_t *err)
{
    const rc_plan_matrix_t *m = r->m;
    rc_resident_t *to = &r->out->m;
    const void *col = r->a.col;
    size_t nnz = (size_t)m->nnz;
    to->row_ptr = r->a.ptr;
    to->row_ptr_bytes = r->a.ptr_bytes;
    RC_PASS(serve(
        r->x, &to->row_ptr, ((size_t)m->rows + 1) * (size_t)r->a.ptr_bytes, &to->owned[0], err));
    RC_PASS(serve(r->x, &col, nnz * sizeof *to->col_idx, &to->owned[1], err));
    to->col_idx = col;
    if (is_aligned(m->val, RC_READ_ALIGNED))
        to->val = m->val;
    return RC_OK;
}

rc_status_t rc_cuda_read_there(
    rc_executor_t *x, const rc_plan_matrix_t *m, rc_there_t *out, rc_err_t *err)
{
    rc_read_look_t found;
    *out = (rc_there_t){.m = {.x = x}};
    RC_PASS(rc_given_check(m, err));
    out->m.type = rc_type_of_bytes(m->value_bytes);
    const reading_t r = {.x = x,
        .m = m,
        .a = {.rows = m->rows,
            .cols = m->cols,
            .nnz = m->nnz,
            .ptr = m->row_ptr,
            .ptr_bytes = m->row_ptr_bytes,
            .col = m->col_idx,
            .col_bytes = (int)sizeof *m->col_idx},
        .out = out};
    if (!is_aligned(r.a.ptr, r.a.ptr_bytes) || !is_aligned(r.a.col, r.a.col_bytes))
        return rc_fail(err, RC_ENOTSUP, "matrix: expected arrays that are aligned");
    RC_PASS(look(&r, NULL, &found, err));
    if (found.unordered)
        return rc_fail(err, RC_ENOTSUP, "matrix: expected the columns of a row in ascending order");
    out->longest = (int64_t)found.longest;
    out->empty_rows = (int64_t)found.empty;
    rc_given_seal(m->rows, m->cols, found.sum, out->digest);
    return borrow(&r, err);
}
