#include "config.h"
#include "sparse/similarity.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

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

/* Rows that have entries, a block of them at a time: the similarities of a block are found by all
 * threads and added by one. */
enum { BLOCK = 1 << 16 };

typedef struct block {
    int32_t row[BLOCK + 1]; /* row[0]: the last one of the block before */
    double similarity[BLOCK];
} block_t;

rc_status_t rc_mean_similarity(
    const rc_csr_t *a, const rc_schedule_t *order, int threads, double *out, rc_err_t *err)
{
    enum { alone = 1 << 18 }; /* below it a team costs more than it brings */
    int64_t slots = order ? order->slots : a->rows;
    int64_t rows = 0;
    double sum = 0;
    block_t *b = rc_alloc(1, sizeof *b, "similarities", err);
    RC_PASS(b ? RC_OK : RC_ENOMEM);
    for (int64_t p = 0; p < slots;) {
        int n = 0;
        for (; p < slots && n < BLOCK; p++) {
            int64_t r = order ? order->row[p] : p;
            if (r >= 0 && a->row_ptr[r + 1] > a->row_ptr[r])
                b->row[++n] = (int32_t)r;
        }
        int first = rows == 0; /* it has no neighbour before it */
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256) if (a->nnz + slots >= alone)
        for (int i = first; i < n; i++)
            b->similarity[i] = rc_row_similarity(a, b->row[i], b->row[i + 1]);
        for (int i = first; i < n; i++)
            sum += b->similarity[i];
        if (n > 0)
            b->row[0] = b->row[n];
        rows += n;
    }
    free(b);
    *out = rows > 1 ? sum / (double)(rows - 1) : 0;
    return RC_OK;
}
