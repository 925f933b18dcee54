/** \file device/cuda/executor.h  An executor on a CUDA stream of the caller.  No CUDA header is
 *  needed to include this one: cudaStream_t is a pointer to struct CUstream_st. */
#ifndef RC_DEVICE_CUDA_EXECUTOR_H
#define RC_DEVICE_CUDA_EXECUTOR_H

#include "device/executor.h"
#include "rowcast_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a stream says of itself.
 *  \param[out] index      its GPU; of a default stream, which every GPU has, the current one
 *  \param[out] capturing  1: what is asked for on it becomes a graph
 *  \return RC_OK, RC_EDEVICE (no stream; no driver), RC_ENOTSUP (built without CUDA) */
rc_status_t rc_cuda_stream_info(
    struct CUstream_st *stream, int *index, int *capturing, rc_err_t *err);

/** Whether an array can be read by the host.
 *  \param[in] what  the array, in the message  \return RC_OK, RC_EINVAL: it is memory of a GPU */
rc_status_t rc_cuda_on_host(const void *p, const char *what, rc_err_t *err);

/** Device class of a GPU, as stores and models name it: "cuda:<name>:<multiprocessors>sm:cuda13.0".
 *  \param[out] out  [size] */
void rc_cuda_class(const rc_gpu_info_t *info, char *out, size_t size);

/** What the runtime says of a GPU, without opening it.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_describe(int index, rc_gpu_info_t *out, rc_err_t *err);

/** The same, asked once for each GPU in the life of the process; threads may ask at once. */
rc_status_t rc_cuda_known(int index, rc_gpu_info_t *out, rc_err_t *err);

/** Make an executor of a stream.  No call with it changes the current device of the calling thread.
 *  \param[in] index      GPU of the runtime that the stream belongs to
 *  \param[in] stream     borrowed until the executor is closed; NULL: the default stream
 *  \param[in] allocator  copied; NULL: cudaMallocAsync and cudaFreeAsync on the stream; the pool
 *                       behind them then keeps some memory that was freed for what comes next: 1/64
 *                       of the GPU's, 1 GiB at most, unless the application has said how much
 *  \param[in] threads    host threads for preparation, 0: all
 *  \param[out] out       close with rc_executor_cuda_close; it must not move while states use it
 *  \return RC_OK, RC_EINVAL (threads), RC_ENOMEM, RC_EDEVICE, RC_ENOTSUP (built without CUDA) */
rc_status_t rc_executor_cuda(int index, struct CUstream_st *stream,
    const rc_cuda_allocator_t *allocator, int threads, rc_executor_t *out, rc_err_t *err);

/** From now on work goes on this stream. Work on the one before is not waited for: whoever changes
 *  the stream orders the two.
 *  \return RC_OK, RC_EINVAL (of another GPU), RC_EDEVICE.  Nothing is allocated, nothing waits. */
rc_status_t rc_executor_cuda_use(rc_executor_t *x, struct CUstream_st *stream, rc_err_t *err);

/** Bytes of its memory that no program has taken, without those that allocators hold back; 0: it
 *  does not say. */
int64_t rc_executor_cuda_memory(const rc_executor_t *x);

/** Wait for what was asked for on the stream.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_executor_cuda_wait(rc_executor_t *x, rc_err_t *err);

/** Wait for the stream and free what the executor made itself; stream and allocator are the
 *  caller's.  States that use it are released before.  A zeroed executor is allowed. */
void rc_executor_cuda_close(rc_executor_t *x);

#ifdef __cplusplus
}
#endif
#endif
