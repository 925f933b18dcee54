/* How CTAs take super-rows: shared by csr2, csr3 and csr35. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_CSRK_CUH
#define RC_KERNELS_SPMV_CUDA_SPMV_CSRK_CUH

#include "kernels/spmv/cuda/spmv.h"
#include "kernels/spmv/cuda/spmv.cuh"

namespace rc
{

/* Where a thread is in its block, and how many there are of each. */
struct csrk_place {
    int32_t lane; /* of LANES */
    int32_t row;
    int32_t super_row;
    int32_t rows;
    int32_t super_rows;
};

/* The lanes of a row: neighbours in a warp, which other rows of the warp need not keep in step
 * with. */
template <int LANES> __device__ __forceinline__ unsigned csrk_mask()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return ((1u << LANES) - 1u) << (lane / LANES * LANES);
}

/* The sum over the lanes of a row, in its first one; both ways add in the same order.
 * mine: the place of the thread in shared memory. */
template <int LANES, bool SHUFFLE, typename T>
__device__ __forceinline__ T csrk_sum(T sum, int32_t lane, unsigned mask, T *mine)
{
    if (SHUFFLE) {
#pragma unroll
        for (int step = LANES / 2; step >= 1; step /= 2)
            sum += __shfl_down_sync(mask, sum, step, LANES);
        return sum;
    }
    *mine = sum;
    __syncwarp(mask);
#pragma unroll
    for (int step = LANES / 2; step >= 1; step /= 2) {
        if (lane < step)
            *mine += mine[step];
        __syncwarp(mask);
    }
    return *mine;
}

/* The super-rows of CTA `cta`.  All loops stride by the block, so that groups of any size are
 * taken. */
template <typename T, typename I, int LANES, bool SHUFFLE>
__device__ __forceinline__ void csrk_take(
    const rc_spmv_csrk_args_t &a, int32_t cta, const csrk_place &at, sum_of<T> *mine)
{
    const I *ptr = static_cast<const I *>(a.ptr);
    const T *val = static_cast<const T *>(a.val);
    const T *x = static_cast<const T *>(a.v.x);
    const unsigned mask = LANES > 1 ? csrk_mask<LANES>() : 0;
    const int64_t first = static_cast<int64_t>(cta) * a.each;
    const int32_t begin = a.ssr_ptr ? __ldg(a.ssr_ptr + cta) : static_cast<int32_t>(first);
    const int32_t end =
        a.ssr_ptr ? __ldg(a.ssr_ptr + cta + 1)
                  : static_cast<int32_t>(min(first + a.each, static_cast<int64_t>(a.super_rows)));
    wait_for_previous();
    for (int32_t s = begin + at.super_row; s < end; s += at.super_rows) {
        const int32_t rows_end = __ldg(a.sr_ptr + s + 1);
        for (int32_t p = __ldg(a.sr_ptr + s) + at.row; p < rows_end; p += at.rows) {
            const I from = load(ptr + p);
            const I to = load(ptr + p + 1);
            sum_of<T> sum = 0;
            for (I e = from + at.lane; e < to; e += LANES)
                sum = add_product(__ldg(val + e), x + __ldg(a.col + e), sum);
            if (LANES > 1)
                sum = csrk_sum<LANES, SHUFFLE>(sum, at.lane, mask, mine);
            if (LANES == 1 || at.lane == 0)
                store_slot<T>(a.v, p, sum);
        }
    }
}

} // namespace rc

#endif
