/* How device functions store a sum to the output: out = alpha sum + beta out. */
#ifndef RC_DEVICE_CUDA_STORE_CUH
#define RC_DEVICE_CUDA_STORE_CUH

#include "device/cuda/scalars.h"
#include "device/cuda/types.cuh"

namespace rc
{

__device__ __forceinline__ float alpha_of(const rc_cuda_scalars_t &s, float)
{
    return s.alpha32;
}

__device__ __forceinline__ double alpha_of(const rc_cuda_scalars_t &s, double)
{
    return s.alpha64;
}

__device__ __forceinline__ float beta_of(const rc_cuda_scalars_t &s, float)
{
    return s.beta32;
}

__device__ __forceinline__ double beta_of(const rc_cuda_scalars_t &s, double)
{
    return s.beta64;
}

/* The output passes by the caches. beta 0 reads nothing of it; alpha 1 changes no bit of the
 * sum. */
template <typename T>
__device__ __forceinline__ void store(T *to, sum_of<T> sum, const rc_cuda_scalars_t &s)
{
    typedef sum_of<T> S;
    S v = alpha_of(s, S()) * sum;
    S beta = beta_of(s, S());
    if (beta != S(0))
        v = fma(beta, static_cast<S>(*to), v);
    __stcs(to, static_cast<T>(v));
}

} // namespace rc

#endif
