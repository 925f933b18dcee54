#include "config.h"
#include "io/mtx_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The place of (row, col), or -1. */
static int64_t find(const rc_csr_t *a, int32_t row, int32_t col)
{
    return rc_csr_has(a, row, col) ? rc_csr_seek(a, row, col) : -1;
}

/* Of complex values digests are compared, which are those of the image already. */
static int agree(const rc_mtx_head_t *head, double x, double y)
{
    if (head->symmetry == RC_MTX_SKEW && head->field != RC_MTX_COMPLEX)
        y = -y;
    return x == y || (isnan(x) && isnan(y));
}

int rc_mtx_triangles_agree(const rc_mtx_head_t *head, const rc_csr_t *a, int32_t *row, int32_t *col)
{
    for (int32_t i = 0; i < (int32_t)a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            int32_t j = a->col_idx[k];
            int64_t image = i == j ? k : find(a, j, i);
            if (i != j && (image < 0 || !agree(head, a->val[k], a->val[image]))) {
                *row = i;
                *col = j;
                return 0;
            }
        }
    return 1;
}

rc_status_t rc_mtx_triangles_differ(const rc_mtx_head_t *head, const rc_csr_t *a, int32_t row,
    int32_t col, const rc_mtx_line_t *line, rc_err_t *err)
{
    char values[96] = "two values";
    int64_t image = find(a, col, row);
    const char *says = rc_mtx_symmetry_name(head->symmetry);
    int64_t i = row + INT64_C(1);
    int64_t j = col + INT64_C(1);
    if (image < 0)
        return rc_mtx_fail(err, RC_EFORMAT, line->file, line->number,
            "expected an entry on or below the diagonal (the banner says %s) or all of both "
            "triangles, found (%" PRId64 ", %" PRId64 ") without (%" PRId64 ", %" PRId64 ")",
            says, i, j, j, i);
    if (head->field != RC_MTX_COMPLEX)
        snprintf(
            values, sizeof values, "%.17g and %.17g", a->val[find(a, row, col)], a->val[image]);
    return rc_mtx_fail(err, RC_EFORMAT, line->file, line->number,
        "expected (%" PRId64 ", %" PRId64 ") and (%" PRId64 ", %" PRId64
        ") to agree (the banner says %s), found %s",
        i, j, j, i, says, values);
}
