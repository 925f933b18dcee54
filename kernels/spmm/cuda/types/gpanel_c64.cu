/* Device functions of gpanel in c64. */
#include "kernels/spmm/cuda/gpanel.cuh"

extern "C" const void *rc_cuda_gpanel_entry_c64(const rc_gpanel_instance_t *of)
{
    return rc::panel::entry_of<rc::complex<float>>(of);
}
