/** \file base/alloc.h  Allocation with overflow-checked sizes.  Everything returned is freed with
 *  free().  A request of zero bytes returns a unique pointer, so NULL always means failure. */
#ifndef RC_BASE_ALLOC_H
#define RC_BASE_ALLOC_H

#include "rowcast.h"

#ifdef __cplusplus
extern "C" {
#endif

/** count * size bytes, uninitialised; sets err to RC_ENOMEM with the amount on failure.
 *  \param what  what the memory is for, in the message */
void *rc_alloc(size_t count, size_t size, const char *what, rc_err_t *err);

/** As rc_alloc, zeroed. */
void *rc_alloc0(size_t count, size_t size, const char *what, rc_err_t *err);

/** As rc_alloc, aligned to 64 bytes (cache line, widest vector). */
void *rc_alloc_aligned(size_t count, size_t size, const char *what, rc_err_t *err);

/** Make an array, an lvalue, of n of its elements, uninitialised or zeroed; freed with free().
 *  \return RC_OK; RC_ENOMEM, as of rc_alloc, and the array is NULL */
#define RC_NEW(array, n, what, err)                                                                \
    (((array) = rc_alloc((size_t)(n), sizeof *(array), what, err)) ? RC_OK : RC_ENOMEM)
#define RC_NEW0(array, n, what, err)                                                               \
    (((array) = rc_alloc0((size_t)(n), sizeof *(array), what, err)) ? RC_OK : RC_ENOMEM)

/** Make an array (allocated, or NULL with *capacity 0) hold at least `need` elements, growing by
 *  half; on failure it is unchanged and still owned by the caller.
 *  \param[in,out] array  address of the pointer to its elements, of any type */
rc_status_t rc_grow(
    void *array, size_t *capacity, size_t need, size_t size, const char *what, rc_err_t *err);

/** Make an array, an lvalue, hold at least `need` of its elements. */
#define RC_GROW(array, capacity, need, what, err)                                                  \
    rc_grow(&(array), &(capacity), need, sizeof *(array), what, err)

/** Memory that is freed together; zero-initialise, free with rc_pool_free.  After a failed request
 *  all further ones fail, so a series of requests needs one check at its end. */
typedef struct rc_pool {
    void **block;
    size_t blocks;
    size_t capacity;
    size_t count; /**< and size: the request that failed */
    size_t size;
    int failed;
} rc_pool_t;

/** As rc_alloc, rc_alloc0 and rc_alloc_aligned, of memory that the pool owns; NULL when this or an
 *  earlier request failed. */
void *rc_pool_get(rc_pool_t *p, size_t count, size_t size);
void *rc_pool_get0(rc_pool_t *p, size_t count, size_t size);
void *rc_pool_get_aligned(rc_pool_t *p, size_t count, size_t size);

/** \param[in] what  what the memory is for, in the message
 *  \return RC_OK; RC_ENOMEM: a request failed, and err says which */
rc_status_t rc_pool_check(const rc_pool_t *p, const char *what, rc_err_t *err);

/** Free all that a pool owns; it may be used again. */
void rc_pool_free(rc_pool_t *p);

/** a + b and a * b of non-negative numbers, INT64_MAX when the result does not fit. */
int64_t rc_sat_add(int64_t a, int64_t b);
int64_t rc_sat_mul(int64_t a, int64_t b);

/** Bytes of memory that the process may still use: the smallest of what the system, the control
 *  group and the limits of the process (ulimit -v, -d) have left.  INT64_MAX when none can be
 *  read. */
int64_t rc_memory_available(void);

#ifdef __cplusplus
}
#endif

#endif
