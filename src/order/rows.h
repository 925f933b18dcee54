/** \file order/rows.h  Warp loads of rows, rows sorted by them, and equal rows.  All local. */
#ifndef RC_ORDER_ROWS_H
#define RC_ORDER_ROWS_H

#include "rowcast.h"

/** L(R) = ceil(nnz_R / nt) of every row (Mehrabi et al. 2021, section II-C).
 *  \param[out] load  [a->rows], iterations; free with free()
 *  \return RC_OK or RC_ENOMEM.  Cost O(rows). */
rc_status_t rc_row_loads(const rc_csr_t *a, int32_t nt, int threads, int32_t **load, rc_err_t *err);

/** Stable sort of items 0 .. n-1 by a key: equal keys keep the order in which `order` has them.
 *  \param[in]     key        [largest item + 1], >= 0
 *  \param[in]     descending 0: smallest key first; 1: largest key first
 *  \param[in,out] order      [n] items; sorted on return
 *  \return RC_OK or RC_ENOMEM (order unchanged).  Radix sort: cost O(n * bytes of the largest key),
 *          memory 4n bytes. */
rc_status_t rc_sort_by_key(
    const int32_t *key, int descending, int64_t n, int32_t *order, rc_err_t *err);

/** Lists of numbers, one behind the other. */
typedef struct rc_lists {
    int64_t n;
    const int64_t *ptr;  /**< [n + 1] */
    const int32_t *item; /**< [ptr[n]] */
} rc_lists_t;

/** Number equal lists alike, in the order of the first ones.
 *  \param[out] number  [n]  \param[out] count  of distinct lists
 *  \return RC_OK, RC_ENOMEM.  Cost O(ptr[n] + n), memory at most 24 bytes a list. */
rc_status_t rc_number_lists(
    const rc_lists_t *l, int threads, int32_t *number, int64_t *count, rc_err_t *err);

/** Items 0 .. n-1 by their groups, in each by number.
 *  \param[in]  group  [n] in [0, count)
 *  \param[out] ptr    [count + 2], of which the first count + 1 bound the groups
 *  \param[out] item   [n].  Cost O(n + count). */
void rc_list_groups(const int32_t *group, int64_t n, int64_t count, int64_t *ptr, int32_t *item);

/** Rows 0 .. n-1 sorted by load, ties by index.
 *  \param[out] order  [n], caller's */
rc_status_t rc_rows_by_load(
    const int32_t *load, int descending, int64_t n, int32_t *order, rc_err_t *err);

#endif
