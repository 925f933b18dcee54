/* What the kernels on the program's arrays read and store: out = alpha sum + beta out. */
#ifndef RC_DROPIN_SCALARS_CUH
#define RC_DROPIN_SCALARS_CUH

#include "dropin/engine.h"
#include "device/cuda/load.cuh"
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
    bool sums; /* c is of sums */

    explicit csr_args(const rc_asked_t *p)
        : row_ptr(static_cast<const P *>(p->a.row_ptr)),
          col_idx(static_cast<const I *>(p->a.col_idx)), val(static_cast<const T *>(p->a.val)),
          rows(static_cast<int32_t>(p->a.rows)), nnz(static_cast<int32_t>(p->a.nnz)), base(p->base),
          b(static_cast<const T *>(p->b)), c(static_cast<T *>(p->c)), by(p), sums(p->c_sums != 0)
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
