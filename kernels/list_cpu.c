/* The kernels of CPUs alone: of what is linked without CUDA. */
#include "config.h"
#include "kernels/kernel.h"

#define RC_KERNEL(id) extern const rc_kernel_t rc_kernel_##id;
#include "kernels/kernels_cpu.def"
#undef RC_KERNEL

#define RC_KERNEL(id) &rc_kernel_##id,
const rc_kernel_t *const rc_kernels[] = {
#include "kernels/kernels_cpu.def"
    NULL};
#undef RC_KERNEL
