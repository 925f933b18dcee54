#include "config.h"
#include "order/mask.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/rows.h"
#include "sparse/csr.h"

/* Visit the distinct lines of a row; writes them when `to` is not NULL.  Columns increase, so a
 * division is needed only where a new line begins. */
static int64_t lines_of_row(const int32_t *col, int64_t n, int32_t line, int32_t *to)
{
    int64_t count = 0;
    int64_t end = 0;
    for (int64_t i = 0; i < n; i++) {
        if (col[i] < end)
            continue;
        int32_t l = col[i] / line;
        end = ((int64_t)l + 1) * line;
        if (to)
            to[count] = l;
        count++;
    }
    return count;
}

/* Lines of every row: counted into ptr where there is no memory for them yet, else put there. */
static void walk_rows(
    const rc_csr_t *a, const int32_t *order, int32_t line, int threads, const rc_masks_t *m)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (a->nnz > 50000)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t r = order ? order[i] : i;
        int32_t *to = m->line_of ? m->line_of + m->ptr[i] : NULL;
        int64_t n = lines_of_row(a->col_idx + a->row_ptr[r], rc_csr_length(a, r), line, to);
        if (!to)
            m->ptr[i + 1] = n;
    }
}

rc_status_t rc_masks_build(const rc_csr_t *a, const int32_t *order, int32_t line, int threads,
    rc_masks_t *out, rc_err_t *err)
{
    rc_status_t st;
    rc_masks_t m = {.rows = a->rows, .lines = a->cols / line + (a->cols % line != 0)};
    int64_t rows = a->rows;
    m.ptr = rc_pool_get0(&m.pool, (size_t)rows + 1, sizeof *m.ptr);
    m.group = rc_pool_get(&m.pool, (size_t)rows, sizeof *m.group);
    RC_TRY(rc_pool_check(&m.pool, "row masks", err));
    walk_rows(a, order, line, threads, &m);
    for (int64_t r = 0; r < rows; r++)
        m.ptr[r + 1] += m.ptr[r];
    m.line_of = rc_pool_get(&m.pool, (size_t)m.ptr[rows], sizeof *m.line_of);
    RC_TRY(rc_pool_check(&m.pool, "row masks", err));
    walk_rows(a, order, line, threads, &m);
    const rc_lists_t lists = {.n = rows, .ptr = m.ptr, .item = m.line_of};
    RC_TRY(rc_number_lists(&lists, threads, m.group, &m.groups, err));
    *out = m;
    return RC_OK;
done:
    rc_masks_free(&m);
    return st;
}

void rc_masks_free(rc_masks_t *m)
{
    if (m)
        rc_pool_free(&m->pool);
}

int64_t rc_mask_distance(const rc_masks_t *m, int64_t r, int64_t s)
{
    int64_t i = m->ptr[r];
    int64_t j = m->ptr[s];
    int64_t common = 0;
    while (i < m->ptr[r + 1] && j < m->ptr[s + 1]) {
        int32_t a = m->line_of[i];
        int32_t b = m->line_of[j];
        common += a == b;
        i += a <= b;
        j += b <= a;
    }
    return rc_mask_size(m, r) + rc_mask_size(m, s) - 2 * common;
}
