/* Device functions of gpanel in bf16. */
#include "kernels/spmm/cuda/gpanel.cuh"

extern "C" const void *rc_cuda_gpanel_entry_bf16(const rc_gpanel_instance_t *of)
{
    return rc::panel::entry_of<__nv_bfloat16>(of);
}
