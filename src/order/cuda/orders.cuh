/* What the orders on a GPU share: rows and their lanes, workspace, sorting.  A row is looked at
 * by LANES lanes of a warp, each with BATCH entries at a time in flight: nearly all that such an
 * order does is to wait for numbers of columns, so that few lanes with many loads take more rows
 * at once. */
#ifndef RC_ORDER_CUDA_ORDERS_CUH
#define RC_ORDER_CUDA_ORDERS_CUH

#include "order/cuda/orders.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "order/cuda/sort.h"
#include "order/local.h"

#include <cstdint>
#include <type_traits>

/* Enqueue rounds of rc_vote_round of src/order/steps.h.
 *  \param[in,out] label  [rows], device memory
 *  \param[out] columns   [2 cols], scratch in device memory */
rc_status_t rc_cuda_votes(rc_executor_t *x, const rc_cuda_pattern_t *a, int rounds, uint32_t *label,
    uint32_t *columns, rc_err_t *err);

namespace rc
{

enum { ORDER_THREADS = 256, WARP = 32, BATCH = 8 };
const unsigned ALL_LANES = 0xffffffffu;

/* ------------------------------------------------------------------ device */

/* The entries of a row that count. */
struct entries {
    const int32_t *col;
    int length;
};

/* Rows beyond the last one are empty. */
__device__ inline entries entries_of(const rc_cuda_pattern_t &a, int64_t r)
{
    if (r >= a.rows)
        return {a.col_idx, 0};
    const int64_t begin = a.row_ptr[r];
    return {a.col_idx + begin, rc_local_length(begin, a.row_ptr[r + 1])};
}

/* The smallest of the lanes of a row. */
template <int LANES> __device__ inline uint32_t least_of(uint32_t x)
{
    for (int d = LANES / 2; d > 0; d /= 2)
        x = min(x, __shfl_xor_sync(ALL_LANES, x, d));
    return x;
}

template <int LANES> __device__ inline uint64_t most_of(uint64_t x)
{
    for (int d = LANES / 2; d > 0; d /= 2) {
        const uint64_t other = __shfl_xor_sync(ALL_LANES, (unsigned long long)x, d);
        x = other > x ? other : x;
    }
    return x;
}

/* x[i] = number of the column of entry e + i LANES, RC_LOCAL_NONE beyond the last one. */
template <int LANES>
__device__ inline void load_columns(
    const entries &row, int e, const uint32_t *column, uint32_t (&x)[BATCH])
{
#pragma unroll
    for (int i = 0; i < BATCH; i++)
        x[i] = e + i * LANES < row.length ? column[row.col[e + i * LANES]] : RC_LOCAL_NONE;
}

/* Every column of a row takes the smaller of its number and x. */
template <int LANES>
__device__ inline void lower_columns(const entries &row, int lane, uint32_t x, uint32_t *column)
{
    for (int e = lane; e < row.length; e += BATCH * LANES) {
        uint32_t old[BATCH];
        load_columns<LANES>(row, e, column, old);
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            if (e + i * LANES < row.length && old[i] > x)
                atomicMin(&column[row.col[e + i * LANES]], x);
    }
}

/* The smallest number of the columns of a row, in all of its lanes. */
template <int LANES>
__device__ inline uint32_t least_column(const entries &row, int lane, const uint32_t *column)
{
    uint32_t least = RC_LOCAL_NONE;
    for (int e = lane; e < row.length; e += BATCH * LANES) {
        uint32_t x[BATCH];
        load_columns<LANES>(row, e, column, x);
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            least = min(least, x[i]);
    }
    return least_of<LANES>(least);
}

/* The first of WARP / LANES rows of a warp, and how far it is to the next ones. */
template <int LANES> __device__ inline int64_t first_row()
{
    return ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP * (WARP / LANES);
}

template <int LANES> __device__ inline int64_t row_step()
{
    return (int64_t)gridDim.x * blockDim.x / LANES;
}

/* The first of the ascending columns [low, high) that is not below c. */
__device__ inline int64_t seek(const int32_t *col, int64_t low, int64_t high, int32_t c)
{
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (col[middle] < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* f(i) for every i < n, by all threads of a grid. */
template <typename F> __device__ inline void for_each(int64_t n, F f)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        f(i);
}

template <typename T> __global__ void number_kernel(T *to, int64_t n)
{
    for_each(n, [=](int64_t i) { to[i] = (T)i; });
}

template <typename T>
__global__ void take_kernel(const T *from, const int32_t *by, T *to, int64_t n)
{
    for_each(n, [=](int64_t i) { to[i] = from[by[i]]; });
}

/* -------------------------------------------------------------------- host */

/* Pieces of a workspace; without memory it only counts. */
struct workspace {
    char *base;
    int64_t used;

    template <typename T> T *take(int64_t n)
    {
        const int64_t align = 256;
        char *p = base ? base + used : nullptr;
        used += (n * (int64_t)sizeof(T) + align - 1) / align * align;
        return (T *)p;
    }
};

/* Lanes for a row: its entries in one batch, on average. */
inline int lanes_of(const rc_cuda_pattern_t *a)
{
    const int64_t mean = a->nnz / a->rows;
    return mean < 8 ? 1 : mean < 16 ? 2 : mean < 32 ? 4 : 8;
}

inline unsigned blocks_for(int64_t threads)
{
    const int64_t most = 1 << 16; /* what is beyond is walked in strides */
    const int64_t n = (threads + ORDER_THREADS - 1) / ORDER_THREADS;
    return (unsigned)(n < 1 ? 1 : n < most ? n : most);
}

/* f(lanes), of a type whose value is the number of lanes for a row. */
template <typename F> inline rc_status_t with_lanes(const rc_cuda_pattern_t *a, F f)
{
    const int lanes = lanes_of(a);
    return lanes == 1   ? f(std::integral_constant<int, 1>())
           : lanes == 2 ? f(std::integral_constant<int, 2>())
           : lanes == 4 ? f(std::integral_constant<int, 4>())
                        : f(std::integral_constant<int, 8>());
}

/* to[i] = i. */
template <typename T> rc_status_t number(const rc_executor_t *x, T *to, int64_t n, rc_err_t *err)
{
    number_kernel<<<blocks_for(n), ORDER_THREADS, 0, rc_cuda_stream(x)>>>(to, n);
    return rc_cuda_launched("an order", err);
}

/* to[i] = from[by[i]]. */
template <typename T>
rc_status_t take(
    const rc_executor_t *x, const T *from, const int32_t *by, T *to, int64_t n, rc_err_t *err)
{
    take_kernel<<<blocks_for(n), ORDER_THREADS, 0, rc_cuda_stream(x)>>>(from, by, to, n);
    return rc_cuda_launched("keys of an order", err);
}

/* Keys and rows to sort, the rows in the slots to begin with. */
inline rc_cuda_pairs_t take_pairs(workspace *w, int64_t n, int32_t *slots)
{
    uint32_t *key = w->take<uint32_t>(n);
    uint32_t *beside = w->take<uint32_t>(n);
    return {key, beside, slots, w->take<int32_t>(n), n};
}

inline int bits_of(int64_t most)
{
    int bits = 1;
    while (bits < 32 && most >> bits > 0)
        bits++;
    return bits;
}

inline rc_status_t fill_none(const rc_executor_t *x, uint32_t *p, int64_t n, rc_err_t *err)
{
    return rc_cuda_check(
        n == 0 ? cudaSuccess : cudaMemsetAsync(p, 0xff, (size_t)n * sizeof *p, rc_cuda_stream(x)),
        "an order", err);
}

/* The values of sorted pairs, where they are wanted. */
inline rc_status_t deliver(
    const rc_executor_t *x, const rc_cuda_pairs_t *p, int32_t *slots, rc_err_t *err)
{
    if (p->value == slots)
        return RC_OK;
    return rc_cuda_check(cudaMemcpyAsync(slots, p->value, (size_t)p->n * sizeof *slots,
                             cudaMemcpyDeviceToDevice, rc_cuda_stream(x)),
        "an order", err);
}

} // namespace rc

#endif
