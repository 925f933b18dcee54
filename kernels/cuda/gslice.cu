/* Device functions of gslice.  A CTA keeps a strip of columns of B in shared memory, row by row, so
 * that an entry of A costs one load from there, whatever its column; a lane has a row, so that the
 * entries of 32 rows are loaded at once and a column of C is stored in pieces of 32.  The lanes of a
 * warp share a long row.  Nothing is added with atomics: two runs give the same bits. */
#include "kernels/cuda/gslice.h"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/overlap.cuh"
#include "kernels/cuda/store.cuh"

namespace rc
{

/* Values of a row of the strip are loaded from shared memory in pieces of up to 16 bytes. */
template <typename T, int STRIP> struct alignas(STRIP * sizeof(T) < 16 ? STRIP * sizeof(T) : 16) strip_row {
    T value[STRIP];
};

__device__ __forceinline__ int32_t load_column(const uint16_t *p)
{
    uint16_t x;
    asm("ld.global.nc.L1::evict_first.u16 %0, [%1];" : "=h"(x) : "l"(p));
    return x;
}

__device__ __forceinline__ int32_t load_column(const int32_t *p)
{
    return load_once(p);
}

/* The strip of B, and a row of zeros for padding. */
template <typename T, int STRIP>
__device__ __forceinline__ void load_strip(
    const rc_gslice_args_t &a, int64_t j, strip_row<T, STRIP> *strip)
{
    const T *b = static_cast<const T *>(a.b);
    for (int32_t i = threadIdx.x; i <= a.cols; i += blockDim.x) {
        strip_row<T, STRIP> x;
#pragma unroll
        for (int w = 0; w < STRIP; w++)
            x.value[w] = i < a.cols && j + w < a.k ? __ldg(b + (j + w) * a.ldb + i) : T(0);
        strip[i] = x;
    }
}

template <typename T, int STRIP>
__device__ __forceinline__ void add_entry(T v, const strip_row<T, STRIP> &x, T *sum)
{
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        sum[w] = fma(v, x.value[w], sum[w]);
}

template <typename T, int STRIP>
__device__ __forceinline__ void store_sums(
    const rc_gslice_args_t &a, int32_t row, int64_t j, const T *sum)
{
    T *c = static_cast<T *>(a.c) + row;
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        if (j + w < a.k)
            store(c + (j + w) * a.ldc, sum[w], a.scalars);
}

/* A slice of 32 rows by a warp. */
template <typename T, typename C, int STRIP>
__device__ __forceinline__ void multiply_slice(
    const rc_gslice_args_t &a, int32_t slice, int64_t j, const strip_row<T, STRIP> *strip)
{
    constexpr int UNROLL = 4;
    const int lane = threadIdx.x % RC_GSLICE_ROWS;
    const int32_t begin = __ldg(a.ptr + slice);
    const int32_t end = __ldg(a.ptr + slice + 1);
    const int32_t row = __ldg(a.row + static_cast<int64_t>(slice) * RC_GSLICE_ROWS + lane);
    const C *col = static_cast<const C *>(a.col) + lane;
    const T *val = static_cast<const T *>(a.val) + lane;
    T sum[STRIP];
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        sum[w] = T(0);
#pragma unroll 1
    for (int32_t e = begin; e < end; e += UNROLL) {
        int32_t c[UNROLL];
        T v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const bool has = u == 0 || e + u < end;
            const int64_t at = static_cast<int64_t>(e + u) * RC_GSLICE_ROWS;
            c[u] = has ? load_column(col + at) : a.cols;
            v[u] = has ? load_once(val + at) : T(0);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            add_entry<T, STRIP>(v[u], strip[c[u]], sum);
    }
    if (row >= 0)
        store_sums<T, STRIP>(a, row, j, sum);
}

/* A long row by a warp: lane l takes its entries l, l + 32, ... */
template <typename T, typename C, int STRIP>
__device__ __forceinline__ void multiply_long(
    const rc_gslice_args_t &a, int32_t i, int64_t j, const strip_row<T, STRIP> *strip)
{
    const int lane = threadIdx.x % RC_GSLICE_ROWS;
    const int64_t end = a.long_ptr[i + 1];
    const C *col = static_cast<const C *>(a.col);
    const T *val = static_cast<const T *>(a.val);
    T sum[STRIP];
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        sum[w] = T(0);
#pragma unroll 4
    for (int64_t e = a.long_ptr[i] + lane; e < end; e += RC_GSLICE_ROWS)
        add_entry<T, STRIP>(load_once(val + e), strip[load_column(col + e)], sum);
#pragma unroll
    for (int step = RC_GSLICE_ROWS / 2; step > 0; step /= 2)
#pragma unroll
        for (int w = 0; w < STRIP; w++)
            sum[w] += __shfl_down_sync(~0u, sum[w], step);
    if (lane == 0)
        store_sums<T, STRIP>(a, a.long_row[i], j, sum);
}

template <typename T, typename C, int STRIP>
__global__ void __launch_bounds__(RC_GSLICE_THREADS_MAX) slices(const rc_gslice_args_t a)
{
    extern __shared__ uint4 memory[];
    strip_row<T, STRIP> *strip = reinterpret_cast<strip_row<T, STRIP> *>(memory);
    const int32_t part = blockIdx.x % static_cast<unsigned>(a.split);
    const int64_t j = static_cast<int64_t>(blockIdx.x / static_cast<unsigned>(a.split)) * STRIP;
    const int32_t warps = blockDim.x / RC_GSLICE_ROWS;
    const int32_t first = part * warps + threadIdx.x / RC_GSLICE_ROWS;
    launch_next();
    wait_for_previous();
    load_strip<T, STRIP>(a, j, strip);
    __syncthreads();
    for (int32_t i = first; i < a.longs; i += a.split * warps)
        multiply_long<T, C, STRIP>(a, i, j, strip);
    for (int32_t i = first; i < a.slices; i += a.split * warps)
        multiply_slice<T, C, STRIP>(a, i, j, strip);
}

template <typename T, typename C> const void *slices_entry(int strip)
{
    switch (strip) {
    case 1:
        return reinterpret_cast<const void *>(slices<T, C, 1>);
    case 2:
        return reinterpret_cast<const void *>(slices<T, C, 2>);
    case 4:
        return reinterpret_cast<const void *>(slices<T, C, 4>);
    case 8:
        return reinterpret_cast<const void *>(slices<T, C, 8>);
    case 16:
        return reinterpret_cast<const void *>(slices<T, C, 16>);
    default:
        return nullptr;
    }
}

} // namespace rc

extern "C" const void *rc_cuda_gslice_entry(
    rc_precision_t precision, int64_t col_bytes, int strip)
{
    if (precision == RC_FP64)
        return col_bytes == 2 ? rc::slices_entry<double, uint16_t>(strip)
                              : rc::slices_entry<double, int32_t>(strip);
    return col_bytes == 2 ? rc::slices_entry<float, uint16_t>(strip)
                          : rc::slices_entry<float, int32_t>(strip);
}
