/* Device functions of gsub in fp16. */
#include "kernels/spmm/cuda/gsub.cuh"

extern "C" const void *rc_cuda_gsub_entry_fp16(int wide, int lanes, int strip)
{
    return rc::sub_entry_of<__half>(wide, lanes, strip);
}
