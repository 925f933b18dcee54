/* Device functions of gpanel in c128. */
#include "kernels/spmm/cuda/gpanel.cuh"

extern "C" const void *rc_cuda_gpanel_entry_c128(const rc_gpanel_instance_t *of)
{
    return rc::panel::entry_of<rc::complex<double>>(of);
}
