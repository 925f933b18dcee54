#include "config.h"
#include "sparse/csr.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/threads.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void rc_csr_free(rc_csr_t *a)
{
    if (!a)
        return;
    free(a->row_ptr);
    free(a->col_idx);
    free(a->val);
    *a = (rc_csr_t){0};
}

static rc_status_t check_shape(int64_t rows, int64_t cols, int64_t nnz, rc_err_t *err)
{
    if (rows < 0 || rows > INT32_MAX || cols < 0 || cols > INT32_MAX)
        return rc_fail(err, RC_ERANGE,
            "a matrix of %" PRId64 " x %" PRId64 ": expected 0 to %d rows and columns", rows, cols,
            INT32_MAX);
    if (nnz < 0)
        return rc_fail(err, RC_ERANGE, "a matrix of %" PRId64 " entries: expected 0 or more", nnz);
    return RC_OK;
}

rc_status_t rc_csr_alloc_pattern(
    int64_t rows, int64_t cols, int64_t nnz, rc_csr_t *out, rc_err_t *err)
{
    RC_PASS(check_shape(rows, cols, nnz, err));
    rc_csr_t a = {.rows = rows, .cols = cols, .nnz = nnz};
    a.row_ptr = rc_alloc0((size_t)rows + 1, sizeof *a.row_ptr, "row pointers", err);
    if (a.row_ptr)
        a.col_idx = rc_alloc((size_t)nnz, sizeof *a.col_idx, "column indices", err);
    if (!a.col_idx) {
        rc_csr_free(&a);
        return RC_ENOMEM;
    }
    *out = a;
    return RC_OK;
}

rc_status_t rc_csr_alloc(int64_t rows, int64_t cols, int64_t nnz, rc_csr_t *out, rc_err_t *err)
{
    RC_PASS(rc_csr_alloc_pattern(rows, cols, nnz, out, err));
    out->val = rc_alloc((size_t)nnz, sizeof *out->val, "values", err);
    if (!out->val)
        rc_csr_free(out);
    return out->val ? RC_OK : RC_ENOMEM;
}

int64_t rc_csr_bytes(int64_t rows, int64_t nnz)
{
    return (rows + 1) * (int64_t)sizeof(int64_t) +
           nnz * (int64_t)(sizeof(int32_t) + sizeof(double));
}

int64_t rc_csr_longest(const rc_csr_t *a, int threads)
{
    int64_t most = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : most)
    for (int64_t r = 0; r < a->rows; r++)
        most = rc_csr_length(a, r) > most ? rc_csr_length(a, r) : most;
    return most;
}

int64_t rc_csr_seek(const rc_csr_t *a, int64_t row, int64_t col)
{
    int64_t low = a->row_ptr[row];
    int64_t high = a->row_ptr[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->col_idx[middle] < col)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int rc_csr_has(const rc_csr_t *a, int64_t row, int64_t col)
{
    int64_t at = rc_csr_seek(a, row, col);
    return at < a->row_ptr[row + 1] && a->col_idx[at] == col;
}

int64_t rc_rows_cut(const int64_t *ptr, int64_t rows, int64_t row_cost, double want)
{
    int64_t low = 0;
    int64_t high = rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((double)ptr[middle] + (double)(middle * row_cost) < want)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ------------------------------------------------------------------- check */

static rc_status_t check_row(const rc_csr_t *a, int64_t row, rc_err_t *err)
{
    int64_t begin = a->row_ptr[row];
    int64_t end = a->row_ptr[row + 1];
    if (begin > end || end > a->nnz)
        return rc_fail(err, RC_EINVAL,
            "row %" PRId64 " has entries %" PRId64 " to %" PRId64 " of %" PRId64, row, begin, end,
            a->nnz);
    int64_t previous = -1;
    for (int64_t k = begin; k < end; k++) {
        int64_t col = a->col_idx[k];
        if (col < 0 || col >= a->cols)
            return rc_fail(err, RC_EINVAL,
                "row %" PRId64 " has column %" PRId64 ", expected 0 to %" PRId64, row, col,
                a->cols - 1);
        if (col <= previous)
            return rc_fail(err, RC_EINVAL,
                "row %" PRId64 " has column %" PRId64 " after %" PRId64
                ", expected increasing columns",
                row, col, previous);
        previous = col;
    }
    return RC_OK;
}

/* \param[in] pattern  1: values are not asked for */
static rc_status_t check_arrays(const rc_csr_t *a, int pattern, rc_err_t *err)
{
    if (!a)
        return rc_fail(err, RC_EINVAL, "matrix: expected one, found NULL");
    if (check_shape(a->rows, a->cols, a->nnz, err) < 0)
        return err ? (err->status = RC_EINVAL) : RC_EINVAL;
    int filled = a->nnz > 0;
    const char *absent = !a->row_ptr                     ? "row pointers"
                         : filled && !a->col_idx         ? "columns"
                         : filled && !pattern && !a->val ? "values"
                                                         : NULL;
    return absent ? rc_fail(err, RC_EINVAL, "matrix: expected %s, found NULL", absent) : RC_OK;
}

/* All of them are in bounds then. */
static int pointers_hold(const rc_csr_t *a, int threads)
{
    int64_t wrong = a->row_ptr[0] != 0 || a->row_ptr[a->rows] != a->nnz;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : wrong)
    for (int64_t row = 0; row < a->rows; row++)
        wrong += a->row_ptr[row] > a->row_ptr[row + 1];
    return wrong == 0;
}

/* Columns ascend within rows when every step that does not lead to a higher column is one between
 * two rows. */
static int columns_hold(const rc_csr_t *a, int threads)
{
    const int32_t *col = a->col_idx;
    const uint32_t cols = (uint32_t)a->cols;
    int outside = a->nnz > 0 && (uint32_t)col[0] >= cols;
    int64_t back = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : back) \
    reduction(| : outside)
    for (int64_t k = 1; k < a->nnz; k++) {
        back += col[k] <= col[k - 1];
        outside |= (uint32_t)col[k] >= cols;
    }
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : back)
    for (int64_t row = 1; row < a->rows; row++) {
        int64_t k = a->row_ptr[row];
        back -= k > 0 && k < a->row_ptr[row + 1] && col[k] <= col[k - 1];
    }
    return !outside && back == 0;
}

