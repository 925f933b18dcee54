/* Device functions of gstat: rows of a whole warp. */
#include "kernels/cuda/stationary.cuh"

extern "C" const void *rc_cuda_gstat_entry(rc_precision_t precision, int wide, int lanes, int strip)
{
    if (lanes != 32)
        return nullptr;
    return precision == RC_FP32 ? rc::entry_of<float, 32>(wide, strip)
                                : rc::entry_of<double, 32>(wide, strip);
}
