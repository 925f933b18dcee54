/** \file kernels/cuda/executor.h  An executor on a CUDA stream of the caller.  No CUDA header is
 *  needed to include this one: cudaStream_t is a pointer to struct CUstream_st. */
#ifndef RC_KERNELS_CUDA_EXECUTOR_H
#define RC_KERNELS_CUDA_EXECUTOR_H

#include "kernels/executor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/** Device memory of an application, ordered by the stream. */
typedef struct rc_cuda_allocator {
    /** \param[in] bytes  >= 1  \return memory for work that is put on the stream from now on,
     *  aligned to 64 bytes at least; NULL: there is none */
    void *(*alloc)(size_t bytes, struct CUstream_st *stream, void *user);
    /** \param[in] p  of alloc, in use until the work is done that is on the stream now */
    void (*free)(void *p, struct CUstream_st *stream, void *user);
    void *user;
} rc_cuda_allocator_t;

/** Make an executor of a stream.  No call with it changes the current device of the calling thread.
 *  \param[in] index      GPU of the runtime that the stream belongs to
 *  \param[in] stream     borrowed until the executor is closed; NULL: the default stream
 *  \param[in] allocator  copied; NULL: cudaMallocAsync and cudaFreeAsync on the stream
 *  \param[in] threads    host threads for preparation, 0: all
 *  \param[out] out       close with rc_executor_cuda_close; it must not move while states use it
 *  \return RC_OK, RC_EINVAL (threads), RC_ENOMEM, RC_EDEVICE, RC_ENOTSUP (built without CUDA) */
rc_status_t rc_executor_cuda(int index, struct CUstream_st *stream,
    const rc_cuda_allocator_t *allocator, int threads, rc_executor_t *out, rc_err_t *err);

/** Wait for the stream and free what the executor made itself; stream and allocator are the
 *  caller's.  States that use it are released before.  A zeroed executor is allowed. */
void rc_executor_cuda_close(rc_executor_t *x);

#ifdef __cplusplus
}
#endif
#endif