/* Say which row is the first that breaks an invariant. */
static rc_status_t explain(const rc_csr_t *a, rc_err_t *err)
{
    if (a->row_ptr[0] != 0)
        return rc_fail(
            err, RC_EINVAL, "row 0 starts at entry %" PRId64 ", expected 0", a->row_ptr[0]);
    for (int64_t row = 0; row < a->rows; row++) {
        RC_PASS(check_row(a, row, err));
    }
    if (a->row_ptr[a->rows] != a->nnz)
        return rc_fail(err, RC_EINVAL, "the rows hold %" PRId64 " entries, expected %" PRId64,
            a->row_ptr[a->rows], a->nnz);
    return rc_fail(err, RC_EINVAL, "the matrix changes while it is checked");
}

rc_status_t rc_csr_check_by(const rc_csr_t *a, int threads, rc_err_t *err)
{
    enum { alone = 1 << 18 }; /* a team costs more than it brings */
    RC_PASS(check_arrays(a, 0, err));
    if (a->nnz < alone - a->rows) /* the sum may overflow */
        threads = 1;
    return pointers_hold(a, threads) && columns_hold(a, threads) ? RC_OK : explain(a, err);
}

rc_status_t rc_csr_check(const rc_csr_t *a, rc_err_t *err)
{
    return rc_csr_check_by(a, 1, err);
}

rc_status_t rc_csr_given(const rc_csr_t *a, int threads, int *team, rc_err_t *err)
{
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected 0 or more, found %d", threads);
    *team = rc_thread_count(threads & ~RC_CHECKED);
    return threads & RC_CHECKED ? check_arrays(a, 1, err) : rc_csr_check_by(a, *team, err);
}

/* Equal numbers must give equal bytes: one zero, one NaN. */
static void add_values(rc_hasher_t *h, const double *val, int64_t n)
{
    enum { block = 2048 };
    double canonical[block];
    for (int64_t k = 0; k < n; k += block) {
        const int64_t some = n - k < block ? n - k : block;
        for (int64_t i = 0; i < some; i++) {
            const double v = val[k + i];
            canonical[i] = isnan(v) ? (double)NAN : v + 0.0;
        }
        rc_hasher_add(h, canonical, (size_t)some * sizeof *canonical);
    }
}

/* \param[in] val  [n] \param[in] tag  of these values */
static rc_status_t digest(const rc_csr_t *a, const char tag[8], const double *val, int64_t n,
    rc_digest_t *out, rc_err_t *err)
{
    rc_hasher_t *h = rc_hasher_new(err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    int64_t shape[3] = {a->rows, a->cols, a->nnz};
    rc_hasher_add(h, tag, 8);
    rc_hasher_add(h, shape, sizeof shape);
    rc_hasher_add(h, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    rc_hasher_add(h, a->col_idx, (size_t)a->nnz * sizeof *a->col_idx);
    add_values(h, val, n);
    *out = rc_hasher_digest(h);
    rc_hasher_free(h);
    return RC_OK;
}

rc_status_t rc_csr_digest(const rc_csr_t *a, rc_digest_t *out, rc_err_t *err)
{
    return digest(a, "rc-csr1", a->val, a->nnz, out, err);
}

rc_status_t rc_csr_digest_complex(
    const rc_csr_t *a, const double *parts, rc_digest_t *out, rc_err_t *err)
{
    return digest(a, "rc-csrc", parts, 2 * a->nnz, out, err);
}

rc_status_t rc_csr_transpose_by(
    const rc_csr_t *a, const int32_t *order, rc_csr_t *out, rc_err_t *err)
{
    rc_csr_t t;
    RC_PASS(a->val ? rc_csr_alloc(a->cols, a->rows, a->nnz, &t, err)
                   : rc_csr_alloc_pattern(a->cols, a->rows, a->nnz, &t, err));
    /* row_ptr[j + 1] counts, then starts, then ends row j: no second array of positions */
    for (int64_t k = 0; k < a->nnz; k++)
        t.row_ptr[a->col_idx[k] + 1]++;
    int64_t start = 0;
    for (int64_t j = 0; j < t.rows; j++) {
        int64_t count = t.row_ptr[j + 1];
        t.row_ptr[j + 1] = start;
        start += count;
    }
    for (int64_t p = 0; p < a->rows; p++) {
        int64_t i = order ? order[p] : p;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            int64_t at = t.row_ptr[a->col_idx[k] + 1]++;
            t.col_idx[at] = (int32_t)p;
            if (a->val)
                t.val[at] = a->val[k];
        }
    }
    *out = t;
    return RC_OK;
}

rc_status_t rc_csr_transpose(const rc_csr_t *a, rc_csr_t *out, rc_err_t *err)
{
    return rc_csr_transpose_by(a, NULL, out, err);
}

rc_status_t rc_csr_renumber_columns(
    const rc_csr_t *a, const int32_t *col, rc_csr_t *out, rc_err_t *err)
{
    rc_csr_t t;
    RC_PASS(rc_csr_transpose_by(a, NULL, &t, err));
    rc_status_t st = rc_csr_transpose_by(&t, col, out, err);
    rc_csr_free(&t);
    return st;
}
