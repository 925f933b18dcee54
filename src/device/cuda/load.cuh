/* Loads that the device functions share. */
#ifndef RC_DEVICE_CUDA_LOAD_CUH
#define RC_DEVICE_CUDA_LOAD_CUH

#include "device/cuda/complex.cuh"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace rc
{

/* Entries of A are used once per CTA: they are the first to leave L1, so that B stays. */
__device__ __forceinline__ int32_t load_once(const int32_t *p)
{
    int32_t x;
    asm("ld.global.nc.L1::evict_first.s32 %0, [%1];" : "=r"(x) : "l"(p));
    return x;
}

__device__ __forceinline__ int64_t load_once(const int64_t *p)
{
    int64_t x;
    asm("ld.global.nc.L1::evict_first.s64 %0, [%1];" : "=l"(x) : "l"(p));
    return x;
}

__device__ __forceinline__ float load_once(const float *p)
{
    float x;
    asm("ld.global.nc.L1::evict_first.f32 %0, [%1];" : "=f"(x) : "l"(p));
    return x;
}

__device__ __forceinline__ double load_once(const double *p)
{
    double x;
    asm("ld.global.nc.L1::evict_first.f64 %0, [%1];" : "=d"(x) : "l"(p));
    return x;
}

__device__ __forceinline__ complex<float> load_once(const complex<float> *p)
{
    complex<float> x;
    asm("ld.global.nc.L1::evict_first.v2.f32 {%0, %1}, [%2];" : "=f"(x.re), "=f"(x.im) : "l"(p));
    return x;
}

__device__ __forceinline__ complex<double> load_once(const complex<double> *p)
{
    complex<double> x;
    asm("ld.global.nc.L1::evict_first.v2.f64 {%0, %1}, [%2];" : "=d"(x.re), "=d"(x.im) : "l"(p));
    return x;
}

/* Of 2 bytes. */
template <typename T>
__device__ __forceinline__ std::enable_if_t<sizeof(T) == sizeof(uint16_t), T> load_once(const T *p)
{
    uint16_t bits;
    T x;
    asm("ld.global.nc.L1::evict_first.u16 %0, [%1];" : "=h"(bits) : "l"(p));
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* N neighbouring values, loaded in pieces of up to 16 bytes.  Their address is a multiple of their
 * size, or of 16.  A is read once: it leaves L1 first. */
template <typename T, int N> struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) run {
    T value[N];
};

template <typename T, int N> __device__ __forceinline__ run<T, N> load_run(const T *from)
{
    constexpr int BYTES = N * static_cast<int>(sizeof(T));
    run<T, N> r;
    if (BYTES % 16 == 0) {
        uint4 *to = reinterpret_cast<uint4 *>(&r);
#pragma unroll
        for (int i = 0; i < BYTES / 16; i++)
            asm("ld.global.nc.L1::evict_first.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(to[i].x), "=r"(to[i].y), "=r"(to[i].z), "=r"(to[i].w)
                : "l"(reinterpret_cast<const uint4 *>(from) + i));
    } else {
        uint2 *to = reinterpret_cast<uint2 *>(&r);
        asm("ld.global.nc.L1::evict_first.v2.u32 {%0, %1}, [%2];"
            : "=r"(to->x), "=r"(to->y)
            : "l"(from));
    }
    return r;
}

__device__ __forceinline__ int32_t load(const int32_t *p)
{
    return __ldg(p);
}

__device__ __forceinline__ int64_t load(const int64_t *p)
{
    return __ldg(reinterpret_cast<const long long *>(p));
}

/* Where the entries of a slot are, and which row of C they belong to.  I: type of slot pointers. */
template <typename I> struct extent {
    I begin;
    I end;
    int32_t row; /* -1: nothing is stored */
};

/* The extent of slot p; an empty one that stores nothing when p is not below `slots`. */
template <typename I>
__device__ __forceinline__ extent<I> load_extent(
    const void *ptr, const int32_t *row, int32_t p, int32_t slots)
{
    const I *at = static_cast<const I *>(ptr) + p;
    extent<I> x = {0, 0, -1};
    if (p < slots) {
        x.begin = load(at);
        x.end = load(at + 1);
        x.row = row ? __ldg(row + p) : p;
    }
    return x;
}

} // namespace rc

#endif
