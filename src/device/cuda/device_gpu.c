/* A GPU as a device that measures: an executor on a stream and a memory pool of its own, batches
 * timed between two events. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/executor.h"
#include "device/cuda/nvml.h"
#include "device/cuda/timer.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct gpu_impl {
    int index;
    cudaStream_t stream;
    cudaMemPool_t pool; /* NULL: the device has no pools, memory synchronises */
    rc_cuda_timer_t *timer;
    void *flush_buffer; /* NULL until the first flush */
    size_t flush_bytes;
    int flush_byte;
    rc_nvml_t *nvml; /* NULL: no such library */
} gpu_impl_t;

/* --------------------------------------------------------------- memory */

static cudaError_t pool_alloc(const gpu_impl_t *impl, size_t bytes, void **out)
{
    cudaError_t e = impl->pool ? cudaMallocFromPoolAsync(out, bytes, impl->pool, impl->stream)
                               : cudaMalloc(out, bytes);
    if (e == cudaErrorMemoryAllocation)
        (void)cudaGetLastError();
    return e;
}

static void *gpu_alloc(size_t bytes, cudaStream_t stream, void *user)
{
    const gpu_impl_t *impl = user;
    void *p = NULL;
    cudaError_t e = pool_alloc(impl, bytes, &p);
    if (e == cudaErrorMemoryAllocation && impl->pool) {
        /* what was released is ours again only when the stream has passed it, and whole pages of it
         * go back to the device only when told */
        e = cudaStreamSynchronize(stream);
        if (e == cudaSuccess)
            e = cudaMemPoolTrimTo(impl->pool, 0);
        if (e == cudaSuccess)
            e = pool_alloc(impl, bytes, &p);
    }
    return e == cudaSuccess ? p : NULL;
}

static void gpu_free(void *p, cudaStream_t stream, void *user)
{
    const gpu_impl_t *impl = user;
    if (impl->pool)
        (void)cudaFreeAsync(p, stream);
    else
        (void)cudaFree(p);
}

static rc_status_t gpu_flush(rc_device_t *d, rc_err_t *err)
{
    enum { least = 32 * 1024 * 1024 };
    gpu_impl_t *impl = d->impl;
    if (!impl->flush_buffer) {
        /* twice the cache: one pass then leaves nothing of what was there */
        size_t bytes = d->cache_bytes > least / 2 ? 2 * (size_t)d->cache_bytes : least;
        rc_status_t st = d->executor.alloc(&d->executor, bytes, &impl->flush_buffer, err);
        if (st < 0) {
            (void)rc_err_context(err, "cache flush");
            return st;
        }
        impl->flush_bytes = bytes;
    }
    impl->flush_byte = !impl->flush_byte;
    return d->executor.fill(
        &d->executor, impl->flush_buffer, impl->flush_byte, impl->flush_bytes, err);
}

/* --------------------------------------------------------------- timing */

static rc_status_t gpu_time_batch(
    rc_device_t *d, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    gpu_impl_t *impl = d->impl;
    RC_PASS(rc_cuda_timer_run(impl->timer, launch, state, batch, ns, err));
    d->active_ns += *ns;
    return RC_OK;
}

/* Who else has a context is read with the state. */
static void gpu_watch(rc_device_t *d, int anew)
{
    (void)d;
    (void)anew;
}

/* Its products are timed by its own clock. */
static int64_t gpu_waited(rc_device_t *d, int anew)
{
    (void)d;
    (void)anew;
    return 0;
}

static double gpu_lost(rc_device_t *d, int anew)
{
    (void)d;
    (void)anew;
    return 0;
}

static void gpu_read_state(rc_device_t *d, rc_device_state_t *out)
{
    const gpu_impl_t *impl = d->impl;
    rc_nvml_read(impl->nvml, out);
}

/* ------------------------------------------------------- opening, closing */

