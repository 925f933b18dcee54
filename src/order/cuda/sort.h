/** \file order/cuda/sort.h  Sorting rows by keys on a GPU: CUB, in one file, because it takes
 *  long to compile. */
#ifndef RC_ORDER_CUDA_SORT_H
#define RC_ORDER_CUDA_SORT_H

#include "order/cuda/orders.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Keys and what goes with them, each with memory of the same size beside; sorting swaps the
 *  two. */
typedef struct rc_cuda_pairs {
    uint32_t *key;
    uint32_t *key_beside;
    int32_t *value;
    int32_t *value_beside;
    int64_t n;
} rc_cuda_pairs_t;

/** The same with keys of 64 bits. */
typedef struct rc_cuda_pairs64 {
    uint64_t *key;
    uint64_t *key_beside;
    int32_t *value;
    int32_t *value_beside;
    int64_t n;
} rc_cuda_pairs64_t;

/** Bytes that sorting n pairs needs.  The GPU is the current one. */
rc_status_t rc_cuda_sort_bytes(int64_t n, int64_t *bytes, rc_err_t *err);
rc_status_t rc_cuda_sort64_bytes(int64_t n, int64_t *bytes, rc_err_t *err);

/** Enqueue a stable sort by the lowest `bits` of the keys (at least 1), n >= 1.
 *  \param[in] temp  [bytes] as asked for */
rc_status_t rc_cuda_sort(
    const rc_executor_t *x, void *temp, int64_t bytes, rc_cuda_pairs_t *p, int bits, rc_err_t *err);
/** Enqueue the rows of a pattern sorted by their smallest column, empty rows last: p->value. 
 *  p->n is the number of rows; the rest as rc_cuda_sort. */
rc_status_t rc_cuda_sort_first_columns(const rc_executor_t *x, const rc_cuda_pattern_t *a,
    void *temp, int64_t bytes, rc_cuda_pairs_t *p, rc_err_t *err);
rc_status_t rc_cuda_sort64(const rc_executor_t *x, void *temp, int64_t bytes, rc_cuda_pairs64_t *p,
    int bits, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
