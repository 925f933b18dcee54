/** \file device/memory.h  The memory of a kernel's state on an executor, to be released together:
 *  first the matrix, which several states may use, then what each needs for itself. */
#ifndef RC_DEVICE_MEMORY_H
#define RC_DEVICE_MEMORY_H

#include "base/users.h"
#include "device/executor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_MEMORY_PIECES = 16 };

typedef struct rc_memory {
    rc_executor_t *x; /**< borrowed */
    void *piece[RC_MEMORY_PIECES];
    size_t bytes[RC_MEMORY_PIECES]; /**< of the pieces */
    int pieces;
    int matrix;        /**< the first so many pieces are the matrix */
    rc_users_t *users; /**< of the matrix; NULL: one */
} rc_memory_t;

/** One more piece, at most RC_MEMORY_PIECES: a copy of host memory, or zeros where `from` is NULL.
 *  \param[out] out  NULL for no bytes; released with rc_memory_free
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_memory_keep(
    rc_memory_t *m, const void *from, size_t bytes, void **out, rc_err_t *err);

/** The same without bytes: what the memory holds is left open. */
rc_status_t rc_memory_room(rc_memory_t *m, size_t bytes, void **out, rc_err_t *err);

/** One more piece that is there already, of the same executor; on a CPU of malloc, too.  NULL is
 *  allowed. */
rc_status_t rc_memory_take(rc_memory_t *m, void *piece, size_t bytes, rc_err_t *err);

/** Bytes of all pieces. */
int64_t rc_memory_bytes(const rc_memory_t *m);

/** The pieces so far are the matrix, those that follow are not. */
void rc_memory_seal(rc_memory_t *m);

/** The matrix of `of` for another state.
 *  \param[in]  x   of the same device, with the same allocator; borrowed
 *  \param[out] to  free with rc_memory_free  \return RC_OK, RC_ENOMEM */
rc_status_t rc_memory_share(rc_memory_t *of, rc_executor_t *x, rc_memory_t *to, rc_err_t *err);

/** Release the pieces; the matrix with its last user.  Where there are others, wait for the stream.
 *  \return 1: the matrix was released */
int rc_memory_free(rc_memory_t *m);

#ifdef __cplusplus
}
#endif
#endif
