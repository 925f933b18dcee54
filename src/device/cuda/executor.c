/* An executor on a stream of the caller: memory, copies, and which GPU is current. */
#include "config.h"
#include "device/cuda/executor.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/clock.h"
#include "device/cuda/cuda.h"
#include "device/cuda/gather.h"
#include "device/cuda/scale.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct cuda_impl {
    int index;
    int sms;
    int l2_bytes;
    int overlaps; /* 1: launches can overlap */
    int stays;    /* 1: the GPU stays the current one */
    cudaStream_t stream;
    rc_cuda_allocator_t memory;
    rc_cuda_library_t library[RC_CUDA_LIBRARIES];
} cuda_impl_t;

cudaStream_t rc_cuda_stream(const rc_executor_t *x)
{
    const cuda_impl_t *impl = x->impl;
    return impl->stream;
}

int rc_cuda_sms(const rc_executor_t *x)
{
    const cuda_impl_t *impl = x->impl;
    return impl->sms;
}

int64_t rc_cuda_l2_bytes(const rc_executor_t *x)
{
    const cuda_impl_t *impl = x->impl;
    return impl->l2_bytes;
}

int rc_cuda_overlaps(const rc_executor_t *x)
{
    const cuda_impl_t *impl = x->impl;
    return impl->overlaps;
}

rc_cuda_library_t *rc_cuda_library(rc_executor_t *x, rc_cuda_library_id_t which)
{
    cuda_impl_t *impl = x->impl;
    return &impl->library[which];
}

void rc_cuda_stay(rc_executor_t *x)
{
    cuda_impl_t *impl = x->impl;
    impl->stays = 1;
}

/* An error here shows in the call that needs the GPU. */
int rc_cuda_enter(const rc_executor_t *x)
{
    const cuda_impl_t *impl = x->impl;
    int before = impl->index;
    (void)cudaGetDevice(&before);
    if (before != impl->index)
        (void)cudaSetDevice(impl->index);
    return before;
}

void rc_cuda_leave(const rc_executor_t *x, int before)
{
    const cuda_impl_t *impl = x->impl;
    if (before != impl->index && !impl->stays)
        (void)cudaSetDevice(before);
}

/* --------------------------------------------------------------- memory */

static void *default_alloc(size_t bytes, cudaStream_t stream, void *user)
{
    void *p = NULL;
    (void)user;
    cudaError_t e = cudaMallocAsync(&p, bytes, stream);
    if (e == cudaErrorMemoryAllocation) {
        /* what was freed is there again only when the stream has passed it */
        (void)cudaGetLastError();
        e = cudaStreamSynchronize(stream);
        if (e == cudaSuccess)
            e = cudaMallocAsync(&p, bytes, stream);
    }
    return e == cudaSuccess ? p : NULL;
}

static void default_free(void *p, cudaStream_t stream, void *user)
{
    (void)user;
    (void)cudaFreeAsync(p, stream);
}

/* By default a pool gives all that is free back at every wait, and getting it again takes longer
 * than most of what a plan does. */
static void keep_freed(int index, int64_t memory)
{
    const uint64_t most = (uint64_t)1 << 30;
    enum { part = 64 };
    cudaMemPool_t pool;
    uint64_t kept = 0;
    if (cudaDeviceGetDefaultMemPool(&pool, index) == cudaSuccess &&
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess &&
        kept == 0) {
        kept = (uint64_t)memory / part;
        kept = kept < most ? kept : most;
        (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    }
    (void)cudaGetLastError(); /* a pool that does not is slower */
}

static rc_status_t cuda_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    const cuda_impl_t *impl = x->impl;
    int before = rc_cuda_enter(x);
    void *p = impl->memory.alloc(bytes ? bytes : 1, impl->stream, impl->memory.user);
    cudaError_t e = p ? cudaSuccess : cudaGetLastError();
    rc_cuda_leave(x, before);
    if (e != cudaSuccess && e != cudaErrorMemoryAllocation)
        return rc_cuda_check(e, "device memory", err);
    if (!p)
        return rc_fail(err, RC_ENOMEM, "no memory on the device for %zu bytes", bytes);
    *out = p;
    return RC_OK;
}

