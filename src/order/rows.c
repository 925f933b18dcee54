#include "config.h"
#include "order/rows.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"

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

static uint64_t hash_list(const rc_lists_t *l, int64_t i)
{
    uint64_t h = 0;
    for (int64_t e = l->ptr[i]; e < l->ptr[i + 1]; e++)
        h = (h ^ (uint64_t)l->item[e]) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
    return rc_rng_hash(h, (uint64_t)(l->ptr[i + 1] - l->ptr[i]));
}

static int same_lists(const rc_lists_t *l, int64_t i, int64_t j)
{
    int64_t n = l->ptr[i + 1] - l->ptr[i];
    if (n != l->ptr[j + 1] - l->ptr[j])
        return 0;
    return n == 0 ||
           memcmp(l->item + l->ptr[i], l->item + l->ptr[j], (size_t)n * sizeof *l->item) == 0;
}

/* Through an open hash table of first lists. */
rc_status_t rc_number_lists(
    const rc_lists_t *l, int threads, int32_t *number, int64_t *count, rc_err_t *err)
{
    rc_pool_t pool = {0};
    int64_t n = l->n;
    uint64_t size = 16;
    while (size < 2 * (uint64_t)n)
        size *= 2;
    uint64_t *hash = rc_pool_get(&pool, (size_t)n, sizeof *hash);
    int32_t *table = rc_pool_get(&pool, (size_t)size, sizeof *table);
    rc_status_t st;
    RC_TRY(rc_pool_check(&pool, "equal rows", err));
#pragma omp parallel for num_threads(threads) schedule(static) if (n > 10000)
    for (int64_t i = 0; i < n; i++)
        hash[i] = hash_list(l, i);
    for (uint64_t at = 0; at < size; at++)
        table[at] = -1;
    *count = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t at = hash[i] & (size - 1);
        while (table[at] >= 0 && (hash[table[at]] != hash[i] || !same_lists(l, table[at], i)))
            at = (at + 1) & (size - 1);
        if (table[at] < 0) {
            table[at] = (int32_t)i;
            number[i] = (int32_t)(*count)++;
        } else
            number[i] = number[table[at]];
    }
done:
    rc_pool_free(&pool);
    return st;
}

void rc_list_groups(const int32_t *group, int64_t n, int64_t count, int64_t *ptr, int32_t *item)
{
    /* ptr[k + 2] counts, then ptr[k + 1] is where group k goes on */
    memset(ptr, 0, ((size_t)count + 2) * sizeof *ptr);
    for (int64_t i = 0; i < n; i++)
        ptr[group[i] + 2]++;
    for (int64_t k = 0; k < count; k++)
        ptr[k + 2] += ptr[k + 1];
    for (int64_t i = 0; i < n; i++)
        item[ptr[group[i] + 1]++] = (int32_t)i;
}
