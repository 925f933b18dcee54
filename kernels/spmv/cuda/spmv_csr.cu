/* Device functions of csr: a CTA takes rows that have a tile of entries together, and puts their
 * products into shared memory; a few lanes add up a row of them.  A row that is too long for
 * that gets CTAs of its own. */
#include "device/cuda/types.cuh"
#include "kernels/spmv/cuda/spmv.cuh"

namespace
{

/* The first row from `at` on that is too long for a group, or with whose end the tile has no
 * room. */
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

/* The rows of a share one tile after the other, those that are late left out. */
template <typename T, typename I>
__device__ __forceinline__ void take_tiles(const rc_spmv_csr_args_t &a,
    const rc_spmv_share_t &begin, int32_t rows, rc::sum_of<T> *product, I *end)
{
    __shared__ int32_t stop;
    const I *ptr = static_cast<const I *>(a.ptr) + begin.row;
    rc::products<T> p;
    rc::row_pointers<I> ends;
    ends.load(ptr, rows + 1);
    ends.put(ptr, rows + 1, [&](int32_t i, I at) { end[i] = at; });
    for (int32_t at = 0; at < rows;) {
        const int32_t to = stop_at(end, at, rows, a.longest, &stop);
        if (to > at) {
            const int32_t n = static_cast<int32_t>(end[to] - end[at]);
            int64_t steps = 0;
            p.load(a.col + end[at], static_cast<const T *>(a.val) + end[at], n);
            p.multiply(static_cast<const T *>(a.v.x), product);
            __syncthreads();
            rc::store_rows<T>(a.v, begin.row + at, to - at, end + at, product,
                a.every > 0 ? a.every : rc_spmv_lanes_for(to - at, n, a.longest, &steps));
        }
        at = to > at ? to : at + 1;
    }
}

/* The rows of a share. */
template <typename T, typename I>
__device__ __forceinline__ void take_rows(const rc_spmv_csr_args_t &a, int32_t share)
{
    __shared__ rc::sum_of<T> product[rc::SPMV_PLACES];
    __shared__ I end[RC_SPMV_TILE + 1];
    const rc_spmv_share_t begin = a.share[share];
    const rc_spmv_share_t next = a.share[share + 1];
    const int lanes = __ldg(a.lanes + share);
    const I *ptr = static_cast<const I *>(a.ptr) + begin.row;
    const int32_t rows = next.row - begin.row;
    rc::wait_for_previous();
    if (lanes == 0) {
        take_tiles<T, I>(a, begin, rows, product, end);
        return;
    }
    rc::products<T> p;
    rc::row_pointers<I> ends;
    p.load(a.col + begin.entry, static_cast<const T *>(a.val) + begin.entry,
        static_cast<int32_t>(next.entry - begin.entry));
    ends.load(ptr, rows + 1);
    ends.put(ptr, rows + 1, [&](int32_t i, I at) { end[i] = at; });
    p.multiply(static_cast<const T *>(a.v.x), product);
    __syncthreads();
    rc::store_rows<T>(a.v, begin.row, rows, end, product, lanes);
}

/* Where a piece of a row ends; its entries begin with begin.entry. */
template <typename I>
__device__ __forceinline__ I piece_end(
    const rc_spmv_csr_args_t &a, const rc_spmv_share_t &begin, const rc_spmv_share_t &next)
{
    return next.open ? static_cast<I>(next.entry)
                     : rc::load(static_cast<const I *>(a.ptr) + begin.row + 1);
}

/* Behind the last piece there is room for some that are none, whose entry is 0. */
__device__ __forceinline__ bool is_none(const rc_spmv_share_t &begin, int32_t piece)
{
    return piece > 0 && begin.entry == 0;
}

/* A piece of a row, by all threads. */
template <typename T, typename I>
__device__ __forceinline__ void take_piece(const rc_spmv_csr_args_t &a, int32_t piece)
{
    __shared__ rc::sum_of<T> part[rc::SPMV_WARPS];
    const rc_spmv_share_t begin = a.late[piece];
    const rc_spmv_share_t next = a.late[piece + 1];
    if (is_none(begin, piece))
        return;
    const I to = piece_end<I>(a, begin, next);
    rc::wait_for_previous();
    rc::sum_of<T> sum = rc::sum_strided<rc::FEW>(a.col, static_cast<const T *>(a.val),
        static_cast<const T *>(a.v.x), static_cast<I>(begin.entry) + static_cast<I>(threadIdx.x),
        to, RC_SPMV_THREADS);
    __syncwarp();
    sum = rc::sum_cta<rc::SPMV_WARPS>(sum, part);
    if (threadIdx.x == 0) {
        if (begin.open || next.open)
            rc::leave(begin.open ? a.v.spans.in : a.v.spans.out, piece, sum);
        else
            rc::store_slot<T>(a.v, begin.row, sum);
    }
    rc::end_share<T>(a.v, begin.open, next.open);
}

/* A piece that is a row and short enough for a warp, by a warp.  Returns whether there is still
 * something to do. */
template <typename T, typename I>
__device__ __forceinline__ bool take_row(const rc_spmv_csr_args_t &a, int32_t piece)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const rc_spmv_share_t begin = a.late[piece];
    const rc_spmv_share_t next = a.late[piece + 1];
    if (is_none(begin, piece))
        return false;
    const I to = piece_end<I>(a, begin, next);
    if (begin.open || next.open || to - static_cast<I>(begin.entry) > I(RC_SPMV_CSR_WARP))
        return true;
    rc::wait_for_previous();
    rc::sum_of<T> sum = rc::sum_strided<rc::MANY>(a.col, static_cast<const T *>(a.val),
        static_cast<const T *>(a.v.x), static_cast<I>(begin.entry) + static_cast<I>(lane), to, 32);
    __syncwarp();
    sum = rc::sum_lanes<32>(sum);
    if (lane == 0)
        rc::store_slot<T>(a.v, begin.row, sum);
    return false;
}

/* A piece a warp, where there are so many that CTAs wait for each other; what is too long for
 * that is taken by all. */
template <typename T, typename I>
__device__ __forceinline__ void take_pieces(const rc_spmv_csr_args_t &a, int32_t first)
{
    __shared__ int rest[rc::SPMV_WARPS];
    const int32_t count = min(a.lates - first, static_cast<int32_t>(rc::SPMV_WARPS));
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const bool more = warp < count && take_row<T, I>(a, first + warp);
    if (threadIdx.x % 32 == 0)
        rest[warp] = more;
    __syncthreads();
    for (int32_t w = 0; w < count; w++)
        if (rest[w]) {
            take_piece<T, I>(a, first + w);
            __syncthreads();
        }
}

template <typename T, typename I>
__global__ void __launch_bounds__(RC_SPMV_THREADS, rc::resident(RC_SPMV_THREADS, 9))
    csr(const rc_spmv_csr_args_t a)
{
    const int32_t cta = static_cast<int32_t>(blockIdx.x);
    rc::launch_next();
    if (cta >= a.late_ctas)
        take_rows<T, I>(a, cta - a.late_ctas);
    else if (a.late_ctas == a.lates)
        take_piece<T, I>(a, cta);
    else
        take_pieces<T, I>(a, cta * rc::SPMV_WARPS);
}

template <typename T, typename I> const void *entry()
{
    return reinterpret_cast<const void *>(&csr<T, I>);
}

} // namespace

extern "C" const void *rc_spmv_csr_entry(rc_precision_t precision, int wide)
{
    return rc::pick<rc::any>(precision, [&](auto t) {
        return wide ? entry<RC_VALUE(t), int64_t>() : entry<RC_VALUE(t), int32_t>();
    });
}
