/* Device functions of gstage in fp32. */
#include "kernels/spmm/cuda/gstage.cuh"

extern "C" const void *rc_cuda_gstage_entry_fp32(const rc_gstage_instance_t *of)
{
    return rc::stage::entry_of<float>(of);
}