/* An error here was reported by the call that met it, or will be by the next one. */
static void cuda_release(rc_executor_t *x, void *p)
{
    const cuda_impl_t *impl = x->impl;
    if (!p)
        return;
    int before = rc_cuda_enter(x);
    impl->memory.free(p, impl->stream, impl->memory.user);
    rc_cuda_leave(x, before);
}

static rc_status_t copy(rc_executor_t *x, void *to, const void *from, size_t bytes,
    enum cudaMemcpyKind kind, const char *what, rc_err_t *err)
{
    if (bytes == 0)
        return RC_OK;
    cudaStream_t stream = rc_cuda_stream(x);
    int before = rc_cuda_enter(x);
    int64_t begin = rc_clock_ns();
    cudaError_t e = cudaMemcpyAsync(to, from, bytes, kind, stream);
    if (e == cudaSuccess)
        e = cudaStreamSynchronize(stream);
    x->copy_ns += rc_clock_ns() - begin;
    rc_cuda_leave(x, before);
    return rc_cuda_check(e, what, err);
}

static rc_status_t cuda_upload(
    rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    return copy(x, to, from, bytes, cudaMemcpyHostToDevice, "copy to the device", err);
}

static rc_status_t cuda_download(
    rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    return copy(x, to, from, bytes, cudaMemcpyDeviceToHost, "copy from the device", err);
}

static rc_status_t cuda_move(
    rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    if (bytes == 0)
        return RC_OK;
    int before = rc_cuda_enter(x);
    cudaError_t e = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, rc_cuda_stream(x));
    rc_cuda_leave(x, before);
    return rc_cuda_check(e, "copy on the device", err);
}

static rc_status_t cuda_fill(rc_executor_t *x, void *p, int byte, size_t bytes, rc_err_t *err)
{
    if (bytes == 0)
        return RC_OK;
    int before = rc_cuda_enter(x);
    cudaError_t e = cudaMemsetAsync(p, byte, bytes, rc_cuda_stream(x));
    rc_cuda_leave(x, before);
    return rc_cuda_check(e, "fill of device memory", err);
}

static rc_status_t cuda_gather(rc_executor_t *x, const rc_gather_t *g, rc_err_t *err)
{
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_gather(x, g, err);
    rc_cuda_leave(x, before);
    return st;
}

static rc_status_t cuda_take(rc_executor_t *x, const rc_take_t *t, rc_err_t *err)
{
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_take(x, t, err);
    rc_cuda_leave(x, before);
    return st;
}

static rc_status_t cuda_scale(
    rc_executor_t *x, const rc_dense_t *m, const double beta[2], rc_err_t *err)
{
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_scale(x, m, NULL, m->rows, beta, err);
    rc_cuda_leave(x, before);
    return st;
}

/* ------------------------------------------------------- opening, closing */

static int cpus_of_process(void)
{
    cpu_set_t set;
    int n = 0;
    CPU_ZERO(&set);
    if (omp_get_proc_bind() != omp_proc_bind_false)
        n = omp_get_num_procs(); /* a thread that OpenMP bound has one place */
    else if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
    else
        n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? n : 1;
}

rc_status_t rc_executor_cuda(int index, struct CUstream_st *stream,
    const rc_cuda_allocator_t *allocator, int threads, rc_executor_t *out, rc_err_t *err)
{
    enum { most_threads = 4096, warp = 32, line_bytes = 128, overlaps = 9 };
    static const rc_cuda_allocator_t by_default = {default_alloc, default_free, NULL};
    rc_gpu_info_t gpu;
    if (threads < 0 || threads > most_threads)
        return rc_fail(
            err, RC_EINVAL, "threads: expected 0 to %d, found %d", (int)most_threads, threads);
    RC_PASS(rc_cuda_known(index, &gpu, err));
    cuda_impl_t *impl = rc_alloc0(1, sizeof *impl, "the executor", err);
    RC_PASS(impl ? RC_OK : RC_ENOMEM);
    *impl = (cuda_impl_t){.index = index,
        .sms = gpu.sms,
        .l2_bytes = (int)gpu.l2_bytes,
        .overlaps = gpu.cc_major >= overlaps,
        .stream = stream,
        .memory = allocator ? *allocator : by_default};
    if (!allocator)
        keep_freed(index, gpu.memory_bytes);
    *out = (rc_executor_t){
        .kind = RC_DEVICE_CUDA,
        .threads = threads ? threads : cpus_of_process(),
        .lanes32 = warp,
        .line_bytes = line_bytes,
        .types = RC_TYPES_ANY,
        .impl = impl,
        .alloc = cuda_alloc,
        .release = cuda_release,
        .upload = cuda_upload,
        .download = cuda_download,
        .move = cuda_move,
        .fill = cuda_fill,
        .gather = cuda_gather,
        .take = cuda_take,
        .scale = cuda_scale,
        .wait = rc_executor_cuda_wait,
    };
    return RC_OK;
}

