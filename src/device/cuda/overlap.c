#include "config.h"
#include "device/cuda/overlap.h"
#include "device/cuda/cuda.h"

rc_status_t rc_cuda_launch_overlapping(
    const rc_executor_t *x, const rc_cuda_launch_t *l, void *args, const char *what, rc_err_t *err)
{
    cudaLaunchAttribute overlap = {.id = cudaLaunchAttributeProgrammaticStreamSerialization,
        .val.programmaticStreamSerializationAllowed = 1};
    cudaLaunchConfig_t config = {.gridDim = {l->ctas, l->rows, 1},
        .blockDim = {l->threads, l->threads_y ? l->threads_y : 1, l->threads_z ? l->threads_z : 1},
        .dynamicSmemBytes = l->shared,
        .stream = rc_cuda_stream(x),
        .attrs = &overlap,
        .numAttrs = !l->alone && rc_cuda_overlaps(x) ? 1 : 0};
    void *list[] = {args};
    if (l->ctas == 0)
        return RC_OK;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_check(cudaLaunchKernelExC(&config, l->entry, list), what, err);
    rc_cuda_leave(x, before);
    return st;
}
