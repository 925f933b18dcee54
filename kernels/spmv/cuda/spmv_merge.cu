/* Device function of merge: a CTA takes a share, a tile of it at a time; products and row ends
 * in shared memory, equal parts of their merge to the threads. */
#include "device/cuda/types.cuh"
#include "kernels/spmv/cuda/spmv.cuh"

namespace
{

/* The rows and entries of a tile: where they begin and how many there are. */
template <typename I> struct tile {
    int32_t row;
    I entry;
    int32_t rows; /* that end in it */
    int32_t entries;
};

/* The ends of rows, counted from the first entry of the tile: loads, and what puts them into
 * shared memory. */
template <typename I> struct row_ends {
    const I *from;
    int32_t rows;
    rc::row_pointers<I> some;

    __device__ __forceinline__ row_ends(const void *ptr, int32_t row, int32_t rows)
        : from(static_cast<const I *>(ptr) + row + 1), rows(rows)
    {
        some.load(from, rows);
    }

    __device__ __forceinline__ void put(I entry, int32_t *end) const
    {
        some.put(from, rows, [=](int32_t i, I at) {
            end[i] = static_cast<int32_t>(min(at - entry, I(RC_SPMV_TILE)));
        });
    }
};

/* A share that fits a tile: lanes take a row, or what the share has of the first and the last one.
 * end: [RC_SPMV_TILE + 1] */
template <typename T, typename I>
__device__ __forceinline__ void take_rows(const rc_spmv_merge_args_t &a,
    const rc_spmv_share_t &begin, const rc_spmv_share_t &next, int lanes, rc::sum_of<T> *product,
    int32_t *end)
{
    const int32_t whole = next.row - begin.row;
    const int32_t rows = whole + (next.open ? 1 : 0);
    const int32_t n = static_cast<int32_t>(next.entry - begin.entry);
    rc::products<T> entries;
    entries.load(a.col + begin.entry, static_cast<const T *>(a.val) + begin.entry, n);
    row_ends<I>(a.ptr, begin.row, whole).put(static_cast<I>(begin.entry), end + 1);
    if (threadIdx.x == 0) {
        end[0] = 0;
        if (next.open)
            end[rows] = n;
    }
    entries.multiply(static_cast<const T *>(a.v.x), product);
    __syncthreads();
    rc::sum_each(rows, end, product, lanes, [&](int32_t i, rc::sum_of<T> sum) {
        if (i == 0 && begin.open)
            rc::leave(a.v.spans.in, blockIdx.x, sum);
        else if (i == whole)
            rc::leave(a.v.spans.out, blockIdx.x, sum);
        else
            rc::store_slot<T>(a.v, begin.row + i, sum);
    });
}

/* Any other share, a tile after the other; returns what is left of the row after it. */
template <typename T, typename I>
__device__ __forceinline__ rc::sum_of<T> take_parts(const rc_spmv_merge_args_t &a,
    const rc_spmv_share_t &begin, const rc_spmv_share_t &next, rc::sum_of<T> *product, int32_t *end)
{
    typedef rc::sum_of<T> S;
    __shared__ rc::carries<S, rc::SPMV_WARPS> shared;
    tile<I> t = {begin.row, static_cast<I>(begin.entry), 0, 0};
    S left = S(0);
    while (true) {
        const int32_t window = min(next.row - t.row, static_cast<int32_t>(RC_SPMV_TILE));
        const I ahead = static_cast<I>(next.entry) - t.entry;
        t.rows = window;
        t.entries = static_cast<int32_t>(ahead < I(RC_SPMV_TILE) ? ahead : I(RC_SPMV_TILE));
        const bool is_last = ahead + (next.row - t.row) <= I(RC_SPMV_TILE);
        if (!is_last) {
            row_ends<I>(a.ptr, t.row, window).put(t.entry, end);
            __syncthreads();
            t.rows = rc::passed(end, window, t.entries, RC_SPMV_TILE);
            t.entries = RC_SPMV_TILE - t.rows;
        }
        rc::products<T> entries;
        entries.load(a.col + t.entry, static_cast<const T *>(a.val) + t.entry, t.entries);
        if (is_last)
            row_ends<I>(a.ptr, t.row, window).put(t.entry, end);
        entries.multiply(static_cast<const T *>(a.v.x), product);
        __syncthreads();
        left = rc::sum_rows<RC_SPMV_THREADS>(product, end, t.rows, t.entries, left, &shared);
        __syncthreads();
        for (int32_t i = threadIdx.x; i < t.rows; i += RC_SPMV_THREADS) {
            const int32_t slot = t.row + i;
            const S sum = product[rc::place_of(t.entries + i)];
            if (begin.open && slot == begin.row)
                rc::leave(a.v.spans.in, blockIdx.x, sum);
            else
                rc::store_slot<T>(a.v, slot, sum);
        }
        if (is_last)
            return left;
        t.row += t.rows;
        t.entry += t.entries;
        __syncthreads();
    }
}

template <typename T, typename I>
__global__ void __launch_bounds__(RC_SPMV_THREADS, rc::resident(RC_SPMV_THREADS, 9))
    merge(const rc_spmv_merge_args_t a)
{
    /* of the entries; behind them the sums of the rows */
    __shared__ rc::sum_of<T> product[rc::SPMV_PLACES];
    __shared__ int32_t end[RC_SPMV_TILE + 1];
    rc::launch_next();
    const rc_spmv_share_t begin = a.share[blockIdx.x];
    const rc_spmv_share_t next = a.share[blockIdx.x + 1];
    const int lanes = __ldg(a.lanes + blockIdx.x);
    rc::wait_for_previous();
    if (lanes > 0)
        take_rows<T, I>(a, begin, next, lanes, product, end);
    else {
        const rc::sum_of<T> left = take_parts<T, I>(a, begin, next, product, end);
        if (threadIdx.x == 0 && next.open)
            rc::leave(begin.open && next.row == begin.row ? a.v.spans.in : a.v.spans.out,
                blockIdx.x, left);
    }
    rc::end_share<T>(a.v, begin.open, next.open);
}

template <typename T, typename I> const void *entry()
{
    return reinterpret_cast<const void *>(&merge<T, I>);
}

} // namespace

extern "C" const void *rc_spmv_merge_entry(rc_precision_t precision, int wide)
{
    return rc::pick<rc::any>(precision, [&](auto t) {
        return wide ? entry<RC_VALUE(t), int64_t>() : entry<RC_VALUE(t), int32_t>();
    });
}
