/* What multiplies by the program's arrays: its factors, its values, and how its kernels store:
 * out = alpha sum + beta out. */
#ifndef RC_DROPIN_SCALARS_CUH
#define RC_DROPIN_SCALARS_CUH

#include "dropin/engine.h"
#include "device/cuda/load.cuh"
#include "device/cuda/types.cuh"

namespace rc
{

/* A factor of sums of type S, of its real and imaginary part. */
template <typename S> struct factor_type {
    typedef S type;
    static type of(const double *part)
    {
        return static_cast<S>(part[0]);
    }
};
template <typename R> struct factor_type<complex<R>> {
    typedef parts::factor<R> type;
    static type of(const double *part)
    {
        return {static_cast<R>(part[0]), static_cast<R>(part[1])};
    }
};
template <typename S> using factor_of = typename factor_type<S>::type;

/* A value as it is, or conjugated. */
template <typename T> __device__ __forceinline__ T as_read(T x, bool)
{
    return x;
}

template <typename R> __device__ __forceinline__ complex<R> as_read(complex<R> x, bool conjugated)
{
    return complex<R>(x.re, conjugated ? -x.im : x.im);
}

/* Scalars of a product as the program has them; S: type of sums. */
template <typename S> struct scalars {
    typedef factor_of<S> F;
    F alpha;
    F beta;
    const F *alpha_at; /* on the device; NULL: alpha */
    const F *beta_at;

    explicit scalars(const rc_asked_t *p)
        : alpha(factor_type<S>::of(p->alpha)), beta(factor_type<S>::of(p->beta)),
          alpha_at(static_cast<const F *>(p->alpha_at)), beta_at(static_cast<const F *>(p->beta_at))
    {
    }

    /* alpha sum + beta old.  `old` is not read where beta is 0. */
    template <typename O> __device__ __forceinline__ S of(S sum, const O *old) const
    {
        const F by = beta_at ? *beta_at : beta;
        const S v = (alpha_at ? *alpha_at : alpha) * sum;
        return by != S(0) ? fma(by, static_cast<S>(*old), v) : v;
    }
};

/* Arguments of a kernel, to which operations add theirs.  T, P, I: types of values, row pointers
 * and columns. */
template <typename T, typename P, typename I> struct csr_args {
    const P *row_ptr;
    const I *col_idx;
    const T *val;
    int32_t rows;
    int32_t nnz;
    int32_t base;
    const T *b; /* or x */
    T *c;       /* or y, or values */
    scalars<sum_of<T>> by;
    bool sums;       /* c is of sums */
    bool conjugated; /* values are */

    explicit csr_args(const rc_asked_t *p)
        : row_ptr(static_cast<const P *>(p->a.row_ptr)),
          col_idx(static_cast<const I *>(p->a.col_idx)), val(static_cast<const T *>(p->a.val)),
          rows(static_cast<int32_t>(p->a.rows)), nnz(static_cast<int32_t>(p->a.nnz)), base(p->base),
          b(static_cast<const T *>(p->b)), c(static_cast<T *>(p->c)), by(p), sums(p->c_sums != 0),
          conjugated(p->conjugated != 0)
    {
    }

    /* The first entry of a row. */
    __device__ __forceinline__ int32_t begin_of(int64_t row) const
    {
        return static_cast<int32_t>(load(row_ptr + row) - base);
    }

    /* Store to place `at` of values, or of sums, which those of 16 bits are rounded from once. */
    __device__ __forceinline__ void put(int64_t at, sum_of<T> sum) const
    {
        typedef sum_of<T> S;
        if (sizeof(T) < sizeof(S) && sums) {
            S *wide = reinterpret_cast<S *>(c) + at;
            *wide = by.of(sum, wide);
        } else
            c[at] = static_cast<T>(by.of(sum, c + at));
    }
};

} // namespace rc

#endif
