/* Device functions of gsub in bf16. */
#include "kernels/spmm/cuda/gsub.cuh"

extern "C" const void *rc_cuda_gsub_entry_bf16(int wide, int lanes, int strip)
{
    return rc::sub_entry_of<__nv_bfloat16>(wide, lanes, strip);
}
