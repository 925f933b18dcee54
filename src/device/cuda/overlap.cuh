/* Kernels whose launch overlaps with the end of the one before (overlap.h). */
#ifndef RC_DEVICE_CUDA_OVERLAP_CUH
#define RC_DEVICE_CUDA_OVERLAP_CUH

namespace rc
{

/* The next kernel of the stream may be launched; what it does before it waits overlaps with this
 * one. Only where the launch asked for it, and from compute capability 9 on. */
__device__ __forceinline__ void launch_next()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* What earlier kernels of the stream wrote is there. */
__device__ __forceinline__ void wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

} // namespace rc

#endif
