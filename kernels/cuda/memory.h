/** \file kernels/cuda/memory.h  The device memory of a kernel's state, to be released together. */
#ifndef RC_KERNELS_CUDA_MEMORY_H
#define RC_KERNELS_CUDA_MEMORY_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_CUDA_PIECES = 10 };

typedef struct rc_cuda_memory {
    rc_executor_t *x; /**< borrowed */
    void *piece[RC_CUDA_PIECES];
    int pieces;
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
void rc_cuda_memory_free(rc_cuda_memory_t *m);

#ifdef __cplusplus
}
#endif
#endif
