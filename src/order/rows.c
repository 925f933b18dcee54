#include "config.h"
#include "order/rows.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

rc_status_t rc_row_loads(const rc_csr_t *a, int32_t nt, int threads, int32_t **load, rc_err_t *err)
{
    int32_t *l = rc_alloc((size_t)a->rows, sizeof *l, "warp loads", err);
    RC_PASS(l ? RC_OK : RC_ENOMEM);
    const int64_t *ptr = a->row_ptr;
    int64_t rows = a->rows;
#pragma omp parallel for num_threads(threads) schedule(static) if (rows > 100000)
    for (int64_t r = 0; r < rows; r++) {
        int64_t nnz = ptr[r + 1] - ptr[r];
        l[r] = (int32_t)(nnz / nt + (nnz % nt != 0));
    }
    *load = l;
    return RC_OK;
}

rc_status_t rc_sort_by_key(
    const int32_t *key, int descending, int64_t n, int32_t *order, rc_err_t *err)
{
    enum { bits = 11, buckets = 1 << bits };
    int32_t top = 0;
    for (int64_t i = 0; i < n; i++)
        if (key[order[i]] > top)
            top = key[order[i]];
    if (top == 0)
        return RC_OK;
    int32_t *other = rc_alloc((size_t)n, sizeof *other, "sorting rows", err);
    RC_PASS(other ? RC_OK : RC_ENOMEM);
    int32_t *from = order;
    int32_t *to = other;
    for (int shift = 0; shift < 31 && top >> shift > 0; shift += bits) {
        int64_t start[buckets] = {0};
        for (int64_t i = 0; i < n; i++) {
            int32_t k = descending ? top - key[from[i]] : key[from[i]];
            start[(k >> shift) & (buckets - 1)]++;
        }
        int64_t sum = 0;
        for (int b = 0; b < buckets; b++) {
            int64_t count = start[b];
            start[b] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < n; i++) {
            int32_t k = descending ? top - key[from[i]] : key[from[i]];
            to[start[(k >> shift) & (buckets - 1)]++] = from[i];
        }
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, (size_t)n * sizeof *order);
    free(other);
    return RC_OK;
}

rc_status_t rc_rows_by_load(
    const int32_t *load, int descending, int64_t n, int32_t *order, rc_err_t *err)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    return rc_sort_by_key(load, descending, n, order, err);
}
