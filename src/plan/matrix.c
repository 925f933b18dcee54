/* A matrix as an application has it, checked and copied. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/given.h"
#include "plan/plan_private.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ arrays */

/* An array of the caller into the host's memory. */
static rc_status_t fetch(rc_executor_t *x, const rc_plan_matrix_t *m, const void *from,
    size_t bytes, void *to, rc_err_t *err)
{
    if (m->on_device && bytes > 0)
        return x->download(x, to, from, bytes, err);
    if (bytes > 0)
        memcpy(to, from, bytes);
    return RC_OK;
}

static int64_t pointer_at(const void *row_ptr, int bytes, int64_t i)
{
    return bytes == 4 ? ((const int32_t *)row_ptr)[i] : ((const int64_t *)row_ptr)[i];
}

/* ------------------------------------------------------------------ checks */

static rc_status_t copy_pointers(
    const rc_plan_matrix_t *m, const void *row_ptr, rc_csr_t *a, rc_err_t *err)
{
    for (int64_t r = 0; r <= m->rows; r++) {
        int64_t p = pointer_at(row_ptr, m->row_ptr_bytes, r);
        int64_t before = r > 0 ? a->row_ptr[r - 1] : 0;
        if (!rc_given_follows(r, m->rows, m->nnz, before, p))
            return rc_given_no_pointer(m, r, before, p, err);
        a->row_ptr[r] = p;
    }
    return RC_OK;
}

/* --------------------------------------------------------------------- rows */

typedef struct place {
    int32_t col;
    int64_t from;
} place_t;

static int by_column(const void *a, const void *b)
{
    const place_t *x = a;
    const place_t *y = b;
    return x->col != y->col ? (x->col > y->col) - (x->col < y->col)
                            : (x->from > y->from) - (x->from < y->from);
}

/* 1: every column is one of the matrix. */
static int has_columns(const rc_csr_t *a, int64_t r)
{
    for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++)
        if (a->col_idx[i] < 0 || a->col_idx[i] >= a->cols)
            return 0;
    return 1;
}

static int is_sorted(const rc_csr_t *a, int64_t r)
{
    for (int64_t i = a->row_ptr[r] + 1; i < a->row_ptr[r + 1]; i++)
        if (a->col_idx[i] <= a->col_idx[i - 1])
            return 0;
    return 1;
}

/* \param[out] sorted  1: the columns of all rows ascend */
static rc_status_t check_columns(
    const rc_plan_matrix_t *m, const rc_csr_t *a, int threads, int *sorted, rc_err_t *err)
{
    int64_t bad = a->rows;
    int all = 1;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad) \
    reduction(& : all)
    for (int64_t r = 0; r < a->rows; r++) {
        if (r < bad && !has_columns(a, r))
            bad = r;
        all &= is_sorted(a, r);
    }
    *sorted = all;
    for (int64_t i = bad < a->rows ? a->row_ptr[bad] : a->nnz; i < a->nnz; i++)
        if (a->col_idx[i] < 0 || a->col_idx[i] >= a->cols)
            return rc_given_no_column(m, bad, a->col_idx[i], err);
    return RC_OK;
}

/* Sort a row; `from` gets where its entries were. */
static rc_status_t sort_row(rc_csr_t *a, int64_t r, int64_t *from, place_t *place, rc_err_t *err)
{
    int64_t begin = a->row_ptr[r];
    int64_t n = a->row_ptr[r + 1] - begin;
    for (int64_t i = 0; i < n; i++)
        place[i] = (place_t){a->col_idx[begin + i], begin + i};
    qsort(place, (size_t)n, sizeof *place, by_column);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && place[i].col == place[i - 1].col)
            return rc_given_twice(r, place[i].col, err);
        a->col_idx[begin + i] = place[i].col;
        from[begin + i] = place[i].from;
    }
    return RC_OK;
}

/* \param[out] from  [nnz] where every entry comes from; free(), after an error too */
static rc_status_t sort_rows(rc_csr_t *a, int64_t **from, rc_err_t *err)
{
    int64_t longest = 0;
    for (int64_t r = 0; r < a->rows; r++)
        if (a->row_ptr[r + 1] - a->row_ptr[r] > longest)
            longest = a->row_ptr[r + 1] - a->row_ptr[r];
    *from = rc_alloc((size_t)a->nnz, sizeof **from, "the order of the entries", err);
    place_t *place = rc_alloc((size_t)longest, sizeof *place, "a row", err); /* the longest */
    rc_status_t st = *from && place ? RC_OK : RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < a->nnz; i++)
        (*from)[i] = i;
    for (int64_t r = 0; st == RC_OK && r < a->rows; r++)
        if (!is_sorted(a, r))
            st = sort_row(a, r, *from, place, err);
    free(place);
    return st;
}

int rc_plan_threads(const rc_executor_t *x, int64_t nnz)
{
    enum { alone = 1 << 18 }; /* below it a team costs more than it brings */
    return nnz < alone || x->threads < 1 ? 1 : x->threads;
}

rc_status_t rc_plan_matrix_alloc(
    int64_t rows, int64_t cols, int64_t nnz, rc_csr_t *out, rc_err_t *err)
{
    *out = (rc_csr_t){.rows = rows, .cols = cols, .nnz = nnz};
    out->row_ptr = rc_alloc((size_t)rows + 1, sizeof *out->row_ptr, "row pointers", err);
    out->col_idx = rc_alloc((size_t)nnz, sizeof *out->col_idx, "columns", err);
    return out->row_ptr && out->col_idx ? RC_OK : RC_ENOMEM; /* the plan frees them */
}

rc_status_t rc_plan_matrix_read(const rc_plan_place_t *place, const rc_plan_matrix_t *m,
    rc_csr_t *out, int64_t **from, rc_err_t *err)
{
    void *ptr = NULL; /* a copy of row pointers that are on the device */
    int sorted = 1;
    rc_status_t st;
    *from = NULL;
    RC_PASS(rc_given_check(m, err));
    const size_t nnz = (size_t)m->nnz;
    const size_t bytes = ((size_t)m->rows + 1) * (size_t)m->row_ptr_bytes;
    RC_TRY(rc_plan_matrix_alloc(m->rows, m->cols, m->nnz, out, err));
    if (m->on_device) {
        ptr = rc_alloc(bytes, 1, "row pointers", err);
        RC_TRY(ptr ? fetch(place->x, m, m->row_ptr, bytes, ptr, err) : RC_ENOMEM);
    }
    RC_TRY(copy_pointers(m, ptr ? ptr : m->row_ptr, out, err));
    RC_TRY(fetch(place->x, m, m->col_idx, nnz * sizeof *m->col_idx, out->col_idx, err));
    RC_TRY(check_columns(m, out, rc_plan_threads(place->x, m->nnz), &sorted, err));
    if (!sorted)
        RC_TRY(sort_rows(out, from, err));
done:
    free(ptr);
    return st;
}

rc_status_t rc_plan_pattern(const rc_csr_t *a, rc_digest_t *out, rc_err_t *err)
{
    int64_t shape[] = {a->rows, a->cols, a->nnz};
    rc_hasher_t *h = rc_hasher_new(err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    rc_hasher_add(h, shape, sizeof shape);
    rc_hasher_add(h, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    rc_hasher_add(h, a->col_idx, (size_t)a->nnz * sizeof *a->col_idx);
    *out = rc_hasher_digest(h);
    rc_hasher_free(h);
    return RC_OK;
}
