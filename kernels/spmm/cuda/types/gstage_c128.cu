/* Device functions of gstage in c128. */
#include "kernels/spmm/cuda/gstage.cuh"

extern "C" const void *rc_cuda_gstage_entry_c128(const rc_gstage_instance_t *of)
{
    return rc::stage::entry_of<rc::complex<double>>(of);
}
