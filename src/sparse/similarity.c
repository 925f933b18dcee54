#include "config.h"
#include "sparse/similarity.h"
#include "base/alloc.h"
#include "base/error.h"

int64_t rc_common_columns(const int32_t *x, int64_t nx, const int32_t *y, int64_t ny)
{
    int64_t i = 0;
    int64_t j = 0;
    int64_t common = 0;
    while (i < nx && j < ny) {
        int32_t c = x[i];
        int32_t d = y[j];
        common += c == d;
        i += c <= d;
        j += d <= c;
    }
    return common;
}

double rc_row_similarity(const rc_csr_t *a, int64_t x, int64_t y)
{
    int64_t nx = a->row_ptr[x + 1] - a->row_ptr[x];
    int64_t ny = a->row_ptr[y + 1] - a->row_ptr[y];
    return rc_jaccard(
        nx, ny, rc_common_columns(a->col_idx + a->row_ptr[x], nx, a->col_idx + a->row_ptr[y], ny));
}

rc_status_t rc_mean_similarity(
    const rc_csr_t *a, const rc_schedule_t *order, int threads, double *out, rc_err_t *err)
{
    enum { alone = 1 << 18 }; /* below it a team costs more than it brings */
    int64_t slots = order ? order->slots : a->rows;
    int64_t rows = 0; /* that have entries */
    double sum = 0;
    rc_pool_t pool = {0};
    int32_t *row = rc_pool_get(&pool, (size_t)slots, sizeof *row);
    double *similarity = rc_pool_get(&pool, (size_t)slots, sizeof *similarity);
    rc_status_t st = rc_pool_check(&pool, "similarities", err);
    for (int64_t p = 0; st == RC_OK && p < slots; p++) {
        int64_t r = order ? order->row[p] : p;
        if (r >= 0 && a->row_ptr[r + 1] > a->row_ptr[r])
            row[rows++] = (int32_t)r;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256) if (a->nnz + slots >= alone)
    for (int64_t i = 1; i < rows; i++)
        similarity[i] = rc_row_similarity(a, row[i - 1], row[i]);
    for (int64_t i = 1; i < rows; i++) /* by one, in this order: sums are rounded */
        sum += similarity[i];
    rc_pool_free(&pool);
    *out = rows > 1 ? sum / (double)(rows - 1) : 0;
    return st;
}
