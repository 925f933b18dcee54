#include "config.h"
#include "table/rows.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int takes_part(const rc_view_t *v, const rc_expr_t *where, int64_t i)
{
    rc_cursor_t c;
    const rc_row_result_t *r = rc_view_result(v, i);
    if (!rc_view_is_newest(v, i) || !rc_view_is_current(v, i) || r->status != RC_CASE_OK ||
        !(r->median_ns > 0))
        return 0;
    /* a kernel that computes nothing is never verified, and an unverified time is in no average */
    if (isnan(r->error_max))
        return 0;
    rc_view_seek(v, i, &c);
    return rc_expr_match(where, rc_view_get, &c);
}

static rc_digest_t k_key(int64_t k)
{
    return rc_digest(&k, sizeof k);
}

/* k -> a matrix that was run with it, -2 when matrices of several widths were */
rc_status_t rc_summary_note_k(
    rc_map_t *matrices, const rc_view_t *v, const rc_row_result_t *r, rc_err_t *err)
{
    int64_t before = rc_map_get(matrices, k_key(r->k), -1);
    if (before == r->matrix || before == -2)
        return RC_OK;
    /* matrices of the same width share a k under K = n too */
    int same_width = before >= 0 &&
                     rc_view_matrix(v, (int32_t)before)->cols == rc_view_matrix(v, r->matrix)->cols;
    return rc_map_set(matrices, k_key(r->k), before < 0 || same_width ? r->matrix : -2, err);
}

int rc_summary_is_n(const rc_map_t *matrices, const rc_view_t *v, const rc_row_result_t *r)
{
    return r->k == rc_view_matrix(v, r->matrix)->cols &&
           rc_map_get(matrices, k_key(r->k), -1) != -2;
}

rc_status_t rc_summary_rows(const rc_view_t *v, const rc_expr_t *where, rc_summary_row_t **out,
    int64_t *count, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t matrices = {0};
    int64_t n = 0;
    rc_summary_row_t *list = rc_alloc((size_t)rc_view_count(v), sizeof *list, "a summary", err);
    if (!list)
        return RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < rc_view_count(v); i++)
        if (takes_part(v, where, i)) {
            list[n++] = (rc_summary_row_t){.row = i};
            st = rc_summary_note_k(&matrices, v, rc_view_result(v, i), err);
        }
    for (int64_t i = 0; i < n; i++)
        list[i].is_n = rc_summary_is_n(&matrices, v, rc_view_result(v, list[i].row));
    rc_map_free(&matrices);
    if (st < 0) {
        free(list);
        return st;
    }
    *out = list;
    *count = n;
    return RC_OK;
}

int rc_summary_is_csr(const rc_view_t *v, const rc_row_result_t *r)
{
    return r->c_order == 0 && strcmp(rc_view_policy(v, r->policy), "csr") == 0;
}
