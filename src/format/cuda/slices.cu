/* format/sell.h on a GPU, of rows sorted as gslice takes them: a thread has a row, a warp a
 * slice, a CTA a window of rows that are sorted together, which is a segment. */
#include "format/cuda/build.cuh"

#include <cub/block/block_scan.cuh>

namespace
{

constexpr int THREADS = RC_GSLICE_WINDOW;
constexpr int GROUP = RC_GSLICE_GROUP;
constexpr int GROUPS = THREADS / GROUP;
constexpr int LANES = RC_GSLICE_ROWS;
constexpr int WARPS = THREADS / LANES;

static_assert(THREADS == RC_CHUNKS_SEGMENT, "a window is a segment");
static_assert(LANES == 32, "a slice is a warp");

enum { WIDTHS, LONGS, REST, NUMBERS };

typedef cub::BlockScan<int64_t, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan_sum;

struct segment_t {
    typename scan_sum::TempStorage room;
    int32_t length[THREADS]; /* 0 too of a row kept apart */
    int64_t key[GROUPS];     /* of a group: the larger comes first */
    int16_t order[THREADS];  /* row of the segment in every place */
    int32_t width[WARPS];    /* of the slices */
};

/* Of the row of a thread. */
struct place_t {
    rc::item it;
    int apart;
    int32_t width; /* of its slice */
    int64_t
        before[NUMBERS]; /* of the slices and of the rows kept apart before it, in the segment */
    int64_t together[NUMBERS]; /* in the segment */
};

/* rc_items_sort: whole groups by their longest row, equal ones in their order. */
__device__ void sort_rows(
    const rc_build_items_t &items, int64_t first, int64_t longest, segment_t *s)
{
    const int t = threadIdx.x;
    const rc::item it = rc::item_at(items, first + t);
    const int64_t left = items.count - first;
    const int groups = static_cast<int>((left < THREADS ? left : THREADS) / GROUP);
    s->length[t] = it.length <= longest ? static_cast<int32_t>(it.length) : 0;
    s->order[t] = static_cast<int16_t>(t);
    __syncthreads();
    if (t < groups) {
        int32_t most = 0;
        for (int m = 0; m < GROUP; m++)
            most = max(most, s->length[t * GROUP + m]);
        s->key[t] = static_cast<int64_t>(most) * GROUPS + (GROUPS - 1 - t);
    }
    __syncthreads();
    if (t < groups) {
        const int64_t mine = s->key[t];
        int rank = 0;
        for (int g = 0; g < groups; g++)
            rank += s->key[g] > mine;
        for (int m = 0; m < GROUP; m++)
            s->order[rank * GROUP + m] = static_cast<int16_t>(t * GROUP + m);
    }
    __syncthreads();
}

__device__ __forceinline__ int64_t warp_sum(int64_t n)
{
    for (int lane = LANES / 2; lane > 0; lane /= 2)
        n += __shfl_xor_sync(~0u, n, lane);
    return n;
}

__device__ place_t find_place(
    const rc_build_items_t &items, int64_t first, int64_t longest, segment_t *s)
{
    const int lane = threadIdx.x % LANES;
    const int warp = threadIdx.x / LANES;
    place_t p = {};
    sort_rows(items, first, longest, s);
    p.it = rc::item_at(items, first + s->order[threadIdx.x]);
    p.apart = p.it.length > longest;
    p.width = p.apart ? 0 : static_cast<int32_t>(p.it.length);
    for (int step = LANES / 2; step > 0; step /= 2)
        p.width = max(p.width, __shfl_xor_sync(~0u, p.width, step));
    if (lane == 0)
        s->width[warp] = p.width;
    __syncthreads();
    p.together[WIDTHS] = warp_sum(s->width[lane]);
    p.before[WIDTHS] = warp_sum(lane < warp ? s->width[lane] : 0);
    if (__syncthreads_or(p.apart)) {
        scan_sum(s->room).ExclusiveSum(
            static_cast<int64_t>(p.apart), p.before[LONGS], p.together[LONGS]);
        __syncthreads();
        scan_sum(s->room).ExclusiveSum(p.apart ? p.it.length : 0, p.before[REST], p.together[REST]);
        __syncthreads();
    }
    return p;
}

__global__ void __launch_bounds__(THREADS)
    count(rc_build_items_t items, int64_t longest, int64_t *total)
{
    __shared__ segment_t s;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * THREADS;
    const place_t p = find_place(items, first, longest, &s);
    if (threadIdx.x == 0)
        for (int w = 0; w < RC_BUILD_TOTALS; w++)
            total[static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS + w] =
                w < NUMBERS ? p.together[w] : 0;
}

template <typename C> struct placing {
    rc_build_items_t items;
    int64_t longest;
    const int64_t *total; /* of the segments before; the last one: of all */
    const int64_t *all;
    int64_t slices;
    C pad;
    int32_t *ptr;
    C *col;
    rc::places entry;
    int32_t *row;
    int64_t *long_ptr;
    int32_t *long_row;
};

/* A slice by its warp.  \param[in] at  slice pointer */
template <typename C>
__device__ void put_slice(const placing<C> &p, const place_t &of, int64_t slice, int64_t at)
{
    const int lane = threadIdx.x % LANES;
    const int32_t n = of.apart ? 0 : static_cast<int32_t>(of.it.length);
    if (lane == 0) {
        p.ptr[slice] = static_cast<int32_t>(at);
        if (slice + 1 == p.slices)
            p.ptr[slice + 1] = static_cast<int32_t>(at + of.width);
    }
    p.row[slice * LANES + lane] = of.apart ? -1 : of.it.row;
#pragma unroll 4
    for (int32_t e = 0; e < of.width; e++) {
        const int64_t to = (at + e) * LANES + lane;
        p.col[to] = e < n ? static_cast<C>(p.items.col_idx[of.it.first + e]) : p.pad;
        p.entry.put(to, e < n ? of.it.first + e : -1);
    }
}

template <typename C> __global__ void __launch_bounds__(THREADS) place(placing<C> p)
{
    __shared__ segment_t s;
    __shared__ int64_t from[THREADS]; /* rows of the segment that are kept apart */
    __shared__ int64_t to[THREADS];
    __shared__ int32_t length[THREADS];
    const int64_t first = static_cast<int64_t>(blockIdx.x) * THREADS;
    const int64_t slice = first / LANES + threadIdx.x / LANES;
    const int64_t *total = p.total + static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS;
    const place_t of = find_place(p.items, first, p.longest, &s);
    const int64_t stored = p.all[WIDTHS] * LANES;
    if (slice < p.slices)
        put_slice(p, of, slice, total[WIDTHS] + of.before[WIDTHS]);
    if (first == 0 && threadIdx.x == 0)
        p.long_ptr[p.all[LONGS]] = stored + p.all[REST];
    if (of.apart) {
        const int64_t n = total[LONGS] + of.before[LONGS];
        const int64_t at = stored + total[REST] + of.before[REST];
        p.long_ptr[n] = at;
        p.long_row[n] = of.it.row;
        from[of.before[LONGS]] = of.it.first;
        to[of.before[LONGS]] = at;
        length[of.before[LONGS]] = static_cast<int32_t>(of.it.length);
    }
    __syncthreads();
    for (int n = 0; n < static_cast<int>(of.together[LONGS]); n++)
        for (int32_t e = threadIdx.x; e < length[n]; e += THREADS) {
            p.col[to[n] + e] = static_cast<C>(p.items.col_idx[from[n] + e]);
            p.entry.put(to[n] + e, from[n] + e);
        }
}

template <typename C> void launch_place(const rc_build_t *b, const rc_slices_t *s)
{
    const placing<C> p = {b->items, s->shape.longest, b->total,
        b->total + b->segments * RC_BUILD_TOTALS, s->size.slices, static_cast<C>(s->shape.pad),
        s->ptr, static_cast<C *>(s->col), {s->entry, s->entry_bytes}, s->row, s->long_ptr,
        s->long_row};
    place<<<static_cast<unsigned>(b->segments), THREADS, 0, rc_cuda_stream(b->x)>>>(p);
}

rc_status_t count_segments(rc_build_t *b, int64_t longest, rc_err_t *err)
{
    const rc::current gpu(b->x);
    if (b->segments > 0)
        count<<<static_cast<unsigned>(b->segments), THREADS, 0, rc_cuda_stream(b->x)>>>(
            b->items, longest, b->total);
    RC_PASS(rc_cuda_launched("counting the slices of a matrix", err));
    return rc_build_scan(b, b->total, b->segments, err);
}

} // namespace

