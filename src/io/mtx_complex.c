#include "config.h"
#include "io/mtx_text.h"
#include "base/error.h"
#include "base/rng.h"
#include "io/mtx.h"

#include <inttypes.h>
#include <string.h>

static int have_one_pattern(const rc_csr_t *a, const rc_csr_t *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz &&
           memcmp(a->row_ptr, b->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr) == 0 &&
           (a->nnz == 0 ||
               memcmp(a->col_idx, b->col_idx, (size_t)a->nnz * sizeof *a->col_idx) == 0);
}

/* The real parts, or the imaginary ones, to every second place from `out` on. */
static rc_status_t take_part(const char *path, int threads, rc_mtx_part_t part, const rc_csr_t *a,
    double *out, rc_err_t *err)
{
    rc_csr_t read = {0};
    RC_PASS(rc_mtx_read_part(path, threads, part, &read, err));
    const int is_same = have_one_pattern(a, &read);
    for (int64_t i = 0; is_same && i < a->nnz; i++)
        out[2 * i] = read.val[i];
    const int64_t nnz = read.nnz;
    rc_csr_free(&read);
    if (!is_same)
        return rc_fail(err, RC_EINVAL,
            "%s: expected the matrix of that file, found another pattern: %" PRId64 " and %" PRId64
            " entries",
            path, a->nnz, nnz);
    return RC_OK;
}

rc_status_t rc_mtx_read_complex(
    const char *path, int threads, const rc_csr_t *a, double *out, rc_err_t *err)
{
    int64_t rows;
    int64_t cols;
    int64_t entries;
    rc_mtx_info_t info;
    if (!path || !out)
        return rc_fail(err, RC_EINVAL, "%s: expected one, found NULL", path ? "values" : "path");
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected 0 or more, found %d", threads);
    RC_PASS(rc_csr_check(a, err));
    RC_PASS(rc_mtx_peek(path, &rows, &cols, &entries, &info, err));
    if (strcmp(info.field, rc_mtx_field_names[RC_MTX_COMPLEX]) == 0) {
        RC_PASS(take_part(path, threads, RC_MTX_PART_REAL, a, out, err));
        return take_part(path, threads, RC_MTX_PART_IMAGINARY, a, out + 1, err);
    }
    for (int64_t i = 0; i < a->nnz; i++) {
        out[2 * i] = a->val[i];
        out[2 * i + 1] = 0;
    }
    return RC_OK;
}

rc_status_t rc_mtx_parts(const char *path, const rc_mtx_info_t *info, int threads,
    const rc_csr_t *a, double *parts, rc_err_t *err)
{
    static const uint64_t seed = 0xc0371e;
    const int are_made = !path || info->values_are_seeded;
    if (path && strcmp(info->field, rc_mtx_field_names[RC_MTX_COMPLEX]) == 0)
        return rc_mtx_read_complex(path, threads, a, parts, err);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            const uint64_t at = (uint64_t)r * (uint64_t)a->cols + (uint64_t)a->col_idx[e];
            parts[2 * e] = a->val[e];
            parts[2 * e + 1] = are_made ? rc_rng_signed(seed, at) : 0;
        }
    return RC_OK;
}
