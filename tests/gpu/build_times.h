/* What kernels take to prepare a matrix on a GPU. */
#ifndef RC_TESTS_GPU_BUILD_TIMES_H
#define RC_TESTS_GPU_BUILD_TIMES_H

#include "device/device.h"

/* Print, for each matrix (a file, or a generator spec), what kernels that build there take from a matrix on
 * the GPU and from one on the host, and the products that the former is as long as. */
void build_times(rc_executor_t *x, int count, char **spec);

#endif
