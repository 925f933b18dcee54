/* How the drop-in launches its kernels. */
#ifndef RC_DROPIN_LAUNCH_CUH
#define RC_DROPIN_LAUNCH_CUH

#include "dropin/engine.h"

#include <cuda_runtime_api.h>

namespace rc
{

/* A launch that may overlap with the kernel before it. */
template <typename... A, typename... B>
void launch_over(
    void (*kernel)(A...), int blocks, int threads, int overlaps, cudaStream_t stream, B... args)
{
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = overlaps ? 1 : 0;
    (void)cudaLaunchKernelEx(&config, kernel, static_cast<A>(args)...); /* the last error says
                                                                           whether it was */
}

/* The four widths of row pointers and columns, as types. */
template <typename F> void with_types(const rc_plan_matrix_t *a, F f)
{
    if (a->row_ptr_bytes == 4)
        a->col_idx_bytes == 4 ? f(int32_t(), int32_t()) : f(int32_t(), int64_t());
    else
        a->col_idx_bytes == 4 ? f(int64_t(), int32_t()) : f(int64_t(), int64_t());
}

inline int64_t pieces_of(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

} // namespace rc

#endif