extern "C" rc_status_t rc_build_slices_measure(
    rc_build_t *b, const rc_sell_shape_t *shape, rc_sell_size_t *out, rc_err_t *err)
{
    int64_t total[RC_BUILD_TOTALS] = {0};
    rc_status_t st = count_segments(b, shape->longest, err);
    if (st == RC_OK)
        st = rc_build_totals(b, b->total, b->segments, total, err);
    out->slices = rc::ceil_div(b->items.count, LANES);
    out->stored = total[WIDTHS] * LANES;
    out->longs = total[LONGS];
    out->rest = total[REST];
    return st;
}

extern "C" rc_status_t rc_build_slices(rc_build_t *b, const rc_slices_t *out, rc_err_t *err)
{
    if (b->segments == 0) { /* one end of no slices, and of no rows */
        const rc_status_t st = b->x->fill(b->x, out->ptr, 0, sizeof *out->ptr, err);
        return st == RC_OK ? b->x->fill(b->x, out->long_ptr, 0, sizeof *out->long_ptr, err) : st;
    }
    rc_status_t st = count_segments(b, out->shape.longest, err);
    if (st != RC_OK)
        return st;
    const rc::current gpu(b->x);
    if (out->shape.col_bytes == 2)
        launch_place<uint16_t>(b, out);
    else
        launch_place<int32_t>(b, out);
    return rc_cuda_launched("building the slices of a matrix", err);
}
