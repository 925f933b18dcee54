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
enum { BLOCK = 16384, BLOCKS = 256, DEVICES = 16 };
typedef struct blocks {
    void *kept[BLOCKS];
    int keeps;
    void *given[BLOCKS]; /* in use */
    int gives;
} blocks_t;
static blocks_t all[DEVICES];
static int device;

static int in_blocks(const blocks_t *of, size_t bytes)
{
    const char *text = getenv("DROPIN_MEMORY");
    return bytes <= BLOCK && of->gives < BLOCKS && !(text && strcmp(text, "exact") == 0);
}

void *device_new(size_t bytes)
{
    void *p = NULL;
    blocks_t *of = &all[device];
    int block = in_blocks(of, bytes);
    if (block && of->keeps > 0)
        p = of->kept[--of->keeps];
    else
        check(cudaMalloc(&p, block ? BLOCK : bytes));
    if (block)
        of->given[of->gives++] = p;
    return p;
}

void device_free(void *p)
{
    blocks_t *of = &all[device];
    for (int i = of->gives - 1; i >= 0; i--)
        if (of->given[i] == p) {
            of->given[i] = of->given[--of->gives];
            if (of->keeps < BLOCKS) {
                of->kept[of->keeps++] = p;
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

void capture_begin(void *stream)
{
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

void *capture_end(void *stream)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    check(cudaGraphDestroy(graph));
    graph_run(exec, stream);
    return exec;
}

void graph_run(void *graph, void *stream)
{
    check(cudaGraphLaunch(graph, stream));
    check(cudaStreamSynchronize(stream));
}

void graph_free(void *graph)
{
    if (graph)
        check(cudaGraphExecDestroy(graph));
}

int graphs_take_patterns(void)
{
    return 0;
}

int devices_there(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) != cudaSuccess ? 0 : n < DEVICES ? n : DEVICES;
}

void device_use(int number)
{
    check(cudaSetDevice(number));
    device = number;
}

void device_name(char *name, size_t bytes)
{
    struct cudaDeviceProp has;
    check(cudaGetDeviceProperties(&has, device));
    (void)snprintf(name, bytes, "%s", has.name);
}
