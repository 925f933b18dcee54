/* A matrix as a caller has it. */
#include "config.h"
#include "format/given.h"
#include "base/error.h"

#include <inttypes.h>

void rc_there_free(rc_there_t *t)
{
    rc_resident_free(&t->m);
    *t = (rc_there_t){0};
}

/* ------------------------------------------------------------------- checks */

static rc_status_t check_shape(const rc_plan_matrix_t *m, rc_err_t *err)
{
    if (m->rows < 0 || m->rows > INT32_MAX || m->cols < 0 || m->cols > INT32_MAX)
        return rc_fail(err, RC_ERANGE,
            "matrix: expected 0 to 2^31 - 1 rows and columns, found %" PRId64 " x %" PRId64,
            m->rows, m->cols);
    if (m->nnz < 0)
        return rc_fail(
            err, RC_EINVAL, "matrix: expected at least 0 entries, found %" PRId64, m->nnz);
    if (m->row_ptr_bytes != 4 && m->row_ptr_bytes != 8)
        return rc_fail(err, RC_EINVAL, "matrix: expected row pointers of 4 or 8 bytes, found %d",
            m->row_ptr_bytes);
    if (m->value_bytes != 4 && m->value_bytes != 8)
        return rc_fail(
            err, RC_EINVAL, "matrix: expected values of 4 or 8 bytes, found %d", m->value_bytes);
    return RC_OK;
}

static rc_status_t is_there(const void *from, int64_t count, const char *what, rc_err_t *err)
{
    return count == 0 || from ? RC_OK
                              : rc_fail(err, RC_EINVAL, "%s: expected an array, found NULL", what);
}

rc_status_t rc_given_check(const rc_plan_matrix_t *m, rc_err_t *err)
{
    RC_PASS(check_shape(m, err));
    RC_PASS(is_there(m->row_ptr, 1, "row pointers", err));
    RC_PASS(is_there(m->col_idx, m->nnz, "columns", err));
    return is_there(m->val, m->nnz, "values", err);
}

rc_status_t rc_given_no_pointer(
    const rc_plan_matrix_t *m, int64_t r, int64_t before, int64_t p, rc_err_t *err)
{
    int64_t least = r > 0 ? before : 0;
    return rc_fail(err, RC_EFORMAT,
        "matrix: row pointer %" PRId64 ": expected %" PRId64 " to %" PRId64 ", found %" PRId64, r,
        r == m->rows ? m->nnz : least, r > 0 ? m->nnz : 0, p);
}

rc_status_t rc_given_no_column(const rc_plan_matrix_t *m, int64_t row, int64_t col, rc_err_t *err)
{
    return rc_fail(err, RC_EFORMAT,
        "matrix: row %" PRId64 ": expected columns 0 to %" PRId64 ", found %" PRId64, row,
        m->cols - 1, col);
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
