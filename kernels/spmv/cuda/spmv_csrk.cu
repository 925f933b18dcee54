/* Device functions of csr2, csr3 and csr35: GPUSpMV-3 with a thread a row, GPUSpMV-3.5 with
 * several lanes a row (Lane and Booth 2022, Listings 3 and 4, whose slips are corrected). */
#include "device/cuda/types.cuh"
#include "kernels/spmv/cuda/spmv_csrk.cuh"

namespace
{

template <typename T, typename I, int LANES, bool SHUFFLE>
__global__ void __launch_bounds__(RC_CSRK_THREADS_MAX) csrk(const rc_spmv_csrk_args_t a)
{
    __shared__ rc::sum_of<T> part[LANES > 1 && !SHUFFLE ? RC_CSRK_THREADS_MAX : 1];
    const int32_t x = static_cast<int32_t>(threadIdx.x);
    const int32_t y = static_cast<int32_t>(threadIdx.y);
    const int32_t z = static_cast<int32_t>(threadIdx.z);
    const int32_t nx = static_cast<int32_t>(blockDim.x);
    const int32_t ny = static_cast<int32_t>(blockDim.y);
    const int32_t nz = static_cast<int32_t>(blockDim.z);
    rc::launch_next();
    const rc::csrk_place at =
        LANES == 1 ? rc::csrk_place{0, x, y, nx, ny} : rc::csrk_place{x, y, z, ny, nz};
    rc::sum_of<T> *mine = LANES > 1 && !SHUFFLE ? part + (z * ny + y) * nx + x : part;
    rc::csrk_take<T, I, LANES, SHUFFLE>(a, static_cast<int32_t>(blockIdx.x), at, mine);
}

template <typename T, typename I, bool SHUFFLE> const void *entry(int32_t lanes)
{
    switch (lanes) {
    case 1:
        return reinterpret_cast<const void *>(&csrk<T, I, 1, false>);
    case 4:
        return reinterpret_cast<const void *>(&csrk<T, I, 4, SHUFFLE>);
    case 8:
        return reinterpret_cast<const void *>(&csrk<T, I, 8, SHUFFLE>);
    default:
        return reinterpret_cast<const void *>(&csrk<T, I, 16, SHUFFLE>);
    }
}

template <typename T, typename I> const void *entry(int32_t lanes, int shuffle)
{
    return shuffle ? entry<T, I, true>(lanes) : entry<T, I, false>(lanes);
}

} // namespace

extern "C" const void *rc_spmv_csrk_entry(
    rc_precision_t precision, int wide, int32_t lanes, int shuffle)
{
    return rc::pick<rc::reals>(precision, [&](auto t) {
        return wide ? entry<RC_VALUE(t), int64_t>(lanes, shuffle)
                    : entry<RC_VALUE(t), int32_t>(lanes, shuffle);
    });
}
