/** \file dropin/stream.h  Streams of the program. */
#ifndef RC_DROPIN_STREAM_H
#define RC_DROPIN_STREAM_H

#include <cuda_runtime_api.h>
#include <stdint.h>

/* An error of ours is not left for the program to find.  1: there was one. */
static inline int failed(cudaError_t e)
{
    if (e != cudaSuccess)
        (void)cudaGetLastError();
    return e != cudaSuccess;
}

/* What a thread asks for now does not end the capture of another one.  \return what restore puts
 * back */
static inline enum cudaStreamCaptureMode relax(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)failed(cudaThreadExchangeStreamCaptureMode(&mode));
    return mode;
}

static inline void restore(enum cudaStreamCaptureMode mode)
{
    (void)failed(cudaThreadExchangeStreamCaptureMode(&mode));
}

/** As the engine's `stream`. */
int rc_stream_usable(void *stream, int *device, uint64_t *context);

/** As the engine's `capture`. */
uint64_t rc_stream_capture(void *stream);

/** Work on a stream follows what was asked for before: a new stream may have the address of one
 *  that is gone, and begin before that has ended.
 *  \param[in,out] id    of the stream that was used last; 0: none was
 *  \param[in]     last  after what it was used for */
cudaError_t rc_stream_follow(unsigned long long *id, cudaStream_t stream, cudaEvent_t last);

#endif
