/* Device functions of gsub in fp32. */
#include "kernels/spmm/cuda/gsub.cuh"

extern "C" const void *rc_cuda_gsub_entry_fp32(int wide, int lanes, int strip)
{
    return rc::sub_entry_of<float>(wide, lanes, strip);
}
