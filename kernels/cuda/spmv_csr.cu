/* Device functions of csr: a CTA takes rows that have a tile of entries together, and puts their products into shared
 * memory; LANES lanes add up a row of them.  A row that is too long for that gets a CTA. */
#include "kernels/cuda/spmv.cuh"
#include "kernels/cuda/spmv_csr.h"

namespace
{

/* The sums of `rows` rows, whose entries begin at end[0]; behind the products.  Of all threads. */
template <typename T, typename I, int LANES>
__device__ __forceinline__ void sum_rows(
    const rc_spmv_vectors_t &v, int32_t slot, int32_t rows, const I *end, T *product)
{
    enum { GROUPS = RC_SPMV_THREADS / LANES };
    const int lane = threadIdx.x % LANES;
    const int32_t group = threadIdx.x / LANES;
    const I first = end[0];
    T *sums = product + static_cast<int32_t>(end[rows] - first);
    for (int32_t base = 0; base < rows; base += GROUPS) {
        const int32_t i = base + group;
        T sum = T(0);
        if (i < rows) {
            const int32_t to = static_cast<int32_t>(end[i + 1] - first);
            for (int32_t e = static_cast<int32_t>(end[i] - first) + lane; e < to; e += LANES)
                sum += product[e];
        }
        __syncwarp();
        sum = rc::sum_lanes<LANES>(sum);
        if (LANES == 1) {
            if (i < rows)
                rc::store_slot(v, slot + i, sum);
        } else if (lane == 0 && i < rows)
            sums[i] = sum;
    }
    if (LANES == 1)
        return;
    __syncthreads();
    for (int32_t i = threadIdx.x; i < rows; i += RC_SPMV_THREADS)
        rc::store_slot(v, slot + i, sums[i]);
}

/* The first row from `at` on that is too long for a group, or with whose end the tile has no room. */
template <typename I>
__device__ __forceinline__ int32_t stop_at(
    const I *end, int32_t at, int32_t rows, int32_t longest, int32_t *stop)
{
    __syncthreads();
    if (threadIdx.x == 0)
        *stop = rows;
    __syncthreads();
    for (int32_t i = at + threadIdx.x; i < rows; i += RC_SPMV_THREADS)
        if (end[i + 1] - end[i] > longest || end[i + 1] - end[at] + (i + 1 - at) > RC_SPMV_TILE) {
            atomicMin(stop, i);
            break;
        }
    __syncthreads();
    return *stop;
}

template <typename T, typename I, int LANES>
__device__ __forceinline__ void take_rows(const rc_spmv_csr_args_t &a, int32_t share)
{
    __shared__ T product[RC_SPMV_TILE];
    __shared__ I end[RC_SPMV_TILE + 1];
    __shared__ int32_t stop;
    const rc_spmv_share_t begin = a.share[share];
    const rc_spmv_share_t next = a.share[share + 1];
    const I *ptr = static_cast<const I *>(a.ptr) + begin.row;
    const T *val = static_cast<const T *>(a.val);
    const T *x = static_cast<const T *>(a.v.x);
    const int32_t rows = next.row - begin.row;
    const I entries = static_cast<I>(next.entry - begin.entry);
    rc::products<T> p;
    rc::wait_for_previous();
    if (entries + rows <= I(RC_SPMV_TILE)) {
        p.load(a.col + begin.entry, val + begin.entry, static_cast<int32_t>(entries));
        int is_late = 0;
        for (int32_t i = threadIdx.x; i <= rows; i += RC_SPMV_THREADS) {
            const I at = rc::load(ptr + i);
            end[i] = at;
            is_late |= i < rows && rc::load(ptr + i + 1) - at > RC_SPMV_CSR_LONGEST(LANES);
        }
        p.multiply(x, product);
        if (!__syncthreads_or(is_late)) {
            sum_rows<T, I, LANES>(a.v, begin.row, rows, end, product);
            return;
        }
    } else
        for (int32_t i = threadIdx.x; i <= rows; i += RC_SPMV_THREADS)
            end[i] = rc::load(ptr + i);
    for (int32_t at = 0; at < rows;) {
        const int32_t to = stop_at(end, at, rows, RC_SPMV_CSR_LONGEST(LANES), &stop);
        if (to > at) {
            p.load(a.col + end[at], val + end[at], static_cast<int32_t>(end[to] - end[at]));
            p.multiply(x, product);
            __syncthreads();
            sum_rows<T, I, LANES>(a.v, begin.row + at, to - at, end + at, product);
        }
        at = to > at ? to : at + 1;
    }
}

template <typename T, typename I, int LANES>
__global__ void __launch_bounds__(RC_SPMV_THREADS, 9) csr(const rc_spmv_csr_args_t a)
{
    __shared__ T part[rc::SPMV_WARPS];
    const int32_t cta = static_cast<int32_t>(blockIdx.x);
    rc::launch_next();
    if (cta >= a.lates) {
        take_rows<T, I, LANES>(a, cta - a.lates);
        return;
    }
    const int32_t p = __ldg(a.late + cta);
    const I *ptr = static_cast<const I *>(a.ptr) + p;
    const I begin = rc::load(ptr) + static_cast<I>(threadIdx.x);
    const I end = rc::load(ptr + 1);
    rc::wait_for_previous();
    T sum = rc::sum_strided(a.col, static_cast<const T *>(a.val), static_cast<const T *>(a.v.x),
        begin, end, RC_SPMV_THREADS);
    __syncwarp();
    sum = rc::sum_cta<rc::SPMV_WARPS>(sum, part);
    if (threadIdx.x == 0)
        rc::store_slot(a.v, p, sum);
}

template <typename T, typename I> const void *entry(int lanes)
{
    switch (lanes) {
    case 1:
        return reinterpret_cast<const void *>(&csr<T, I, 1>);
    case 2:
        return reinterpret_cast<const void *>(&csr<T, I, 2>);
    case 4:
        return reinterpret_cast<const void *>(&csr<T, I, 4>);
    case 8:
        return reinterpret_cast<const void *>(&csr<T, I, 8>);
    case 16:
        return reinterpret_cast<const void *>(&csr<T, I, 16>);
    default:
        return reinterpret_cast<const void *>(&csr<T, I, 32>);
    }
}

} // namespace

extern "C" const void *rc_spmv_csr_entry(rc_precision_t precision, int wide, int lanes)
{
    if (precision == RC_FP64)
        return wide ? entry<double, int64_t>(lanes) : entry<double, int32_t>(lanes);
    return wide ? entry<float, int64_t>(lanes) : entry<float, int32_t>(lanes);
}
