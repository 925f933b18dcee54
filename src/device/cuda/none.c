/* What the GPU side answers in a build without CUDA. */
#include "config.h"
#include "device/cuda/executor.h"
#include "base/error.h"
#include "device/device.h"
#include "device/limits.h"

static rc_status_t none(rc_err_t *err)
{
    return rc_fail(err, RC_ENOTSUP, "this build has no CUDA kernels; see the summary of configure");
}

rc_status_t rc_gpu_list(rc_gpu_info_t **list, int *count, rc_err_t *err)
{
    (void)list;
    (void)count;
    return none(err);
}

rc_status_t rc_device_open_gpu(int index, int threads, rc_device_t **out, rc_err_t *err)
{
    (void)index;
    (void)threads;
    (void)out;
    return none(err);
}

rc_status_t rc_gpu_versions(rc_gpu_versions_t *out, rc_err_t *err)
{
    (void)out;
    return none(err);
}

rc_status_t rc_executor_cuda(int index, struct CUstream_st *stream,
    const rc_cuda_allocator_t *allocator, int threads, rc_executor_t *out, rc_err_t *err)
{
    (void)index;
    (void)stream;
    (void)allocator;
    (void)threads;
    (void)out;
    return none(err);
}

void rc_executor_cuda_close(rc_executor_t *x)
{
    (void)x;
}

rc_status_t rc_limits_measure(rc_device_t *d, rc_limits_t *out, rc_err_t *err)
{
    (void)d;
    (void)out;
    return none(err);
}
