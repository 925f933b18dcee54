/* Device functions of gpanel in fp64. */
#include "kernels/spmm/cuda/gpanel.cuh"

extern "C" const void *rc_cuda_gpanel_entry_fp64(const rc_gpanel_instance_t *of)
{
    return rc::panel::entry_of<double>(of);
}
