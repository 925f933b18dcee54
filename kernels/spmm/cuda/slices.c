#include "config.h"
#include "kernels/spmm/cuda/slices.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"

rc_column_slices_t rc_slices_for(int64_t k, int steps)
{
    rc_column_slices_t s = {.lanes = RC_SLICE_LANES, .steps = steps};
    while (s.lanes / 2 >= k)
        s.lanes /= 2;
    while (s.steps > 1 && (int64_t)s.lanes * s.steps / 2 >= k)
        s.steps /= 2;
    s.count = (int32_t)rc_ceil_div(k, (int64_t)s.lanes * s.steps);
    return s;
}

rc_column_slices_t rc_slices_narrow(int64_t k, int steps)
{
    rc_column_slices_t s = {.lanes = RC_SLICE_LANES, .steps = steps};
    while (s.steps / 2 >= k)
        s.steps /= 2;
    while (s.lanes > 1 && (int64_t)s.lanes / 2 * s.steps >= k)
        s.lanes /= 2;
    s.count = (int32_t)rc_ceil_div(k, (int64_t)s.lanes * s.steps);
    return s;
}

unsigned rc_slices_grid(const rc_column_slices_t *s)
{
    return (unsigned)(s->count < RC_SLICES_MAX ? s->count : RC_SLICES_MAX);
}

rc_status_t rc_slices_allow(const void *entry, size_t bytes, const char *what, rc_err_t *err)
{
    RC_PASS(rc_cuda_check(
        cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes), what,
        err));
    return rc_cuda_check(cudaFuncSetAttribute(entry, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        what, err);
}

rc_status_t rc_slices_most(size_t *bytes, rc_err_t *err)
{
    int device = 0;
    int most = 0;
    rc_status_t st = rc_cuda_check(cudaGetDevice(&device), "the GPU", err);
    if (st == RC_OK)
        st = rc_cuda_check(
            cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
            "shared memory of a CTA", err);
    *bytes = (size_t)most;
    return st;
}
