/* Device function of csrk-split: shares of the entries of long rows as coo takes them, super-super-rows as csr35 does.
 * A block is one row of threads, because a share is for the first RC_SPMV_THREADS of them. */
#include "kernels/cuda/spmv_csrk.cuh"
#include "kernels/cuda/spmv_csrk_split.h"

namespace
{

template <typename T, typename I, int LANES>
__global__ void __launch_bounds__(RC_CSRK_THREADS_MAX) split(const rc_spmv_csrk_split_args_t a)
{
    const int32_t cta = static_cast<int32_t>(blockIdx.x);
    const int32_t thread = static_cast<int32_t>(threadIdx.x);
    rc::launch_next();
    if (cta < a.shares) {
        if (thread < RC_SPMV_THREADS) /* whole warps; the others are gone, and no barrier waits for them */
            rc::coo_share<T>(a.coo, cta, cta);
        return;
    }
    const rc::csrk_place at = {thread % LANES, thread / LANES % a.shape.rows,
        thread / LANES / a.shape.rows, a.shape.rows, a.shape.super_rows};
    rc::csrk_take<T, I, LANES, true>(a.csrk, cta - a.shares, at, a.apart, static_cast<T *>(nullptr));
}

template <typename T, typename I> const void *entry(int32_t lanes)
{
    switch (lanes) {
    case 1:
        return reinterpret_cast<const void *>(&split<T, I, 1>);
    case 4:
        return reinterpret_cast<const void *>(&split<T, I, 4>);
    case 8:
        return reinterpret_cast<const void *>(&split<T, I, 8>);
    default:
        return reinterpret_cast<const void *>(&split<T, I, 16>);
    }
}

} // namespace

extern "C" const void *rc_spmv_csrk_split_entry(rc_precision_t precision, int wide, int32_t lanes)
{
    if (precision == RC_FP64)
        return wide ? entry<double, int64_t>(lanes) : entry<double, int32_t>(lanes);
    return wide ? entry<float, int64_t>(lanes) : entry<float, int32_t>(lanes);
}
