#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "shape.h"

#include <stdlib.h>

rc_csr_t make_matrix(const shape_t *s, uint64_t seed)
{
    rc_rng_t rng;
    rc_rng_seed(&rng, seed);
    rc_csr_t a = {.rows = s->rows, .cols = s->cols};
    size_t most = (size_t)(s->rows * s->cols) + 1;
    a.row_ptr = malloc(((size_t)s->rows + 1) * sizeof *a.row_ptr);
    a.col_idx = malloc(most * sizeof *a.col_idx);
    a.val = malloc(most * sizeof *a.val);
    assert_true(a.row_ptr && a.col_idx && a.val);
    a.row_ptr[0] = 0;
    for (int64_t r = 0; r < s->rows; r++) {
        double at = (double)r / (double)s->rows;
        double fill = s->rising ? s->fill * at * at : s->fill;
        for (int64_t c = 0; c < s->cols; c++) {
            int full = s->dense_row && r == s->rows / 2;
            int gap = s->gaps && (r % 3 == 1 || c % 4 == 2);
            if (gap || !(full || rc_rng_unit(&rng) < fill))
                continue;
            a.col_idx[a.nnz] = (int32_t)c;
            a.val[a.nnz++] = 2 * rc_rng_unit(&rng) - 1;
        }
        a.row_ptr[r + 1] = a.nnz;
    }
    return a;
}

void free_matrix(rc_csr_t *a)
{
    free(a->row_ptr);
    free(a->col_idx);
    free(a->val);
}
