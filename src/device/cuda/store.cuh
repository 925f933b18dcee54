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

__device__ __forceinline__ parts::factor<float> alpha_of(const rc_cuda_scalars_t &s, complex<float>)
{
    return {s.alpha32, s.alpha32_im};
}

__device__ __forceinline__ parts::factor<double> alpha_of(
    const rc_cuda_scalars_t &s, complex<double>)
{
    return {s.alpha64, s.alpha64_im};
}

__device__ __forceinline__ parts::factor<float> beta_of(const rc_cuda_scalars_t &s, complex<float>)
{
    return {s.beta32, s.beta32_im};
}

__device__ __forceinline__ parts::factor<double> beta_of(
    const rc_cuda_scalars_t &s, complex<double>)
{
    return {s.beta64, s.beta64_im};
}

/* Where a sum is stored there, of where it would be among values: as many values behind the begin.
 */
template <typename T>
__device__ __forceinline__ sum_of<T> *sum_at(const T *value, const rc_cuda_scalars_t &s)
{
    static_assert(sizeof(sum_of<T>) == 2 * sizeof(T), "a sum is twice as far as a value");
    const uint64_t at = reinterpret_cast<uint64_t>(value);
    return reinterpret_cast<sum_of<T> *>(at + (at - s.sums));
}

/* What the output holds there. */
template <typename T>
__device__ __forceinline__ sum_of<T> load_old(const T *from, const rc_cuda_scalars_t &s)
{
    if constexpr (sizeof(T) < sizeof(sum_of<T>))
        if (s.sums)
            return *sum_at(from, s);
    return static_cast<sum_of<T>>(*from);
}

/* The output passes by the caches. beta 0 reads nothing of it; alpha 1 changes no bit of the
 * sum. */
template <typename T>
__device__ __forceinline__ void store(T *to, sum_of<T> sum, const rc_cuda_scalars_t &s)
{
    typedef sum_of<T> S;
    S v = alpha_of(s, S()) * sum;
    const auto beta = beta_of(s, S());
    if (beta != S(0))
        v = fma(beta, load_old(to, s), v);
    if constexpr (sizeof(T) < sizeof(S))
        if (s.sums) {
            __stcs(sum_at(to, s), v);
            return;
        }
    __stcs(to, static_cast<T>(v));
}

} // namespace rc

#endif
