/* What cutting a matrix into blocks and filling them share: a table of columns in shared memory. */
#ifndef RC_FORMAT_CUDA_STAGES_CUH
#define RC_FORMAT_CUDA_STAGES_CUH

#include "format/stages_cut.h"

#include <cstdint>

namespace rc
{

/* Lanes of a row, by the mean of its entries. */
constexpr int WIDE = 24;
constexpr int NARROW_LANES = 8;
constexpr int WIDE_LANES = 32;

template <int SIZE> __device__ __forceinline__ int table_place(int32_t col)
{
    static_assert((SIZE & (SIZE - 1)) == 0, "a power of two");
    return static_cast<int>(static_cast<uint32_t>(col) * 2654435769u >> 16) & (SIZE - 1);
}

/* The place that a column gets.  \param key  [SIZE] -1: free */
template <int SIZE> __device__ __forceinline__ int table_add(int32_t *key, int32_t col)
{
    int i = table_place<SIZE>(col);
    for (;;) {
        const int32_t there = atomicCAS(&key[i], -1, col);
        if (there == -1 || there == col)
            return i;
        i = (i + 1) & (SIZE - 1);
    }
}

/* The place of a column that is there. */
template <int SIZE> __device__ __forceinline__ int table_find(const int32_t *key, int32_t col)
{
    int i = table_place<SIZE>(col);
    while (key[i] != col)
        i = (i + 1) & (SIZE - 1);
    return i;
}

} // namespace rc

#endif
