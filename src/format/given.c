/* A matrix as a caller has it. */
#include "config.h"
#include "format/given.h"
#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>

void rc_there_free(rc_there_t *t)
{
    rc_resident_free(&t->m);
    *t = (rc_there_t){0};
}

/* ------------------------------------------------------------------- checks */

/* What the arrays of a form are called. */
static const struct {
    const char *pointers;
    const char *numbers; /* m->col_idx */
    const char *where;   /* one of them is */
    rc_plan_form_t transposed;
} form_words[] = {
    [RC_PLAN_CSR] = {"row pointers", "columns", "row", RC_PLAN_CSC},
    [RC_PLAN_CSC] = {"column pointers", "rows", "column", RC_PLAN_CSR},
    [RC_PLAN_COO] = {"rows", "columns", "entry", RC_PLAN_COO},
};

static rc_status_t check_bytes(const char *what, int bytes, rc_err_t *err)
{
    return bytes == 4 || bytes == 8
               ? RC_OK
               : rc_fail(
                     err, RC_EINVAL, "matrix: expected %s of 4 or 8 bytes, found %d", what, bytes);
}

static rc_status_t is_there(const void *from, int64_t count, const char *what, rc_err_t *err)
{
    return count == 0 || from ? RC_OK
                              : rc_fail(err, RC_EINVAL, "%s: expected an array, found NULL", what);
}

rc_status_t rc_given_check_pattern(const rc_plan_matrix_t *m, rc_err_t *err)
{
    if (m->rows < 0 || m->rows > INT32_MAX || m->cols < 0 || m->cols > INT32_MAX)
        return rc_fail(err, RC_ERANGE,
            "matrix: expected 0 to 2^31 - 1 rows and columns, found %" PRId64 " x %" PRId64,
            m->rows, m->cols);
    if (m->nnz < 0)
        return rc_fail(
            err, RC_EINVAL, "matrix: expected at least 0 entries, found %" PRId64, m->nnz);
    if ((unsigned)m->form > RC_PLAN_COO)
        return rc_fail(
            err, RC_EINVAL, "matrix: expected CSR, CSC or COO, found form %d", (int)m->form);
    const char *pointers = form_words[m->form].pointers;
    const char *numbers = form_words[m->form].numbers;
    RC_PASS(check_bytes(pointers, m->row_ptr_bytes, err));
    RC_PASS(check_bytes(numbers, m->col_idx_bytes ? m->col_idx_bytes : 4, err));
    RC_PASS(is_there(m->row_ptr, m->form == RC_PLAN_COO ? m->nnz : 1, pointers, err));
    return is_there(m->col_idx, m->nnz, numbers, err);
}

rc_status_t rc_given_check(const rc_plan_matrix_t *m, rc_err_t *err)
{
    RC_PASS(rc_given_check_pattern(m, err));
    RC_PASS(rc_type_check(m->precision, "matrix: values", err));
    return is_there(m->val, m->nnz, "values", err);
}

rc_plan_matrix_t rc_given_transposed(const rc_plan_matrix_t *m)
{
    rc_plan_matrix_t t = *m;
    t.rows = m->cols;
    t.cols = m->rows;
    t.form = form_words[m->form].transposed;
    if (m->form != RC_PLAN_COO)
        return t;
    t.row_ptr = m->col_idx;
    t.row_ptr_bytes = rc_given_col_bytes(m);
    t.col_idx = m->row_ptr;
    t.col_idx_bytes = m->row_ptr_bytes;
    return t;
}

rc_status_t rc_given_no_pointer(
    const rc_plan_matrix_t *m, int64_t r, int64_t before, int64_t p, rc_err_t *err)
{
    int64_t least = r > 0 ? before : 0;
    return rc_fail(err, RC_EFORMAT,
        "matrix: %s pointer %" PRId64 ": expected %" PRId64 " to %" PRId64 ", found %" PRId64,
        form_words[m->form].where, r, r == rc_given_majors(m) ? m->nnz : least, r > 0 ? m->nnz : 0,
        p);
}

rc_status_t rc_given_no_row(const rc_plan_matrix_t *m, int64_t entry, int64_t row, rc_err_t *err)
{
    return rc_fail(err, RC_EFORMAT,
        "matrix: entry %" PRId64 ": expected rows 0 to %" PRId64 ", found %" PRId64, entry,
        m->rows - 1, row);
}

rc_status_t rc_given_no_column(
    const rc_plan_matrix_t *m, int64_t where, int64_t found, rc_err_t *err)
{
    return rc_fail(err, RC_EFORMAT,
        "matrix: %s %" PRId64 ": expected %s 0 to %" PRId64 ", found %" PRId64,
        form_words[m->form].where, where, form_words[m->form].numbers, rc_given_minors(m) - 1,
        found);
}

rc_status_t rc_given_twice(int64_t row, int64_t col, rc_err_t *err)
{
    return rc_fail(err, RC_EFORMAT,
        "matrix: row %" PRId64 ": expected each column once, found column %" PRId64 " twice", row,
        col);
}

/* ------------------------------------------------------------------ digests */

void rc_given_seal(int64_t rows, int64_t cols, const uint64_t sum[2], uint64_t out[2])
{
    uint64_t shape[2] = {0, 0};
    rc_given_mix(rc_given_word((uint64_t)rows, (uint64_t)cols), shape);
    for (int i = 0; i < 2; i++)
        out[i] = rc_rng_mix(sum[i] + rc_rng_golden(shape[i]));
}

void rc_given_digest(const rc_csr_t *a, int threads, uint64_t out[2])
{
    uint64_t first = 0;
    uint64_t second = 0;
#pragma omp parallel num_threads(threads) reduction(+ : first, second)
    {
        uint64_t sum[2] = {0, 0};
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < a->nnz; i++)
            rc_given_mix(rc_given_column_word(i, a->col_idx[i]), sum);
#pragma omp for schedule(static) nowait
        for (int64_t r = 0; r <= a->rows; r++)
            rc_given_mix(rc_given_pointer_word(r, a->row_ptr[r]), sum);
        first += sum[0];
        second += sum[1];
    }
    rc_given_seal(a->rows, a->cols, (const uint64_t[]){first, second}, out);
}