/* Leaves nothing behind also when opening ended half-way, or the context is spoiled. */
static void gpu_close(rc_device_t *d)
{
    gpu_impl_t *impl = d->impl;
    (void)cudaSetDevice(impl->index);
    if (impl->stream)
        (void)cudaStreamSynchronize(impl->stream);
    if (impl->flush_buffer)
        gpu_free(impl->flush_buffer, impl->stream, impl);
    rc_cuda_timer_free(impl->timer);
    rc_executor_cuda_close(&d->executor);
    if (impl->stream)
        (void)cudaStreamDestroy(impl->stream);
    if (impl->pool)
        (void)cudaMemPoolDestroy(impl->pool);
    (void)cudaGetLastError();
    rc_nvml_close(impl->nvml);
    free(impl);
    free(d);
}

/* A pool that keeps what is released, so that equal requests cost nothing after the first. */
static cudaError_t make_pool(gpu_impl_t *impl)
{
    int supported = 0;
    uint64_t all = UINT64_MAX;
    cudaError_t e =
        cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, impl->index);
    if (e != cudaSuccess || !supported)
        return e;
    const struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
        .location = {.type = cudaMemLocationTypeDevice, .id = impl->index}};
    e = cudaMemPoolCreate(&impl->pool, &props);
    if (e == cudaSuccess)
        e = cudaMemPoolSetAttribute(impl->pool, cudaMemPoolAttrReleaseThreshold, &all);
    return e;
}

static rc_status_t make_parts(rc_device_t *d, int threads, rc_err_t *err)
{
    gpu_impl_t *impl = d->impl;
    const rc_cuda_allocator_t memory = {gpu_alloc, gpu_free, impl};
    size_t total = 0;
    size_t left = 0;
    cudaError_t e = cudaSetDevice(impl->index);
    if (e == cudaSuccess)
        e = cudaStreamCreateWithFlags(&impl->stream, cudaStreamNonBlocking);
    if (e == cudaSuccess)
        e = make_pool(impl);
    if (e == cudaSuccess)
        e = cudaMemGetInfo(&left, &total);
    d->memory_bytes = (int64_t)left;
    RC_PASS(rc_cuda_check(e, "the GPU does not open", err));
    RC_PASS(rc_executor_cuda(impl->index, impl->stream, &memory, threads, &d->executor, err));
    rc_cuda_stay(&d->executor);
    return rc_cuda_timer_new(&d->executor, &impl->timer, err);
}

static void describe(rc_device_t *d, const rc_gpu_info_t *info)
{
    snprintf(d->name, sizeof d->name, "%s", info->name);
    snprintf(d->uuid, sizeof d->uuid, "%s", info->uuid);
    rc_cuda_class(info, d->class_name, sizeof d->class_name);
    d->cache_bytes = info->l2_bytes;
    d->multiprocessors = info->sms;
}

rc_status_t rc_device_open_gpu(int index, int threads, rc_device_t **out, rc_err_t *err)
{
    rc_gpu_info_t info;
    RC_PASS(rc_cuda_describe(index, &info, err));
    rc_device_t *d = rc_alloc0(1, sizeof *d, "the device", err);
    gpu_impl_t *impl = rc_alloc0(1, sizeof *impl, "the device", err);
    if (!d || !impl) {
        free(d);
        free(impl);
        return RC_ENOMEM;
    }
    *impl = (gpu_impl_t){.index = index};
    *d = (rc_device_t){
        .batch_max = RC_CUDA_QUEUE,
        .impl = impl,
        .flush = gpu_flush,
        .time_batch = gpu_time_batch,
        .watch = gpu_watch,
        .waited = gpu_waited,
        .lost = gpu_lost,
        .read_state = gpu_read_state,
        .close = gpu_close,
    };
    rc_cuda_dense(d);
    describe(d, &info);
    rc_status_t st = make_parts(d, threads, err);
    if (st < 0) {
        gpu_close(d);
        return st;
    }
    impl->nvml = rc_nvml_open(info.uuid, info.pci);
    *out = d;
    return RC_OK;
}
