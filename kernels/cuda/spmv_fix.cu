/* The rows that several shares hold: their sums added up in the order of the shares. */
#include "kernels/cuda/spmv.cuh"

namespace
{

/* LANES threads for a row: 8 of a warp, or a CTA. */
template <typename T, int LANES>
__global__ void __launch_bounds__(RC_SPMV_THREADS) fix(const rc_spmv_fix_args_t a)
{
    __shared__ T part[rc::SPMV_WARPS];
    enum { GROUPS = RC_SPMV_THREADS / LANES };
    const int lane = threadIdx.x % LANES;
    const int32_t i = blockIdx.x * GROUPS + threadIdx.x / LANES;
    const T *in = static_cast<const T *>(a.v.in);
    rc::launch_next();
    int32_t to = -1;
    int32_t first = 0;
    int32_t last = 0;
    if (i < a.count) {
        to = a.span[i];
        first = a.span[a.count + i];
        last = a.span[2 * a.count + i];
    }
    rc::wait_for_previous();
    T sum = T(0);
    if (lane == 0 && to >= 0)
        sum = static_cast<const T *>(a.v.out)[first];
    for (int32_t k = first + 1 + lane; k <= last; k += LANES)
        sum += in[k];
    if (LANES == RC_SPMV_THREADS)
        sum = rc::sum_cta<rc::SPMV_WARPS>(sum, part);
    else
        sum = rc::sum_lanes<RC_SPMV_FIX_LANES>(sum);
    if (lane == 0 && to >= 0)
        rc::store(static_cast<T *>(a.v.y) + to, sum, a.v.scalars);
}

template <typename T> const void *entry(int wide)
{
    return wide ? reinterpret_cast<const void *>(&fix<T, RC_SPMV_THREADS>)
                : reinterpret_cast<const void *>(&fix<T, RC_SPMV_FIX_LANES>);
}

} // namespace

extern "C" const void *rc_spmv_fix_entry(rc_precision_t precision, int wide)
{
    return precision == RC_FP64 ? entry<double>(wide) : entry<float>(wide);
}
