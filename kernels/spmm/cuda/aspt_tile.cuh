/* Rows of a dense operand that the columns of a tile name, in shared memory. */
#ifndef RC_KERNELS_SPMM_CUDA_ASPT_TILE_CUH
#define RC_KERNELS_SPMM_CUDA_ASPT_TILE_CUH

#include "device/cuda/team.cuh"
#include "device/cuda/vector.cuh"
#include "kernels/spmm/cuda/aspt.h"

namespace rc
{

/* One slice of columns of the rows `col` of a row-major operand with k columns, by all threads
 * of a CTA; zeros beyond its end.  slice: a power of two */
template <typename T>
__device__ __forceinline__ void load_tile(const T *operand, uint32_t ld, int32_t k,
    const int32_t *col, int32_t cols, int slice, int64_t j0, T *tile)
{
    const T *from = operand + j0;
#pragma unroll 8
    for (int i = threadIdx.x; i < cols * slice; i += RC_ASPT_THREADS) {
        const int j = i & (slice - 1);
        tile[i] = j0 + j < k ? __ldg(from + line_at(__ldg(col + i / slice), ld) + j) : T(0);
    }
}

} // namespace rc

#endif
