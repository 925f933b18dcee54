/* How device functions store a sum to the output: out = alpha sum + beta out. */
#ifndef RC_KERNELS_CUDA_STORE_CUH
#define RC_KERNELS_CUDA_STORE_CUH

#include "kernels/cuda/scalars.h"

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

/* The output passes by the caches.  beta 0 reads nothing of it; alpha 1 changes no bit of the sum. */
template <typename T>
__device__ __forceinline__ void store(T *to, T sum, const rc_cuda_scalars_t &s)
{
    T v = alpha_of(s, T()) * sum;
    T beta = beta_of(s, T());
    if (beta != T(0))
        v = fma(beta, *to, v);
    __stcs(to, v);
}

} // namespace rc

#endif
