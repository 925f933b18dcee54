/* A caller's matrix read where it is. */
#include "config.h"
#include "format/cuda/read/read.h"
#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>

/* What a read is about. */
typedef struct reading {
    rc_executor_t *x;
    const rc_plan_matrix_t *m;
    rc_read_arrays_t a; /* what is looked at */
    void *found;        /* rc_read_look_t, device */
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

/* Pointer, or row of COO. */
static rc_status_t pointer_at(const reading_t *r, int64_t i, int64_t *out, rc_err_t *err)
{
    return number_at(r->x, r->a.ptr, r->a.ptr_bytes, i, out, err);
}

static rc_status_t column_at(const reading_t *r, int64_t i, int64_t *out, rc_err_t *err)
{
    return number_at(r->x, r->a.col, r->a.col_bytes, i, out, err);
}

/* The last row, of CSC column, that begins at or before an entry. */
static rc_status_t major_of(const reading_t *r, int64_t entry, int64_t *out, rc_err_t *err)
{
    int64_t low = 0;
    int64_t high = r->a.majors - 1;
    while (low < high) {
        int64_t mid = low + (high - low + 1) / 2;
        int64_t p;
        RC_PASS(pointer_at(r, mid, &p, err));
        if (p <= entry)
            low = mid;
        else
            high = mid - 1;
    }
    *out = low;
    return RC_OK;
}

static rc_status_t no_pointer(const reading_t *r, int64_t i, rc_err_t *err)
{
    int64_t before = 0;
    int64_t p;
    RC_PASS(pointer_at(r, i, &p, err));
    if (r->m->form == RC_PLAN_COO)
        return rc_given_no_row(r->m, i, p, err);
    if (i > 0)
        RC_PASS(pointer_at(r, i - 1, &before, err));
    return rc_given_no_pointer(r->m, i, before, p, err);
}

static rc_status_t no_column(const reading_t *r, int64_t i, rc_err_t *err)
{
    int64_t where = i;
    int64_t col;
    if (r->m->form != RC_PLAN_COO)
        RC_PASS(major_of(r, i, &where, err));
    RC_PASS(column_at(r, i, &col, err));
    return rc_given_no_column(r->m, where, col, err);
}

/* -------------------------------------------------------------------- looks */

typedef rc_status_t look_fn(rc_executor_t *x, const rc_read_arrays_t *a, int32_t *narrow,
    rc_read_look_t *look, rc_err_t *err);

static rc_status_t look_by(
    const reading_t *r, look_fn *look, int32_t *narrow, rc_read_look_t *out, rc_err_t *err)
{
    rc_executor_t *x = r->x;
    RC_PASS(x->fill(x, r->found, 0, sizeof *out, err));
    RC_PASS(look(x, &r->a, narrow, r->found, err));
    return x->download(x, out, r->found, sizeof *out, err);
}

/* The first look; a matrix with faults does not get past it.
 * \param[in] narrow  NULL, or for columns of 32 bits */
static rc_status_t look_first(
    const reading_t *r, int32_t *narrow, rc_read_look_t *found, rc_err_t *err)
{
    look_fn *look = r->m->form == RC_PLAN_COO ? rc_read_look_pairs : rc_read_look;
    RC_PASS(look_by(r, look, narrow, found, err));
    if (found->no_pointer)
        return no_pointer(r, (int64_t)~found->no_pointer, err);
    return found->no_column ? no_column(r, (int64_t)~found->no_column, err) : RC_OK;
}

/* A look at CSR that was made: no row has a column twice. */
static rc_status_t look_last(const reading_t *r, rc_read_look_t *found, rc_err_t *err)
{
    rc_executor_t *x = r->x;
    int64_t row;
    int64_t col;
    RC_PASS(look_by(r, rc_read_look, NULL, found, err));
    if (!found->unordered)
        return RC_OK;
    RC_PASS(rc_read_twice(x, &r->a, r->found, err));
    RC_PASS(x->download(x, found, r->found, sizeof *found, err));
    RC_PASS(major_of(r, (int64_t)~found->no_column, &row, err));
    RC_PASS(column_at(r, (int64_t)~found->no_column, &col, err));
    return rc_given_twice(row, col, err);
}

/* ------------------------------------------------------------------- arrays */

/* 1: numbers of an array can be read where it is. */
static int is_aligned(const void *p, int bytes)
{
    return (uintptr_t)p % (uintptr_t)bytes == 0;
}

/* CSR from now on.  \param[in] ptr, col  NULL: as before */
static void become(reading_t *r, void *ptr, void *col)
{
    rc_resident_t *to = &r->out->m;
    r->a.majors = r->m->rows;
    r->a.minors = r->m->cols;
    if (ptr) {
        to->owned[0] = ptr;
        r->a.ptr = ptr;
        r->a.ptr_bytes = sizeof(int64_t);
    }
    if (col) {
        to->owned[1] = col;
        r->a.col = col;
        r->a.col_bytes = sizeof(int32_t);
    }
}

static rc_status_t sort(reading_t *r, rc_err_t *err)
{
    rc_read_sorted_t sorted;
    if (r->m->nnz >= INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "matrix: expected less than 2^31 - 1 entries to sort, found %" PRId64, r->m->nnz);
    rc_status_t st = rc_read_sort(r->x, &r->a, r->m->form, &sorted, err);
    become(r, sorted.row_ptr, sorted.col);
    r->out->m.owned[2] = sorted.from;
    r->out->from = sorted.from;
    r->out->from_bytes = sizeof(int32_t);
    return st;
}

/* COO in the order of CSR, and what has no entries. */
static rc_status_t add_pointers(reading_t *r, rc_err_t *err)
{
    const rc_read_rows_t rows = {
        .row = r->a.ptr, .row_bytes = r->a.ptr_bytes, .nnz = r->m->nnz, .rows = r->m->rows};
    void *ptr = NULL;
    RC_PASS(r->x->alloc(r->x, ((size_t)rows.rows + 1) * sizeof(int64_t), &ptr, err));
    become(r, ptr, NULL);
    return rc_read_pointers(r->x, &rows, ptr, err);
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

static rc_status_t deliver(const reading_t *r, const rc_read_look_t *found, rc_err_t *err)
{
    const rc_plan_matrix_t *m = r->m;
    rc_there_t *out = r->out;
    const void *col = r->a.col;
    out->longest = (int64_t)found->longest;
    out->empty_rows = (int64_t)found->empty;
    rc_given_seal(m->rows, m->cols, found->sum, out->digest);
    out->m.row_ptr = r->a.ptr;
    out->m.row_ptr_bytes = r->a.ptr_bytes;
    RC_PASS(serve(r->x, &out->m.row_ptr, ((size_t)m->rows + 1) * (size_t)r->a.ptr_bytes,
        &out->m.owned[0], err));
    RC_PASS(serve(r->x, &col, (size_t)m->nnz * sizeof *out->m.col_idx, &out->m.owned[1], err));
    out->m.col_idx = col;
    if (!out->from && is_aligned(m->val, RC_READ_ALIGNED))
        out->m.val = m->val;
    return RC_OK;
}

/* --------------------------------------------------------------------- read */

/* The first look, with the columns in 32 bits where all can stay where they are.
 * \param[out] stays  1: they can */
static rc_status_t begin(reading_t *r, int *stays, rc_read_look_t *found, rc_err_t *err)
{
    const rc_plan_matrix_t *m = r->m;
    void *narrow = NULL;
    rc_status_t st = RC_OK;
    if (r->a.col_bytes == 8)
        st = r->x->alloc(r->x, (size_t)m->nnz * sizeof(int32_t), &narrow, err);
    if (st == RC_OK)
        st = look_first(r, narrow, found, err);
    *stays = st == RC_OK && (m->nnz == 0 || (m->form != RC_PLAN_CSC && !found->unordered));
    if (*stays)
        become(r, NULL, narrow);
    else
        r->x->release(r->x, narrow); /* sorting begins with the caller's */
    return st;
}

static rc_status_t bring_in_order(reading_t *r, rc_read_look_t *found, rc_err_t *err)
{
    int stays;
    RC_PASS(begin(r, &stays, found, err));
    if (stays && r->m->form == RC_PLAN_CSR)
        return RC_OK;
    RC_PASS(stays ? add_pointers(r, err) : sort(r, err));
    return look_last(r, found, err);
}

/* What is looked at.  \return RC_OK; RC_ENOTSUP: arrays that are not aligned to their numbers */
static rc_status_t open_arrays(reading_t *r, rc_err_t *err)
{
    const rc_plan_matrix_t *m = r->m;
    r->a = (rc_read_arrays_t){.majors = rc_given_majors(m),
        .minors = rc_given_minors(m),
        .nnz = m->nnz,
        .ptr = m->row_ptr,
        .ptr_bytes = m->row_ptr_bytes,
        .col = m->col_idx,
        .col_bytes = rc_given_col_bytes(m)};
    if (!is_aligned(r->a.ptr, r->a.ptr_bytes) || !is_aligned(r->a.col, r->a.col_bytes))
        return rc_fail(err, RC_ENOTSUP, "matrix: expected arrays that are aligned");
    return r->x->alloc(r->x, sizeof(rc_read_look_t), &r->found, err);
}

rc_status_t rc_cuda_read_there(
    rc_executor_t *x, const rc_plan_matrix_t *m, rc_there_t *out, rc_err_t *err)
{
    rc_read_look_t found;
    reading_t r = {.x = x, .m = m, .out = out};
    *out = (rc_there_t){.m = {.x = x}};
    RC_PASS(rc_given_check(m, err));
    out->m.type = m->precision;
    if (!is_aligned(m->val, rc_type(m->precision)->bytes))
        return rc_fail(err, RC_ENOTSUP, "matrix: expected values that are aligned");
    RC_PASS(open_arrays(&r, err));
    rc_status_t st = bring_in_order(&r, &found, err);
    x->release(x, r.found);
    return st < 0 ? st : deliver(&r, &found, err);
}

rc_status_t rc_cuda_look_there(
    rc_executor_t *x, const rc_plan_matrix_t *m, rc_pattern_info_t *out, rc_err_t *err)
{
    rc_read_look_t found = {0};
    reading_t r = {.x = x, .m = m};
    RC_PASS(open_arrays(&r, err));
    rc_status_t st = look_first(&r, NULL, &found, err);
    x->release(x, r.found);
    rc_given_seal(m->rows, m->cols, found.sum, out->digest);
    out->ascending = !found.unordered;
    return st;
}
