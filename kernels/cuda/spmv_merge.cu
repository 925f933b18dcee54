/* Device functions of merge: a CTA takes a share, a tile of it at a time; products and row ends in shared
 * memory, equal parts of their merge to the threads.  Where that pays, a few large CTAs keep the begin of x in shared
 * memory, and groups of their threads take shares one after the other. */
#include "kernels/cuda/spmv.cuh"
#include "kernels/cuda/spmv_merge.h"

namespace
{

/* The rows and entries of a tile: where they begin and how many there are. */
template <typename I> struct tile {
    int32_t row;
    I entry;
    int32_t rows;    /* that end in it */
    int32_t entries;
};

/* How many of `rows` row ends are passed at a diagonal; a row end goes before the entry of its number.
 * As rc_merge_point. */
__device__ __forceinline__ int32_t passed(
    const int32_t *end, int32_t rows, int32_t entries, int32_t diagonal)
{
    int32_t low = max(diagonal - entries, 0);
    int32_t high = min(diagonal, rows);
    while (low < high) {
        const int32_t mid = (low + high) >> 1;
        if (end[mid] <= diagonal - mid - 1)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The ends of rows, counted from the first entry of the tile: loads, and what puts them into shared memory. */
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
        some.put(from, rows,
            [=](int32_t i, I at) { end[i] = static_cast<int32_t>(min(at - entry, I(RC_SPMV_TILE))); });
    }
};

/* The sums of the rows that end in a tile, behind its products; returns what is left of the row after
 * them.  `before`: what the CTA has already of the first of them. */
template <int GROUPS, typename T>
__device__ __forceinline__ T sum_rows(T *product, const int32_t *end, int32_t rows, int32_t entries,
    T before, rc::carries<T> *shared)
{
    const int32_t items = rows + entries;
    const int32_t each = (items + RC_SPMV_THREADS - 1) / RC_SPMV_THREADS;
    const int32_t from = min(static_cast<int32_t>(threadIdx.x) * each, items);
    const int32_t to = min(from + each, items);
    int32_t r = passed(end, rows, entries, from);
    int32_t e = from - r;
    int32_t first_row = -1;
    T first = T(0);
    T sum = T(0);
    for (int32_t i = from; i < to; i++) {
        if (r < rows && end[r] <= e) {
            if (first_row < 0) {
                first = sum;
                first_row = r;
            } else
                product[rc::place_of(entries + r)] = sum;
            sum = T(0);
            r++;
        } else
            sum += product[rc::place_of(e++)];
    }
    T tail;
    first += rc::carry_in<GROUPS>(sum, first_row >= 0, before, shared, &tail);
    if (first_row >= 0)
        product[rc::place_of(entries + first_row)] = first;
    return tail;
}

/* A share that holds its rows whole and fits a tile: lanes take a row.  end: [RC_SPMV_TILE + 1] */
template <int GROUPS, typename I, typename T, typename X>
__device__ __forceinline__ void take_rows(const rc_spmv_merge_args_t &a, const rc_spmv_share_t &begin,
    const rc_spmv_share_t &next, int lanes, const X &x, T *product, int32_t *end)
{
    const int32_t rows = next.row - begin.row;
    rc::products<T> entries;
    entries.load(a.col + begin.entry, static_cast<const T *>(a.val) + begin.entry,
        static_cast<int32_t>(next.entry - begin.entry));
    row_ends<I>(a.ptr, begin.row, rows).put(static_cast<I>(begin.entry), end + 1);
    if (threadIdx.x == 0)
        end[0] = 0;
    entries.multiply(x, product);
    rc::sync_group<GROUPS>();
    rc::store_rows(a.v, begin.row, rows, end, product, lanes);
}

/* Any other share, a tile after the other; returns what is left of the row after it. */
template <int GROUPS, typename I, typename T, typename X>
__device__ __forceinline__ T take_parts(const rc_spmv_merge_args_t &a, int32_t share,
    const rc_spmv_share_t &begin, const rc_spmv_share_t &next, const X &x, T *product, int32_t *end)
{
    __shared__ rc::carries<T> shared[GROUPS];
    tile<I> t = {begin.row, static_cast<I>(begin.entry), 0, 0};
    T left = T(0);
    while (true) {
        const int32_t window = min(next.row - t.row, static_cast<int32_t>(RC_SPMV_TILE));
        const I ahead = static_cast<I>(next.entry) - t.entry;
        t.rows = window;
        t.entries = static_cast<int32_t>(ahead < I(RC_SPMV_TILE) ? ahead : I(RC_SPMV_TILE));
        const bool is_last = ahead + (next.row - t.row) <= I(RC_SPMV_TILE);
        if (!is_last) {
            row_ends<I>(a.ptr, t.row, window).put(t.entry, end);
            rc::sync_group<GROUPS>();
            t.rows = passed(end, window, t.entries, RC_SPMV_TILE);
            t.entries = RC_SPMV_TILE - t.rows;
        }
        rc::products<T> entries;
        entries.load(a.col + t.entry, static_cast<const T *>(a.val) + t.entry, t.entries);
        if (is_last)
            row_ends<I>(a.ptr, t.row, window).put(t.entry, end);
        entries.multiply(x, product);
        rc::sync_group<GROUPS>();
        left = sum_rows<GROUPS>(
            product, end, t.rows, t.entries, left, shared + rc::group_number<GROUPS>());
        rc::sync_group<GROUPS>();
        for (int32_t i = threadIdx.x; i < t.rows; i += RC_SPMV_THREADS) {
            const int32_t slot = t.row + i;
            const T sum = product[rc::place_of(t.entries + i)];
            if (begin.open && slot == begin.row)
                static_cast<T *>(a.v.spans.in)[share] = sum;
            else
                rc::store_slot(a.v, slot, sum);
        }
        if (is_last)
            return left;
        t.row += t.rows;
        t.entry += t.entries;
        rc::sync_group<GROUPS>();
    }
}

/* One share. */
template <int GROUPS, typename I, typename T, typename X>
__device__ __forceinline__ void take_share(const rc_spmv_merge_args_t &a, int32_t share,
    const rc_spmv_share_t &begin, const rc_spmv_share_t &next, int lanes, const X &x, T *product, int32_t *end)
{
    if (lanes > 0) {
        take_rows<GROUPS, I>(a, begin, next, lanes, x, product, end);
        return;
    }
    const T left = take_parts<GROUPS, I>(a, share, begin, next, x, product, end);
    if (threadIdx.x == 0 && next.open)
        static_cast<T *>(begin.open && next.row == begin.row ? a.v.spans.in : a.v.spans.out)[share] = left;
    rc::end_share<T, GROUPS>(a.v, begin.open, next.open);
}

template <typename T, typename I>
__global__ void __launch_bounds__(RC_SPMV_THREADS, 9) merge(const rc_spmv_merge_args_t a)
{
    __shared__ T product[rc::SPMV_PLACES]; /* of the entries; behind them the sums of the rows */
    __shared__ int32_t end[RC_SPMV_TILE + 1];
    const int32_t share = static_cast<int32_t>(blockIdx.x);
    rc::launch_next();
    const rc_spmv_share_t begin = a.share[share];
    const rc_spmv_share_t next = a.share[share + 1];
    const int lanes = __ldg(a.lanes + share);
    rc::wait_for_previous();
    take_share<1, I>(a, share, begin, next, lanes, rc::vector_far<T>{static_cast<const T *>(a.v.x)}, product, end);
}

/* What a group has in shared memory. */
template <typename T> struct room {
    T product[rc::SPMV_PLACES];
    int32_t end[RC_SPMV_TILE + 2]; /* one more, so that the size is a multiple of 8 */
};

/* Copy n values to shared memory without registers; of all threads of the CTA.  What is copied is there behind
 * arrived(). */
template <typename T> __device__ __forceinline__ void copy_near(const T *from, int32_t n, T *to)
{
    const int32_t step = static_cast<int32_t>(blockDim.x * blockDim.y);
    for (int32_t i = threadIdx.y * RC_SPMV_THREADS + threadIdx.x; i < n; i += step)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                         static_cast<uint32_t>(__cvta_generic_to_shared(to + i))),
                     "l"(from + i), "n"(sizeof(T))
                     : "memory");
}

