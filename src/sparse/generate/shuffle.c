#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/csr.h"
#include "sparse/generate/form.h"
#include "sparse/generate/permute.h"
#include "sparse/generate/rows.h"

#include <stdlib.h>

/* What keeps the permutations apart from each other and from what a generator draws. */
enum { ROW_STREAM = 0x526f77, COLUMN_STREAM = 0x436f6c };

/* Where rows and columns go; NULL: they stay. */
typedef struct shuffle {
    int32_t *row;
    int32_t *col; /* the same as row where one permutation serves both */
} shuffle_t;

static int32_t *table_of(const rc_form_t *f, uint64_t stream, int64_t n, rc_err_t *err)
{
    uint64_t seed = (uint64_t)(f->shuffle_seed < 0 ? f->seed : f->shuffle_seed);
    rc_permute_t p = rc_permute_make(rc_rng_keyed(rc_rng_key(seed), stream), n);
    int32_t *to = rc_alloc((size_t)n, sizeof *to, "a permutation", err);
    if (to)
        rc_permute_table(&p, to);
    return to;
}

static rc_status_t tables(const rc_form_t *f, const rc_csr_t *a, shuffle_t *s, rc_err_t *err)
{
    int rows = f->shuffle != RC_SHUFFLE_COLS;
    int cols = f->shuffle != RC_SHUFFLE_ROWS;
    int same = rows && cols && a->rows == a->cols;
    if (rows)
        s->row = table_of(f, ROW_STREAM, a->rows, err);
    if (cols)
        s->col = same ? s->row : table_of(f, COLUMN_STREAM, a->cols, err);
    return (rows && !s->row) || (cols && !s->col) ? RC_ENOMEM : RC_OK;
}

/* Row i of a into its place; `key` has room for the row. */
static void move_row(const shuffle_t *s, const rc_csr_t *a, int64_t i, int64_t to, uint64_t *key,
    const rc_csr_t *out)
{
    int64_t first = a->row_ptr[i];
    int64_t n = a->row_ptr[i + 1] - first;
    for (int64_t k = 0; k < n; k++) {
        int64_t col = a->col_idx[first + k];
        key[k] = (uint64_t)(s->col ? s->col[col] : col) << 32 | (uint64_t)k;
    }
    rc_sort_u64(key, n);
    for (int64_t k = 0; k < n; k++) {
        out->col_idx[to + k] = (int32_t)(key[k] >> 32);
        out->val[to + k] = a->val[first + (int64_t)(uint32_t)key[k]];
    }
}

static int64_t place(const shuffle_t *s, int64_t i)
{
    return s->row ? s->row[i] : i;
}

static rc_status_t move_rows(
    const shuffle_t *s, const rc_csr_t *a, const rc_csr_t *out, rc_err_t *err)
{
    int64_t longest = rc_csr_longest(a, 1);
    int failed = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; i++)
        out->row_ptr[place(s, i) + 1] = a->row_ptr[i + 1] - a->row_ptr[i];
    for (int64_t i = 0; i < a->rows; i++)
        out->row_ptr[i + 1] += out->row_ptr[i];
#pragma omp parallel reduction(| : failed)
    {
        uint64_t *key = rc_alloc((size_t)longest, sizeof *key, "a row", NULL);
        failed = !key;
#pragma omp for schedule(dynamic, 1024)
        for (int64_t i = 0; i < a->rows; i++)
            if (key)
                move_row(s, a, i, out->row_ptr[place(s, i)], key, out);
        free(key);
    }
    return failed
               ? rc_fail(err, RC_ENOMEM, "no memory for a row of %lld entries", (long long)longest)
               : RC_OK;
}

rc_status_t rc_form_shuffle(const rc_form_t *f, rc_csr_t *a, rc_err_t *err)
{
    if (f->shuffle == RC_SHUFFLE_NONE)
        return RC_OK;
    shuffle_t s = {0};
    rc_csr_t b = {0};
    rc_status_t st;
    RC_TRY(rc_rows_memory(rc_csr_bytes(a->rows, a->nnz), a->rows, (double)a->nnz, err));
    RC_TRY(tables(f, a, &s, err));
    RC_TRY(rc_csr_alloc(a->rows, a->cols, a->nnz, &b, err));
    st = move_rows(&s, a, &b, err);
done:
    if (s.col != s.row)
        free(s.col);
    free(s.row);
    rc_csr_free(a);
    if (st < 0)
        rc_csr_free(&b);
    else
        *a = b;
    return st;
}
