/** \file device/cuda/memory.h The device memory of a kernel's state, to be released together: first
 *  the matrix, which several states may use, then what each needs for itself. */
#ifndef RC_DEVICE_CUDA_MEMORY_H
#define RC_DEVICE_CUDA_MEMORY_H

#include "base/users.h"
#include "device/executor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_CUDA_PIECES = 16 };

typedef struct rc_cuda_memory {
    rc_executor_t *x; /**< borrowed */
    void *piece[RC_CUDA_PIECES];
    size_t bytes[RC_CUDA_PIECES]; /**< of the pieces */
    int pieces;
    int matrix;        /**< the first so many pieces are the matrix */
    rc_users_t *users; /**< of the matrix; NULL: one */
} rc_cuda_memory_t;

/** One more piece, at most RC_CUDA_PIECES: a copy of host memory, or zeros where `from` is NULL.
 *  \param[out] out  NULL for no bytes; released with rc_cuda_memory_free
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_keep(
    rc_cuda_memory_t *m, const void *from, size_t bytes, void **out, rc_err_t *err);

/** The same without bytes: what the memory holds is left open. */
rc_status_t rc_cuda_room(rc_cuda_memory_t *m, size_t bytes, void **out, rc_err_t *err);

/** A copy of host memory, or room where `from` is NULL. */
rc_status_t rc_cuda_keep_or_room(
    rc_cuda_memory_t *m, const void *from, size_t bytes, void **out, rc_err_t *err);

/** One more piece that is there already, of the same executor; NULL is allowed. */
rc_status_t rc_cuda_take(rc_cuda_memory_t *m, void *piece, size_t bytes, rc_err_t *err);

/** Bytes of all pieces. */
int64_t rc_cuda_memory_bytes(const rc_cuda_memory_t *m);

/** The pieces so far are the matrix, those that follow are not. */
void rc_cuda_memory_seal(rc_cuda_memory_t *m);

/** The matrix of `of` for another state.
 *  \param[in]  x   of the same device, with the same allocator; borrowed
 *  \param[out] to  free with rc_cuda_memory_free  \return RC_OK, RC_ENOMEM */
rc_status_t rc_cuda_memory_share(
    rc_cuda_memory_t *of, rc_executor_t *x, rc_cuda_memory_t *to, rc_err_t *err);

/** Release the pieces; the matrix with its last user. Where there are others, wait for the
 *  stream. */
void rc_cuda_memory_free(rc_cuda_memory_t *m);

#ifdef __cplusplus
}
#endif
#endif