__device__ __forceinline__ void arrived()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
}

template <typename T, typename I>
__global__ void __launch_bounds__(RC_SPMV_THREADS *RC_SPMV_GROUPS, 1) merge_near(const rc_spmv_merge_args_t a)
{
    enum { GROUPS = RC_SPMV_GROUPS };
    extern __shared__ __align__(16) unsigned char shared[];
    room<T> *mine = reinterpret_cast<room<T> *>(shared) + threadIdx.y;
    T *held = reinterpret_cast<T *>(shared + sizeof(room<T>) * GROUPS);
    const T *from = static_cast<const T *>(a.v.x);
    const rc::vector_near<T> x = {from, held, a.near};
    rc::launch_next();
    rc::wait_for_previous();
    copy_near(from, a.near, held);
    arrived();
    const int32_t step = static_cast<int32_t>(gridDim.x) * GROUPS;
    for (int32_t share = blockIdx.x * GROUPS + threadIdx.y; share < a.shares; share += step) {
        take_share<GROUPS, I>(a, share, a.share[share], a.share[share + 1], __ldg(a.lanes + share), x,
            mine->product, mine->end);
        rc::sync_group<GROUPS>();
    }
}

template <typename T, typename I> const void *entry(int near)
{
    return near ? reinterpret_cast<const void *>(&merge_near<T, I>)
                : reinterpret_cast<const void *>(&merge<T, I>);
}

} // namespace

extern "C" const void *rc_spmv_merge_entry(rc_precision_t precision, int wide, int near)
{
    if (precision == RC_FP64)
        return wide ? entry<double, int64_t>(near) : entry<double, int32_t>(near);
    return wide ? entry<float, int64_t>(near) : entry<float, int32_t>(near);
}

extern "C" int64_t rc_spmv_merge_room(rc_precision_t precision)
{
    return RC_SPMV_GROUPS *
           static_cast<int64_t>(precision == RC_FP64 ? sizeof(room<double>) : sizeof(room<float>));
}
