#include "config.h"
#include "kernels/cuda/shared.h"
#include "kernels/cuda/cuda.h"

rc_status_t rc_cuda_shared_allow(const void *entry, size_t bytes, const char *what, rc_err_t *err)
{
    rc_status_t st = rc_cuda_check(
        cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes), what,
        err);
    if (st == RC_OK)
        st = rc_cuda_check(cudaFuncSetAttribute(entry, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared),
            what, err);
    return st;
}

rc_status_t rc_cuda_shared_most(size_t *bytes, rc_err_t *err)
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
