/* Whether work may be put on a stream of the program. */
#include "config.h"
#include "dropin/stream.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

typedef int driver_stream_ctx(void *stream, void **ctx);
typedef int driver_current(void **ctx);
typedef int driver_retain(void **ctx, int device);
typedef int driver_release(int device);
typedef int driver_id(void *ctx, unsigned long long *id);
typedef int driver_stream_id(void *stream, unsigned long long *id);
typedef int driver_state(int device, unsigned *flags, int *active);
/* The function of three arguments, which each driver has by this name. */
typedef int driver_capture(void *stream, int *status, unsigned long long *id);

static void symbol(void *handle, const char *name, void *out)
{
    void *p = handle ? dlsym(handle, name) : NULL;
    memcpy(out, &p, sizeof p);
}

static struct driver {
    driver_stream_ctx *of_stream;
    driver_current *current;
    driver_retain *retain;
    driver_release *release;
    driver_state *state;
    driver_id *id; /* since CUDA 12.0, as that of streams */
    driver_stream_id *stream_id;
    driver_capture *capture;
} driver;
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

/* Looking functions up takes longer than what they do, so it is done once, when the program's CUDA
 * is there. */
static void driver_find(void)
{
    void *handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    symbol(handle, "cuStreamGetCtx", &driver.of_stream);
    symbol(handle, "cuCtxGetCurrent", &driver.current);
    symbol(handle, "cuDevicePrimaryCtxRetain", &driver.retain);
    symbol(handle, "cuDevicePrimaryCtxRelease_v2", &driver.release);
    symbol(handle, "cuDevicePrimaryCtxGetState", &driver.state);
    symbol(handle, "cuCtxGetId", &driver.id);
    symbol(handle, "cuStreamGetId", &driver.stream_id);
    symbol(handle, "cuStreamGetCaptureInfo", &driver.capture);
}

/* 1: the current context is the primary one of the device, and the stream is of it.
 * \param[out] context  its number, which no other one has; 0: not known */
static int primary(void *stream, int device, uint64_t *context)
{
    const struct driver *d = &driver;
    int active = 0;
    unsigned flags = 0;
    void *ctx[3] = {0};
    /* retaining one that is not there would make it */
    int same = d->of_stream && d->current && d->retain && d->release && d->state &&
               d->state(device, &flags, &active) == 0 && active && d->retain(&ctx[0], device) == 0;
    unsigned long long id = 0;
    if (same) {
        if (d->id && d->id(ctx[0], &id) != 0)
            id = 0;
        same = d->current(&ctx[1]) == 0 && d->of_stream(stream, &ctx[2]) == 0 && ctx[0] == ctx[1] &&
               ctx[0] == ctx[2];
        (void)d->release(device);
    }
    *context = same ? id : 0;
    return same;
}

/* A stream, the context that was current, and their numbers, which no others of the process ever
 * have: a context that was reset and a stream at the address of one that is gone have new ones. */
typedef struct found {
    void *stream;
    void *context;
    unsigned long long stream_id;
    unsigned long long context_id;
    int device; /* whose primary context it is, and the stream's */
} found_t;

/* What a thread has found last; asking for more takes longer than some products. */
static _Thread_local found_t latest;

/* \param[out] now  all but the device  \return 1: the numbers are known */
static int number(void *stream, found_t *now)
{
    const struct driver *d = &driver;
    *now = (found_t){.stream = stream};
    return d->current && d->id && d->stream_id && d->current(&now->context) == 0 && now->context &&
           d->id(now->context, &now->context_id) == 0 &&
           d->stream_id(stream, &now->stream_id) == 0 && now->context_id != 0 &&
           now->stream_id != 0;
}

static int is_latest(const found_t *now)
{
    return now->stream == latest.stream && now->context == latest.context &&
           now->stream_id == latest.stream_id && now->context_id == latest.context_id;
}

/* 1: the stream is one of the primary context of the current device, which is the current context.
 * \param[in] captured  1: the stream is, and may not be asked for its number */
static int find(void *stream, int captured, int *device, uint64_t *context)
{
    found_t now;
    (void)pthread_once(&driver_once, driver_find);
    int numbered = !captured && number(stream, &now);
    if (numbered && is_latest(&now)) {
        *device = latest.device;
        *context = latest.context_id;
        return 1;
    }
    int known = !failed(cudaGetDevice(device)) && primary(stream, *device, context);
    if (known && numbered) {
        latest = now;
        latest.device = *device;
    }
    return known;
}

int rc_stream_usable(void *stream, int *device, uint64_t *context)
{
    enum cudaStreamCaptureStatus capturing;
    enum { USABLE, CAPTURED, UNASKED, NOT = -1 };
    *context = 0;
    if (stream == cudaStreamPerThread)
        return NOT;
    /* what launches say here would take the program's error */
    if (cudaPeekAtLastError() != cudaSuccess)
        return NOT;
    /* the default stream cannot even be asked while another one is captured */
    if (failed(cudaStreamIsCapturing(stream, &capturing)) ||
        capturing == cudaStreamCaptureStatusInvalidated)
        return UNASKED;
    enum cudaStreamCaptureMode mode = relax();
    int known = find(stream, capturing != cudaStreamCaptureStatusNone, device, context);
    restore(mode);
    if (!known)
        return NOT;
    return capturing == cudaStreamCaptureStatusNone ? USABLE : CAPTURED;
}

uint64_t rc_stream_capture(void *stream)
{
    enum { ACTIVE = 1 };
    int status = 0;
    unsigned long long id = 0;
    (void)pthread_once(&driver_once, driver_find);
    if (!driver.capture || driver.capture(stream, &status, &id) != 0 || status != ACTIVE)
        return 0;
    return id;
}

cudaError_t rc_stream_follow(unsigned long long *id, cudaStream_t stream, cudaEvent_t last)
{
    unsigned long long now = 0;
    cudaError_t e = cudaStreamGetId(stream, &now);
    if (e == cudaSuccess && now != *id)
        e = cudaStreamWaitEvent(stream, last, 0);
    if (e == cudaSuccess)
        *id = now;
    return e;
}
