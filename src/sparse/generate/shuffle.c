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

/* What goes to each place of a permutation. */
static int32_t *order_of(const rc_form_t *f, uint64_t stream, int64_t n, rc_err_t *err)
{
    uint64_t seed = (uint64_t)(f->shuffle_seed < 0 ? f->seed : f->shuffle_seed);
    rc_permute_t p = rc_permute_make(rc_rng_keyed(rc_rng_key(seed), stream), n);
    int32_t *order = rc_alloc((size_t)n, sizeof *order, "a permutation", err);
    if (!order)
        return NULL;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        order[rc_permute_at(&p, i)] = (int32_t)i;
    return order;
}

rc_status_t rc_form_shuffle(const rc_form_t *f, rc_csr_t *a, rc_err_t *err)
{
    const int rows = f->shuffle != RC_SHUFFLE_COLS;
    const int cols = f->shuffle != RC_SHUFFLE_ROWS;
    const int same = rows && cols && a->rows == a->cols;
    int32_t *row = NULL;
    int32_t *col = NULL;
    rc_csr_t t = {0};
    rc_csr_t b = {0};
    rc_status_t st;
    if (f->shuffle == RC_SHUFFLE_NONE)
        return RC_OK;
    /* the transpose has a place for each column */
    RC_TRY(rc_rows_memory(
        rc_csr_bytes(a->rows > a->cols ? a->rows : a->cols, a->nnz), a->rows, (double)a->nnz, err));
    row = rows ? order_of(f, ROW_STREAM, a->rows, err) : NULL;
    RC_TRY(rows && !row ? RC_ENOMEM : RC_OK);
    col = cols && !same ? order_of(f, COLUMN_STREAM, a->cols, err) : row;
    RC_TRY(cols && !col ? RC_ENOMEM : RC_OK);
    RC_TRY(rc_csr_transpose_by(a, row, &t, err));
    rc_csr_free(a);
    st = rc_csr_transpose_by(&t, cols ? col : NULL, &b, err);
done:
    if (col != row)
        free(col);
    free(row);
    rc_csr_free(&t);
    rc_csr_free(a);
    *a = b;
    return st;
}
