/* Complex numbers of two parts, and what device functions do with a value: the operators, fma, and
 * loads, stores and shuffles, which are found by the type of their argument.  Products are those of
 * the parts, as on a CPU (base/value/complex.h). */
#ifndef RC_DEVICE_CUDA_COMPLEX_CUH
#define RC_DEVICE_CUDA_COMPLEX_CUH

#include <cuda_runtime.h>

namespace rc
{

/* Beside the other functions of rc: one called fma there would hide that of real numbers. */
namespace parts
{

template <typename R> struct alignas(2 * sizeof(R)) complex {
    R re;
    R im;

    complex() = default;
    __host__ __device__ __forceinline__ complex(R real, R imaginary = R(0))
        : re(real), im(imaginary)
    {
    }
    template <typename Q>
    __host__ __device__ __forceinline__ explicit complex(const complex<Q> &x)
        : re(static_cast<R>(x.re)), im(static_cast<R>(x.im))
    {
    }

    __device__ __forceinline__ complex &operator+=(const complex &x)
    {
        re += x.re;
        im += x.im;
        return *this;
    }
};

/* A factor of a run: a real one multiplies either part, so that an infinite part leaves the other
 * one alone. */
template <typename R> struct factor {
    R re;
    R im;
};

template <typename R>
__device__ __forceinline__ complex<R> operator+(const complex<R> &a, const complex<R> &b)
{
    return complex<R>(a.re + b.re, a.im + b.im);
}

template <typename R>
__device__ __forceinline__ complex<R> operator*(const complex<R> &a, const complex<R> &b)
{
    return complex<R>(fma(a.re, b.re, -a.im * b.im), fma(a.re, b.im, a.im * b.re));
}

template <typename R>
__device__ __forceinline__ complex<R> &operator*=(complex<R> &a, const complex<R> &b)
{
    return a = a * b;
}

template <typename R>
__device__ __forceinline__ bool operator==(const complex<R> &a, const complex<R> &b)
{
    return a.re == b.re && a.im == b.im;
}

template <typename R>
__device__ __forceinline__ complex<R> fma(
    const complex<R> &a, const complex<R> &b, const complex<R> &c)
{
    return complex<R>(
        ::fma(-a.im, b.im, ::fma(a.re, b.re, c.re)), ::fma(a.im, b.re, ::fma(a.re, b.im, c.im)));
}

template <typename R>
__device__ __forceinline__ complex<R> operator*(const factor<R> &f, const complex<R> &x)
{
    return f.im == R(0) ? complex<R>(f.re * x.re, f.re * x.im) : complex<R>(f.re, f.im) * x;
}

template <typename R>
__device__ __forceinline__ complex<R> &operator*=(complex<R> &x, const factor<R> &f)
{
    return x = f * x;
}

template <typename R>
__device__ __forceinline__ bool operator!=(const factor<R> &f, const complex<R> &x)
{
    return f.re != x.re || f.im != x.im;
}

template <typename R>
__device__ __forceinline__ complex<R> fma(
    const factor<R> &f, const complex<R> &x, const complex<R> &c)
{
    return f.im == R(0) ? complex<R>(::fma(f.re, x.re, c.re), ::fma(f.re, x.im, c.im))
                        : fma(complex<R>(f.re, f.im), x, c);
}

/* ------------------------------------------------------ loads and stores */

template <typename R> struct pair_of;
template <> struct pair_of<float> {
    typedef float2 type;
};
template <> struct pair_of<double> {
    typedef double2 type;
};
template <typename R> using pair = typename pair_of<R>::type;

template <typename R> __device__ __forceinline__ const pair<R> *pair_at(const complex<R> *p)
{
    return reinterpret_cast<const pair<R> *>(p);
}

template <typename R> __device__ __forceinline__ complex<R> __ldg(const complex<R> *p)
{
    const pair<R> x = ::__ldg(pair_at(p));
    return complex<R>(x.x, x.y);
}

template <typename R> __device__ __forceinline__ complex<R> __ldcg(const complex<R> *p)
{
    const pair<R> x = ::__ldcg(pair_at(p));
    return complex<R>(x.x, x.y);
}

template <typename R> __device__ __forceinline__ void __stcs(complex<R> *p, const complex<R> &x)
{
    pair<R> to;
    to.x = x.re;
    to.y = x.im;
    ::__stcs(reinterpret_cast<pair<R> *>(p), to);
}

/* Either part by itself: what is added is added, in no order. */
template <typename R> __device__ __forceinline__ void atomicAdd(complex<R> *p, const complex<R> &x)
{
    ::atomicAdd(&p->re, x.re);
    ::atomicAdd(&p->im, x.im);
}

/* --------------------------------------------------------------- shuffles */

template <typename R>
__device__ __forceinline__ complex<R> __shfl_sync(
    unsigned mask, const complex<R> &x, int lane, int width = warpSize)
{
    return complex<R>(
        ::__shfl_sync(mask, x.re, lane, width), ::__shfl_sync(mask, x.im, lane, width));
}

template <typename R>
__device__ __forceinline__ complex<R> __shfl_up_sync(
    unsigned mask, const complex<R> &x, unsigned by, int width = warpSize)
{
    return complex<R>(
        ::__shfl_up_sync(mask, x.re, by, width), ::__shfl_up_sync(mask, x.im, by, width));
}

template <typename R>
__device__ __forceinline__ complex<R> __shfl_down_sync(
    unsigned mask, const complex<R> &x, unsigned by, int width = warpSize)
{
    return complex<R>(
        ::__shfl_down_sync(mask, x.re, by, width), ::__shfl_down_sync(mask, x.im, by, width));
}

template <typename R>
__device__ __forceinline__ complex<R> __shfl_xor_sync(
    unsigned mask, const complex<R> &x, int lanes, int width = warpSize)
{
    return complex<R>(
        ::__shfl_xor_sync(mask, x.re, lanes, width), ::__shfl_xor_sync(mask, x.im, lanes, width));
}

} // namespace parts

using parts::complex;

} // namespace rc

#endif
