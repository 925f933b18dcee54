/* O_e = alpha A_e <Y_i, X_j> + beta O_e for every stored entry e = (i, j) of A, in the order of the
 * original CSR: Y is rows x K, X is cols x K. */
#include "config.h"
#include "operation/exact.h"

#include <math.h>

/* The row of an entry. */
static int64_t row_of(const rc_csr_t *a, int64_t entry)
{
    int64_t low = 0;
    int64_t high = a->rows;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (a->row_ptr[mid] <= entry)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static void value(const rc_reference_matrix_t *m, int64_t r, int64_t j, int64_t k,
    rc_input_fn *input, const void *user, rc_exact_t *out)
{
    const rc_csr_t *a = m->a;
    int64_t row = row_of(a, r);
    double v = rc_reference_value(m, r);
    rc_exact_t dot = {.terms = k};
    (void)j;
    for (int64_t i = 0; i < k; i++) {
        double t = input(user, 0, row, i) * input(user, 1, a->col_idx[r], i);
        dot.value += t;
        dot.mag += fabs(t);
    }
    /* the last multiplication rounds as well */
    *out = (rc_exact_t){v * dot.value, fabs(v) * dot.mag, k + 1};
    if (isfinite(v))
        return;
    /* the sign of an infinity is that of the sum, where it has one beyond its errors */
    int known = isnan(v) || fabs(dot.value) > rc_exact_bound(m->precision, dot.mag, k);
    out->mag = known ? dot.mag : (double)INFINITY;
}

const rc_operation_t rc_operation_sddmm = {
    .op = RC_OP_SDDMM,
    .name = "sddmm",
    .summary = "sampled dense x dense: O = A .* (Y X'), at the entries of A",
    .source = "Jiang et al. 2020, section 2",
    .version = 1,
    .has_k = 1,
    .in = {{"Y", RC_DIM_ROWS, 1}, {"X", RC_DIM_COLS, 1}},
    .out = {"O", RC_DIM_NNZ, 0},
    .tiles = 0,
    .value = value,
};
