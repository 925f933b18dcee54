/* Device functions of gstat: rows of a whole warp. */
#include "device/cuda/types.cuh"
#include "kernels/spmm/cuda/stationary.cuh"

extern "C" const void *rc_cuda_gstat_entry(rc_precision_t precision, int wide, int lanes, int strip)
{
    if (lanes != 32)
        return nullptr;
    return rc::pick<rc::reals>(
        precision, [&](auto t) { return rc::entry_of<RC_VALUE(t), 32>(wide, strip); });
}
