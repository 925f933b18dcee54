/* Products that store nothing where a word says so (condition.h). */
#ifndef RC_KERNELS_CUDA_CONDITION_CUH
#define RC_KERNELS_CUDA_CONDITION_CUH

#include <cstdint>

namespace rc
{

/* Not from L1, which may have it from before. */
__device__ __forceinline__ bool is_closed(const uint32_t *closed)
{
    return closed != nullptr && *static_cast<const volatile uint32_t *>(closed) != 0;
}

} // namespace rc

#endif
