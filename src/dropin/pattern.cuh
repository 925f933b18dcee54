/* Sums of patterns, which two files of kernels make: what is loaded for a first look at a matrix is
 * small. */
#ifndef RC_DROPIN_PATTERN_CUH
#define RC_DROPIN_PATTERN_CUH

#include <cstdint>

namespace rc
{
namespace pattern
{

enum {
    THREADS = 256,
    WARP = 32,
    PIECE = 256 /* numbers that one sum is of */
};

/* Bits of a number and of its place, well mixed: two multiplications of splitmix64's finaliser. */
__device__ inline uint64_t mixed(uint64_t place, uint64_t number)
{
    uint64_t x = number + place * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Sum of what a lane has of a piece.  Its loads are under way at once. */
template <typename T>
__device__ uint64_t sum_of(const T *__restrict__ at, int64_t n, uint64_t seed, int64_t piece)
{
    const int64_t first = piece * PIECE + threadIdx.x % WARP;
    T number[PIECE / WARP];
    uint64_t sum = 0;
#pragma unroll
    for (int u = 0; u < PIECE / WARP; u++)
        number[u] = first + u * WARP < n ? at[first + u * WARP] : 0;
#pragma unroll
    for (int u = 0; u < PIECE / WARP; u++)
        if (first + u * WARP < n)
            sum += mixed(
                seed + first + u * WARP, static_cast<uint64_t>(static_cast<int64_t>(number[u])));
    return sum;
}

/* The sum of a warp, in its first lane. */
__device__ inline uint64_t of_warp(uint64_t sum)
{
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, lanes);
    return sum;
}

} // namespace pattern
} // namespace rc

#endif
