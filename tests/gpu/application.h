/* What an application has of its own beside a plan: streams and memory on the GPU. */
#ifndef RC_TESTS_GPU_APPLICATION_H
#define RC_TESTS_GPU_APPLICATION_H

#include "unit.h"

#include <cuda_runtime_api.h>

/* A call of the CUDA runtime that must succeed. */
#define CUDA(call) assert_int_equal(call, cudaSuccess)

/* 1: there is a GPU; fails the test where there must be one and is none. */
int have_gpu(void);

/* A stream that does not wait for the default one; the caller destroys it. */
cudaStream_t new_stream(void);

/* A copy on the GPU, complete when this returns, with 16 bytes of room behind it; the caller frees it. */
void *upload(const void *from, size_t bytes);

#endif