/* Before CUDA 12.8 no stream said its GPU, the default streams are of every GPU, and a captured
 * stream may not be asked: each is taken to be of the right one. */
static cudaError_t look_at(cudaStream_t stream, int *index, int *capturing)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaError_t e =
        stream && stream != cudaStreamLegacy ? cudaStreamIsCapturing(stream, &status) : cudaSuccess;
    *capturing = status != cudaStreamCaptureStatusNone;
#if CUDART_VERSION >= 12080
    if (e == cudaSuccess && !*capturing && stream && stream != cudaStreamLegacy &&
        stream != cudaStreamPerThread)
        e = cudaStreamGetDevice(stream, index);
#else
    (void)index;
#endif
    return e;
}

rc_status_t rc_cuda_stream_info(
    struct CUstream_st *stream, int *index, int *capturing, rc_err_t *err)
{
    *capturing = 0;
    cudaError_t e = cudaGetDevice(index);
    if (e == cudaSuccess)
        e = look_at(stream, index, capturing);
    return rc_cuda_check(e, "the stream", err);
}

rc_status_t rc_cuda_on_host(const void *p, const char *what, rc_err_t *err)
{
    struct cudaPointerAttributes at = {0};
    if (p && cudaPointerGetAttributes(&at, p) != cudaSuccess)
        (void)cudaGetLastError(); /* it is nothing that CUDA knows */
    else if (p && at.type == cudaMemoryTypeDevice)
        return rc_fail(err, RC_EINVAL, "%s: expected memory of the host, found memory of GPU %d",
            what, at.device);
    return RC_OK;
}

rc_status_t rc_executor_cuda_use(rc_executor_t *x, struct CUstream_st *stream, rc_err_t *err)
{
    cuda_impl_t *impl = x->impl;
    int index = impl->index;
    int capturing;
    if (stream == impl->stream)
        return RC_OK;
    RC_PASS(rc_cuda_check(look_at(stream, &index, &capturing), "the stream", err));
    if (index != impl->index)
        return rc_fail(
            err, RC_EINVAL, "stream: expected one of GPU %d, found GPU %d", impl->index, index);
    for (int i = 0; i < RC_CUDA_LIBRARIES; i++)
        if (impl->library[i].handle)
            RC_PASS(impl->library[i].use(impl->library[i].handle, stream, err));
    impl->stream = stream;
    return RC_OK;
}

int64_t rc_executor_cuda_memory(const rc_executor_t *x)
{
    size_t left = 0;
    size_t all = 0;
    int before = rc_cuda_enter(x);
    int known = cudaMemGetInfo(&left, &all) == cudaSuccess;
    (void)cudaGetLastError();
    rc_cuda_leave(x, before);
    return known ? (int64_t)left : 0;
}

rc_status_t rc_executor_cuda_wait(rc_executor_t *x, rc_err_t *err)
{
    int before = rc_cuda_enter(x);
    cudaError_t e = cudaStreamSynchronize(rc_cuda_stream(x));
    rc_cuda_leave(x, before);
    return rc_cuda_check(e, "waiting for the stream", err);
}

void rc_executor_cuda_close(rc_executor_t *x)
{
    cuda_impl_t *impl = x->impl;
    if (!impl)
        return;
    int before = rc_cuda_enter(x);
    (void)cudaStreamSynchronize(impl->stream);
    for (int i = 0; i < RC_CUDA_LIBRARIES; i++)
        if (impl->library[i].handle)
            impl->library[i].destroy(impl->library[i].handle);
    (void)cudaGetLastError();
    rc_cuda_leave(x, before);
    free(impl);
    *x = (rc_executor_t){0};
}
