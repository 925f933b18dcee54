#include "memory.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cudaError_t e)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    exit(99);
}

/* What was freed is given out again, the last first: that is where addresses come back, and a call of CUDA less.  Nothing uses it
 * any more, since copies and products are waited for.  Blocks are of one size; larger ones, and with DROPIN_MEMORY=exact all, which
 * compute-sanitizer wants, are CUDA's. */
enum { BLOCK = 16384, BLOCKS = 256 };
static void *kept[BLOCKS];
static int keeps;
static void *given[BLOCKS]; /* blocks in use */
static int gives;

static int in_blocks(size_t bytes)
{
    const char *text = getenv("DROPIN_MEMORY");
    return bytes <= BLOCK && gives < BLOCKS && !(text && strcmp(text, "exact") == 0);
}

void *device_new(size_t bytes)
{
    void *p = NULL;
    int block = in_blocks(bytes);
    if (block && keeps > 0)
        p = kept[--keeps];
    else
        check(cudaMalloc(&p, block ? BLOCK : bytes));
    if (block)
        given[gives++] = p;
    return p;
}

void device_free(void *p)
{
    for (int i = gives - 1; i >= 0; i--)
        if (given[i] == p) {
            given[i] = given[--gives];
            if (keeps < BLOCKS) {
                kept[keeps++] = p;
                return;
            }
            break;
        }
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
