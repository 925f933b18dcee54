/* Sums over the lanes of a group, of several numbers at once. */
#ifndef RC_DEVICE_CUDA_GROUP_SUM_CUH
#define RC_DEVICE_CUDA_GROUP_SUM_CUH

namespace rc
{

constexpr int GROUP_SUMS = 4; /* two steps halve what a lane still has */

/* The sum over the group of the entry that belongs to this lane: number lane / (lanes /
 * GROUP_SUMS). The order of the terms is the same for all entries. */
template <typename T>
__device__ __forceinline__ T add_up(const T (&sum)[GROUP_SUMS], int lane, int lanes)
{
    int step = lanes / 2;
    bool upper = (lane & step) != 0;
    const T first =
        (upper ? sum[2] : sum[0]) + __shfl_xor_sync(0xffffffffu, upper ? sum[0] : sum[2], step);
    const T second =
        (upper ? sum[3] : sum[1]) + __shfl_xor_sync(0xffffffffu, upper ? sum[1] : sum[3], step);
    step /= 2;
    upper = (lane & step) != 0;
    T total = (upper ? second : first) + __shfl_xor_sync(0xffffffffu, upper ? first : second, step);
    for (step /= 2; step >= 1; step /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, step);
    return total;
}

} // namespace rc

#endif
