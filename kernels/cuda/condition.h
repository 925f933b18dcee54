/** \file kernels/cuda/condition.h  Products under a condition that only the device knows. */
#ifndef RC_KERNELS_CUDA_CONDITION_H
#define RC_KERNELS_CUDA_CONDITION_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What products of an executor store nothing for, while it does not hold 0: device memory, or NULL.  A kernel reads it before
 *  it waits for the one before it on the stream. */
void rc_cuda_close_by(rc_executor_t *x, const uint32_t *closed);
const uint32_t *rc_cuda_closed_by(const rc_executor_t *x);

/** 1: products of this kernel ask for it. */
int rc_cuda_can_be_closed(const rc_kernel_t *kernel);

#ifdef __cplusplus
}
#endif
#endif
