/* Device functions of gsub in one precision. */
#ifndef RC_KERNELS_SPMM_CUDA_GSUB_CUH
#define RC_KERNELS_SPMM_CUDA_GSUB_CUH

#include "kernels/spmm/cuda/stationary.cuh"

namespace rc
{

template <typename T> const void *sub_entry_of(int wide, int lanes, int strip)
{
    switch (lanes) {
    case 2:
        return entry_of<T, 2>(wide, strip);
    case 4:
        return entry_of<T, 4>(wide, strip);
    case 8:
        return entry_of<T, 8>(wide, strip);
    case 16:
        return entry_of<T, 16>(wide, strip);
    default:
        return nullptr;
    }
}

} // namespace rc

#endif
