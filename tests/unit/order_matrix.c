#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "order/policy.h"
#include "order_matrix.h"

#include <stdlib.h>
#include <string.h>

void matrix_from_flags(const unsigned char *flag, int64_t rows, int64_t cols, rc_csr_t *out)
{
    *out = (rc_csr_t){.rows = rows, .cols = cols};
    for (int64_t i = 0; i < rows * cols; i++)
        out->nnz += flag[i] != 0;
    out->row_ptr = calloc((size_t)rows + 1, sizeof *out->row_ptr);
    out->col_idx = calloc((size_t)out->nnz + 1, sizeof *out->col_idx);
    out->val = calloc((size_t)out->nnz + 1, sizeof *out->val);
    assert_true(out->row_ptr && out->col_idx && out->val);
    int64_t at = 0;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < cols; c++)
            if (flag[r * cols + c])
                out->col_idx[at++] = (int32_t)c;
        out->row_ptr[r + 1] = at;
    }
}

void free_matrix(rc_csr_t *a)
{
    free(a->row_ptr);
    free(a->col_idx);
    free(a->val);
    memset(a, 0, sizeof *a);
}

static int64_t below(rc_rng_t *r, int64_t bound)
{
    return (int64_t)rc_rng_below(r, (uint64_t)bound);
}

void random_matrix(rc_rng_t *r, int64_t most_rows, rc_csr_t *out)
{
    static const double density[] = {0, 0.01, 0.03, 0.1, 0.3, 0.7, 1};
    int64_t rows = below(r, most_rows + 1);
    int64_t cols = below(r, 8) ? 1 + below(r, 200) : 1;
    unsigned char *flag = calloc((size_t)(rows * cols) + 1, 1);
    assert_non_null(flag);
    double d = density[below(r, 7)];
    int64_t band = below(r, 3) ? cols : 1 + below(r, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < cols; c++)
            if (llabs(c - i % cols) < band && rc_rng_unit(r) < d)
                flag[i * cols + c] = 1;
    for (int64_t k = below(r, 4); k > 0; k--) { /* dense columns */
        int64_t c = below(r, cols);
        for (int64_t i = 0; i < rows; i++)
            if (below(r, 10))
                flag[i * cols + c] = 1;
    }
    for (int64_t k = rows ? below(r, 3) : 0; k > 0; k--) /* dense rows */
        memset(flag + below(r, rows) * cols, 1, (size_t)cols);
    if (rows && below(r, 2))
        for (int64_t k = below(r, rows + 1); k > 0; k--) /* repeated rows */
            memmove(flag + below(r, rows) * cols, flag + below(r, rows) * cols, (size_t)cols);
    if (rows && below(r, 2))
        for (int64_t k = below(r, rows + 1); k > 0; k--) /* empty rows */
            memset(flag + below(r, rows) * cols, 0, (size_t)cols);
    matrix_from_flags(flag, rows, cols, out);
    free(flag);
}

rc_geometry_t random_geometry(rc_rng_t *r)
{
    static const int32_t nw[] = {1, 2, 3, 4, 7, 32, 100};
    static const int32_t nt[] = {1, 2, 4, 16, 32};
    static const int32_t line[] = {1, 2, 3, 8, 16, 32, 500};
    rc_geometry_t g = {.nw = nw[below(r, 7)], .nt = nt[below(r, 5)], .line = line[below(r, 7)]};
    return g;
}

rc_schedule_t order_of(const char *text, const rc_csr_t *a, int threads)
{
    rc_schedule_t s = {0};
    rc_err_t err = {0};
    if (rc_order_build(text, a, NULL, threads, &s, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return s;
}

void expect_refused(const refused_order_t *bad, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rc_policy_spec_t s;
        rc_err_t err = {0};
        rc_status_t st = rc_policy_spec_parse(bad[i].text, &s, &err);
        if (st != bad[i].status || !strstr(err.text, bad[i].says))
            fail_msg("%s: found %d '%s'", bad[i].text, (int)st, err.text);
    }
}
