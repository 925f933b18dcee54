/* What stream.c asks of a driver and of a runtime, where nothing but contexts and streams is there. */
#include "fake_driver.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#define FAKE __attribute__((visibility("default")))

enum { SUCCESS, INVALID = 1, DESTROYED = 709 };

static fake_driver_t fake;
static _Thread_local int current;
static _Thread_local enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;

FAKE fake_driver_t *fake_driver(void)
{
    return &fake;
}

FAKE int *fake_current(void)
{
    return &current;
}

/* What a thread asks for that is not relaxed may end the capture of another one. */
static void ask(void)
{
    fake.unsafe += mode != cudaStreamCaptureModeRelaxed;
}

static int number_of(const void *context)
{
    return (int)((const fake_context_t *)context - fake.contexts);
}

/* -------------------------------------------------------------------- driver */

/* As the driver declares them. */
FAKE int cuCtxGetCurrent(void **ctx);
FAKE int cuCtxGetId(void *ctx, unsigned long long *id);
FAKE int cuStreamGetCtx(void *stream, void **ctx);
FAKE int cuStreamGetId(void *stream, unsigned long long *id);
FAKE int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
FAKE int cuDevicePrimaryCtxRetain(void **ctx, int device);
FAKE int cuDevicePrimaryCtxRelease_v2(int device);

FAKE int cuCtxGetCurrent(void **ctx)
{
    ask();
    *ctx = &fake.contexts[current];
    return SUCCESS;
}

FAKE int cuCtxGetId(void *ctx, unsigned long long *id)
{
    ask();
    *id = fake.unknown ? 0 : fake.contexts[number_of(ctx)].id;
    return fake.contexts[number_of(ctx)].id > 0 ? SUCCESS : DESTROYED;
}

FAKE int cuStreamGetCtx(void *stream, void **ctx)
{
    const fake_stream_t *s = stream;
    ask();
    *ctx = &fake.contexts[s ? s->context : current];
    return SUCCESS;
}

/* The default stream of each context has the same number here. */
FAKE int cuStreamGetId(void *stream, unsigned long long *id)
{
    const fake_stream_t *s = stream;
    ask();
    fake.unsafe += s && s->captured;
    *id = fake.unknown ? 0 : s ? s->id : 1;
    return s && s->captured ? INVALID : SUCCESS;
}

FAKE int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    ask();
    *flags = 0;
    *active = fake.contexts[device].id > 0;
    return SUCCESS;
}

FAKE int cuDevicePrimaryCtxRetain(void **ctx, int device)
{
    ask();
    *ctx = &fake.contexts[device];
    fake.retained++;
    fake.held++;
    return SUCCESS;
}

FAKE int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    ask();
    fake.held--;
    return SUCCESS;
}

/* ------------------------------------------------------------------- runtime */

FAKE cudaError_t cudaPeekAtLastError(void)
{
    return fake.error ? cudaErrorInvalidValue : cudaSuccess;
}

FAKE cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

FAKE cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    const fake_stream_t *s = (const void *)stream;
    *status = s && s->captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

FAKE cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *with)
{
    enum cudaStreamCaptureMode before = mode;
    mode = *with;
    *with = before;
    return cudaSuccess;
}

FAKE cudaError_t cudaGetDevice(int *device)
{
    ask();
    *device = current < DEVICES ? current : 0;
    return cudaSuccess;
}

FAKE cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    return cuStreamGetId(stream, id) == SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

FAKE cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return cudaSuccess;
}
