#include "config.h"
#include "operation/product.h"

#include <math.h>

/* Entries that are not worth a second thread. */
enum { ALONE = 1 << 14 };

void rc_product_value(const rc_reference_matrix_t *m, int64_t r, int64_t j, int64_t k,
    rc_input_fn *input, const void *user, rc_exact_t *out)
{
    const rc_csr_t *a = m->a;
    (void)k;
    *out = (rc_exact_t){.terms = a->row_ptr[r + 1] - a->row_ptr[r]};
    for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
        double v = rc_reference_value(m, e) * input(user, 0, a->col_idx[e], j);
        out->value += v;
        out->mag += isfinite(v) ? fabs(v) : 0;
    }
}

void rc_product_project(
    const rc_reference_matrix_t *m, const double *x, const double *xmag, double *y, double *ymag)
{
    enum { chunk = 256 };
    const rc_csr_t *a = m->a;
#pragma omp parallel for num_threads(m->threads) schedule(dynamic, chunk) if (a->nnz > ALONE)
    for (int64_t r = 0; r < a->rows; r++) {
        double sum = 0;
        double mag = 0;
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            double v = rc_reference_value(m, e);
            sum += v * x[a->col_idx[e]];
            mag += fabs(v) * xmag[a->col_idx[e]];
        }
        y[r] = sum;
        ymag[r] = mag;
    }
}
