#include "config.h"
#include "application.h"

#include "device/device.h"
#include "operands.h"

int have_gpu(void)
{
    rc_device_t *d = open_gpu(); /* says when there must be one */
    if (d)
        rc_device_close(d);
    return d != NULL;
}

cudaStream_t new_stream(void)
{
    cudaStream_t s = NULL;
    CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

/* Streams here do not wait for the default one, on which the end of a copy may be still to come. */
void *upload(const void *from, size_t bytes)
{
    void *p = NULL;
    CUDA(cudaMalloc(&p, bytes + 16));
    if (bytes > 0)
        CUDA(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
    return p;
}
