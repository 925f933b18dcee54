/* How the kernels on the program's arrays store: out = alpha sum + beta out. */
#ifndef RC_DROPIN_SCALARS_CUH
#define RC_DROPIN_SCALARS_CUH

#include "dropin/engine.h"
#include "device/cuda/types.cuh"

namespace rc
{

/* Scalars of a product as the program has them; S: type of sums. */
template <typename S> struct scalars {
    S alpha;
    S beta;
    const S *alpha_at; /* on the device; NULL: alpha */
    const S *beta_at;

    explicit scalars(const rc_asked_t *p)
        : alpha(static_cast<S>(p->alpha)), beta(static_cast<S>(p->beta)),
          alpha_at(static_cast<const S *>(p->alpha_at)), beta_at(static_cast<const S *>(p->beta_at))
    {
    }

    /* alpha sum + beta old.  `old` is not read where beta is 0. */
    template <typename O> __device__ __forceinline__ S of(S sum, const O *old) const
    {
        const S by = beta_at ? *beta_at : beta;
        const S v = (alpha_at ? *alpha_at : alpha) * sum;
        return by == S(0) ? v : fma(by, static_cast<S>(*old), v);
    }
};

/* Store to place `at` of values, or of sums, which those of 16 bits are rounded from once. */
template <typename T>
__device__ __forceinline__ void put_sum(
    T *to, int64_t at, sum_of<T> sum, const scalars<sum_of<T>> &by, bool sums)
{
    typedef sum_of<T> S;
    if (sizeof(T) < sizeof(S) && sums) {
        S *wide = reinterpret_cast<S *>(to) + at;
        *wide = by.of(sum, wide);
    } else
        to[at] = static_cast<T>(by.of(sum, to + at));
}

} // namespace rc

#endif
