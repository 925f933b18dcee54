#include "blas.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static const int THREADS = 256, BLOCKS = 1024;

static void check(cudaError_t e)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    exit(99);
}

/* work(i) for i = 0 .. n - 1 */
template <class W> __global__ void each(int64_t n, W work)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        work(i);
}

static int blocks_of(int64_t n)
{
    int64_t blocks = (n + THREADS - 1) / THREADS;
    return (int)(blocks < 1 ? 1 : blocks < BLOCKS ? blocks : BLOCKS);
}

template <class W> static void run(int64_t n, void *stream, W work)
{
    each<<<blocks_of(n), THREADS, 0, (cudaStream_t)stream>>>(n, work);
    check(cudaGetLastError());
}

/* The same sums each time: of a block in one order, and those of the blocks on the host. */
__global__ static void sums(int64_t n, const double *x, const double *y, double *of_block)
{
    __shared__ double part[THREADS];
    double sum = 0;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
        sum += x[i] * y[i];
    part[threadIdx.x] = sum;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        of_block[blockIdx.x] = part[0];
}

/* Sums of blocks, in memory that both sides see: made once, and the process's. */
static double *room()
{
    static double *of_block;
    if (!of_block)
        check(cudaHostAlloc((void **)&of_block, BLOCKS * sizeof *of_block, cudaHostAllocMapped));
    return of_block;
}

double blas_dot(int64_t n, const double *x, const double *y, void *stream)
{
    double sum = 0, *of_block = room();
    int blocks = blocks_of(n);
    sums<<<blocks, THREADS, 0, (cudaStream_t)stream>>>(n, x, y, of_block);
    check(cudaGetLastError());
    check(cudaStreamSynchronize((cudaStream_t)stream));
    for (int i = 0; i < blocks; i++)
        sum += of_block[i];
    return sum;
}

struct add {
    double a;
    const double *x;
    double b;
    double *y;
    __device__ void operator()(int64_t i) const { y[i] = a * x[i] + (b != 0 ? b * y[i] : 0); }
};

void blas_add(int64_t n, double a, const double *x, double b, double *y, void *stream)
{
    run(n, stream, add{a, x, b, y});
}

struct divide {
    const double *x, *d;
    double *y;
    __device__ void operator()(int64_t i) const { y[i] = x[i] / d[i]; }
};

void blas_divide(int64_t n, const double *x, const double *d, double *y, void *stream)
{
    run(n, stream, divide{x, d, y});
}

struct above {
    const double *x, *c;
    double *y;
    __device__ void operator()(int64_t i) const { y[i] = x[i] > c[i] ? x[i] - c[i] : 0; }
};

void blas_above(int64_t n, const double *x, const double *c, double *y, void *stream)
{
    run(n, stream, above{x, c, y});
}

struct primal {
    const double *t, *c, *g;
    double *x, *bar;
    __device__ void operator()(int64_t i) const
    {
        double old = x[i], next = old - t[i] * (c[i] - g[i]);
        x[i] = next > 0 ? next : 0;
        bar[i] = 2 * x[i] - old;
    }
};

void blas_primal(int64_t n, const double *t, const double *c, const double *g, double *x, double *bar, void *stream)
{
    run(n, stream, primal{t, c, g, x, bar});
}

struct dual {
    const double *s, *b, *g;
    double *y;
    __device__ void operator()(int64_t i) const { y[i] += s[i] * (b[i] - g[i]); }
};

void blas_dual(int64_t n, const double *s, const double *b, const double *g, double *y, void *stream)
{
    run(n, stream, dual{s, b, g, y});
}
