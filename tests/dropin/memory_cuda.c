#include "memory.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t e)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    exit(99);
}

void *device_new(size_t bytes)
{
    void *p = NULL;
    check(cudaMalloc(&p, bytes));
    return p;
}

void device_free(void *p)
{
    check(cudaFree(p));
}

void device_put(void *to, const void *from, size_t bytes, void *stream)
{
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
    check(cudaStreamSynchronize(stream));
}

void device_get(void *to, const void *from, size_t bytes, void *stream)
{
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
}

void *stream_new(void)
{
    cudaStream_t stream = NULL;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

void stream_free(void *stream)
{
    check(cudaStreamSynchronize(stream));
    check(cudaStreamDestroy(stream));
}

int device_there(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess && n > 0;
}
