/* Device function of coo. */
#include "device/cuda/types.cuh"
#include "kernels/spmv/cuda/spmv.cuh"

namespace
{

template <typename T>
__global__ void __launch_bounds__(RC_SPMV_THREADS, rc::resident(RC_SPMV_THREADS, 9))
    coo(const rc_spmv_coo_args_t a)
{
    rc::launch_next();
    const int32_t share = static_cast<int32_t>(blockIdx.x);
    rc::coo_share<T>(a, share, share);
}

} // namespace

extern "C" const void *rc_spmv_coo_entry(rc_precision_t precision)
{
    return rc::pick<rc::any>(
        precision, [&](auto t) { return reinterpret_cast<const void *>(&coo<RC_VALUE(t)>); });
}
