/* Device functions of gstage in bf16. */
#include "kernels/spmm/cuda/gstage.cuh"

extern "C" const void *rc_cuda_gstage_entry_bf16(const rc_gstage_instance_t *of)
{
    return rc::stage::entry_of<__nv_bfloat16>(of);
}
