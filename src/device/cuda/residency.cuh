/* How many CTAs of a kernel may be asked to share a multiprocessor: ptxas takes no more than its
 * threads allow, and says so.  Architectures share PTX: files with more than 1,536 threads get PTX
 * of their own (kernels.am).  Threads by architecture: CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability". */
#ifndef RC_DEVICE_CUDA_RESIDENCY_CUH
#define RC_DEVICE_CUDA_RESIDENCY_CUH

namespace rc
{

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
constexpr int SM_THREADS = 1024;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 ||                   \
                                    __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1100)
constexpr int SM_THREADS = 1536;
#else
constexpr int SM_THREADS = 2048;
#endif

/* The second number of __launch_bounds__: `ctas`, or as many of that many threads as fit. */
constexpr int resident(int threads, int ctas)
{
    return threads * ctas <= SM_THREADS ? ctas : SM_THREADS / threads;
}

} // namespace rc

#endif
