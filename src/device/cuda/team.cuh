/* Lanes that share a row: they load its entries together, then broadcast them one by one. */
#ifndef RC_DEVICE_CUDA_TEAM_CUH
#define RC_DEVICE_CUDA_TEAM_CUH

#include "device/cuda/load.cuh"

namespace rc
{

constexpr int TEAM_WARP = 32;

/* Pointer i of an array of pointers of 4 or 8 bytes. */
__device__ __forceinline__ int64_t pointer_at(const void *ptr, int bytes, int64_t i)
{
    return bytes == 4 ? __ldg(static_cast<const int32_t *>(ptr) + i)
                      : rc::load(static_cast<const int64_t *>(ptr) + i);
}

/* The lanes that share a row or segment. */
template <bool FULL> struct team {
    int lanes;
    int lane;
    unsigned mask;

    __device__ __forceinline__ explicit team(int of)
        : lanes(FULL ? TEAM_WARP : of), lane(threadIdx.x & (lanes - 1)),
          mask(lanes == TEAM_WARP
                   ? ~0u
                   : ((1u << lanes) - 1u) << (threadIdx.x & (TEAM_WARP - 1) & ~(lanes - 1)))
    {
    }

    /* Calls f(column, value) for the entries from begin to end; all lanes are here.
     * F: load(e, column, value) */
    template <typename T, typename L, typename F>
    __device__ __forceinline__ void for_each(
        int64_t begin, int64_t end, const L &load, const F &f) const
    {
        for (int64_t e = begin; e < end; e += lanes) {
            int32_t c = 0;
            T v = T(0);
            if (e + lane < end)
                load(e + lane, c, v);
            if (FULL && end - e >= TEAM_WARP) {
#pragma unroll 8
                for (int i = 0; i < TEAM_WARP; i++)
                    f(__shfl_sync(mask, c, i), __shfl_sync(mask, v, i));
            } else {
                const int n = end - e < lanes ? static_cast<int>(end - e) : lanes;
#pragma unroll 4
                for (int i = 0; i < n; i++)
                    f(__shfl_sync(mask, c, i, lanes), __shfl_sync(mask, v, i, lanes));
            }
        }
    }
};

} // namespace rc

#endif
