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

inline int64_t pieces_of(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

} // namespace rc

#endif
