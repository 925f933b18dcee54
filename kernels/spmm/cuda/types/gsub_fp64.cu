/* Device functions of gsub in fp64. */
#include "kernels/spmm/cuda/gsub.cuh"

extern "C" const void *rc_cuda_gsub_entry_fp64(int wide, int lanes, int strip)
{
    return rc::sub_entry_of<double>(wide, lanes, strip);
}
