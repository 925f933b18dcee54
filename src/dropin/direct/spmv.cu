/* y = alpha A x + beta y on the program's own CSR: lanes that take a row, rows that share a tile,
 * and equal parts. */
#include "dropin/direct/direct.h"
#include "dropin/launch.cuh"
#include "dropin/scalars.cuh"
#include "dropin/stream.h"
#include "device/cuda/load.cuh"
#include "device/cuda/overlap.cuh"
#include "device/cuda/segments.cuh"
#include "device/cuda/types.cuh"

namespace
{

enum {
    THREADS = 256,
    WARP = 32,
    BATCH = 4,              /* loads of a lane that are under way together */
    EACH = 7,               /* row ends and entries of a thread; odd, because of banks */
    MORE = 8,               /* entries of a thread, where rows of EACH in the mean share a tile */
    ITEMS = THREADS * EACH, /* of a tile of equal parts */
    PLACES = ITEMS + ITEMS / WARP,
    TILE = THREADS * MORE, /* entries of a tile of rows */
    TILE_PLACES = TILE + TILE / WARP
};

/* Products of up to N * THREADS entries to shared memory; between() while they are under way. */
template <int N, typename T, typename P, typename I, typename F>
__device__ __forceinline__ void load_products(const rc::csr_args<T, P, I> &a, int64_t from,
    int32_t entries, rc::sum_of<T> *product, const F &between)
{
    typedef rc::sum_of<T> S;
    I col[N];
    T val[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        const int32_t i = threadIdx.x + u * THREADS;
        col[u] = i < entries ? rc::load_once(a.col_idx + from + i) - I(a.base) : I(-1);
        val[u] = i < entries ? rc::load_once(a.val + from + i) : T(0);
    }
    between();
#pragma unroll
    for (int u = 0; u < N; u++)
        if (col[u] >= 0)
            product[rc::place_of(threadIdx.x + u * THREADS)] =
                rc::as_read(static_cast<S>(val[u]), a.conjugated) *
                static_cast<S>(__ldg(a.b + col[u]));
}

/* -------------------------------------------------------------- lanes a row */

/* The entries at, at + step, ... before `end`.  Unsigned: `at` may go beyond the largest index. */
template <typename T, typename P, typename I>
__device__ __forceinline__ rc::sum_of<T> sum_of_row(
    const rc::csr_args<T, P, I> &a, uint32_t at, uint32_t end, uint32_t step)
{
    typedef rc::sum_of<T> S;
    S sum = S(0);
    for (; at < end; at += BATCH * step) {
        I col[BATCH];
        T val[BATCH];
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            const bool is = at + u * step < end;
            col[u] = is ? rc::load_once(a.col_idx + at + u * step) - I(a.base) : I(-1);
            val[u] = is ? rc::load_once(a.val + at + u * step) : T(0);
        }
#pragma unroll
        for (int u = 0; u < BATCH; u++)
            if (col[u] >= 0)
                sum = fma(rc::as_read(static_cast<S>(val[u]), a.conjugated),
                    static_cast<S>(__ldg(a.b + col[u])), sum);
    }
    return sum;
}

/* 1 << shift lanes take a row. */
template <typename T, typename P, typename I>
__global__ void __launch_bounds__(THREADS) rows_kernel(const rc::csr_args<T, P, I> a, int shift)
{
    typedef rc::sum_of<T> S;
    const int lanes = 1 << shift;
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int64_t row = (blockIdx.x * int64_t{THREADS} + threadIdx.x) >> shift;
    S sum = S(0);
    if (row < a.rows) {
        const int32_t r = static_cast<int32_t>(row);
        sum = sum_of_row(a, static_cast<uint32_t>(a.begin_of(r)) + static_cast<uint32_t>(lane),
            static_cast<uint32_t>(a.begin_of(r + 1)), static_cast<uint32_t>(lanes));
    }
    __syncwarp();
    for (int step = lanes / 2; step >= 1; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0 && row < a.rows)
        a.put(row, sum);
}

/* The fewest lanes of which each has at most so many entries of a mean row. */
int shift_of(const rc_asked_t *p, int64_t each)
{
    int shift = 0;
    while (shift < 5 && p->a.rows * (each << shift) < p->a.nnz)
        shift++;
    return shift;
}

/* The longest row is one load after the other, and no other row waits for it. */
template <int EACH_LANE> int rows_suit(const rc_asked_t *p)
{
    const double a_step = 700; /* ns */
    const double least = 4000;
    const double steps = static_cast<double>(p->longest) / (BATCH << shift_of(p, EACH_LANE));
    return steps * a_step <= (p->library_ns > 2 * least ? p->library_ns / 2 : least);
}

template <int EACH_LANE> int launch_rows(const rc_asked_t *p, void *, int)
{
    const int shift = shift_of(p, EACH_LANE);
    const int64_t blocks = rc::pieces_of(p->a.rows, THREADS >> shift);
    rc::with_widths(p->a.row_ptr_bytes, p->a.col_idx_bytes, [&](auto ptr, auto idx) {
        rc::pick<rc::any>(p->a.precision, [&](auto t) {
            rows_kernel<<<static_cast<unsigned>(blocks), THREADS, 0,
                static_cast<cudaStream_t>(p->stream)>>>(
                rc::csr_args<RC_VALUE(t), decltype(ptr), decltype(idx)>(p), shift);
        });
    });
    return failed(cudaGetLastError()) ? -1 : 0;
}

/* -------------------------------------------------------------- rows that share a tile */

/* A CTA takes THREADS >> shift rows. Their entries are neighbours: all threads load them, and
 * 1 << shift lanes add up the products of a row. */
template <typename T, typename P, typename I>
__global__ void __launch_bounds__(THREADS) tiles_kernel(const rc::csr_args<T, P, I> a, int shift)
{
    typedef rc::sum_of<T> S;
    __shared__ S product[TILE_PLACES];
    const int lanes = 1 << shift;
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int64_t first = blockIdx.x * int64_t{THREADS >> shift};
    const int64_t next = first + (THREADS >> shift);
    const int64_t row = first + (threadIdx.x >> shift);
    const int64_t end = a.begin_of(next < a.rows ? next : a.rows);
    int64_t from = row < a.rows ? a.begin_of(row) : end;
    const int64_t to = row < a.rows ? a.begin_of(row + 1) : end;
    S sum = S(0);
    from += lane;
    for (int64_t at = a.begin_of(first); at < end; at += TILE) {
        const int32_t entries = static_cast<int32_t>(end - at < TILE ? end - at : TILE);
        load_products<MORE>(a, at, entries, product, [] {});
        __syncthreads();
        for (; from < to && from < at + entries; from += lanes)
            sum += product[rc::place_of(static_cast<int32_t>(from - at))];
        __syncthreads();
    }
    __syncwarp();
    for (int step = lanes / 2; step >= 1; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0 && row < a.rows)
        a.put(row, sum);
}

/* What a CTA has is one tile after the other, and all of its rows may be long. */
int tiles_suit(const rc_asked_t *p)
{
    const double a_tile = 2000; /* ns */
    const double rows = THREADS >> shift_of(p, EACH);
    const double all = static_cast<double>(p->a.nnz);
    const double most = rows * static_cast<double>(p->longest);
    return (most < all ? most : all) / TILE * a_tile <= p->library_ns / 2;
}

int launch_tiles(const rc_asked_t *p, void *, int)
{
    const int shift = shift_of(p, EACH);
    const int64_t blocks = rc::pieces_of(p->a.rows, THREADS >> shift);
    rc::with_widths(p->a.row_ptr_bytes, p->a.col_idx_bytes, [&](auto ptr, auto idx) {
        rc::pick<rc::any>(p->a.precision, [&](auto t) {
            tiles_kernel<<<static_cast<unsigned>(blocks), THREADS, 0,
                static_cast<cudaStream_t>(p->stream)>>>(
                rc::csr_args<RC_VALUE(t), decltype(ptr), decltype(idx)>(p), shift);
        });
    });
    return failed(cudaGetLastError()) ? -1 : 0;
}

/* -------------------------------------------------------------- equal parts */

/* Row ends and entries are merged: a row end goes before the entry of its number, so the end of
 * row r is item begin_of(r + 1) + r.  A tile is ITEMS of them.  A row that goes on in other tiles
 * is added up by a second launch. */
template <typename S> struct open_rows {
    S *in;        /* [tiles] of the row that is open where a tile begins */
    S *out;       /* [tiles] of the row that begins in it and goes on */
    int32_t *row; /* [tiles] that row; -1: none */
    int64_t tiles;
};

int64_t tiles_of(const rc_asked_t *p)
{
    return rc::pieces_of(p->a.rows + p->a.nnz, ITEMS);
}

template <typename S> open_rows<S> open_of(const rc_asked_t *p, void *scratch)
{
    const int64_t tiles = tiles_of(p);
    S *sums = static_cast<S *>(scratch);
    return {sums, sums + tiles, reinterpret_cast<int32_t *>(sums + 2 * tiles), tiles};
}

int64_t merge_scratch(const rc_asked_t *p)
{
    return rc::pick<rc::any>(p->a.precision, [&](auto t) {
        return tiles_of(p) * static_cast<int64_t>(2 * sizeof(RC_SUM(t)) + sizeof(int32_t));
    });
}

/* How many row ends come before an item, by all lanes of a warp: each round leaves a 32nd. */
template <typename T, typename P, typename I>
__device__ __forceinline__ int32_t ends_before(const rc::csr_args<T, P, I> &a, int64_t item)
{
    const int lane = threadIdx.x % WARP;
    int64_t low = item > a.nnz ? item - a.nnz : 0;
    int64_t high = item < a.rows ? item : a.rows;
    while (low < high) {
        const int64_t step = (high - low + WARP - 1) / WARP;
        const int64_t r = low + lane * step;
        const bool before = r < high && a.begin_of(static_cast<int32_t>(r + 1)) + r < item;
        const int count = __popc(__ballot_sync(0xffffffffu, before));
        const int64_t next = low + count * step;
        high = next < high ? next : high;
        low = count > 0 ? low + (count - 1) * step + 1 : high;
    }
    return static_cast<int32_t>(low);
}

/* A tile of rows and entries: where it begins and ends. */
struct tile {
    int32_t row;
    int32_t entry;
    int32_t next_row;
    int32_t next_entry;
};

template <typename T, typename P, typename I>
__device__ __forceinline__ tile tile_of(const rc::csr_args<T, P, I> &a)
{
    __shared__ int32_t cut[2];
    const int64_t items = static_cast<int64_t>(a.rows) + a.nnz;
    const int64_t from = blockIdx.x * int64_t{ITEMS};
    const int64_t to = from + ITEMS < items ? from + ITEMS : items;
    const int warp = threadIdx.x / WARP;
    if (warp < 2) {
        const int32_t row = ends_before(a, warp == 0 ? from : to);
        if (threadIdx.x % WARP == 0)
            cut[warp] = row;
    }
    __syncthreads();
    return {cut[0], static_cast<int32_t>(from - cut[0]), cut[1], static_cast<int32_t>(to - cut[1])};
}

/* Products of the entries of a tile, and where its rows end, to shared memory. */
template <typename T, typename P, typename I>
__device__ __forceinline__ void load_tile(
    const rc::csr_args<T, P, I> &a, const tile &t, rc::sum_of<T> *product, int32_t *end)
{
    load_products<EACH>(a, t.entry, t.next_entry - t.entry, product, [&] {
        for (int32_t i = threadIdx.x; i < t.next_row - t.row; i += THREADS)
            end[i] = a.begin_of(t.row + i + 1) - t.entry;
    });
}

template <typename T, typename P, typename I>
__global__ void __launch_bounds__(THREADS)
    merge_kernel(const rc::csr_args<T, P, I> a, const open_rows<rc::sum_of<T>> o)
{
    typedef rc::sum_of<T> S;
    __shared__ S product[PLACES]; /* of the entries; behind them the sums of the rows */
    __shared__ int32_t end[ITEMS];
    __shared__ rc::carries<S, THREADS / WARP> shared;
    rc::launch_next();
    const tile t = tile_of(a);
    const int32_t rows = t.next_row - t.row;
    const int32_t entries = t.next_entry - t.entry;
    const bool comes = t.row < a.rows && a.begin_of(t.row) < t.entry;
    const bool goes = t.next_row < a.rows && a.begin_of(t.next_row) < t.next_entry;
    load_tile(a, t, product, end);
    __syncthreads();
    const S left = rc::sum_rows<THREADS>(product, end, rows, entries, S(0), &shared);
    __syncthreads();
    for (int32_t i = threadIdx.x; i < rows; i += THREADS) {
        const S sum = product[rc::place_of(entries + i)];
        if (i == 0 && comes)
            o.in[blockIdx.x] = sum;
        else
            a.put(t.row + i, sum);
    }
    if (threadIdx.x == 0) {
        const bool through = comes && rows == 0;
        if (through)
            o.in[blockIdx.x] = left;
        else if (goes)
            o.out[blockIdx.x] = left;
        o.row[blockIdx.x] = goes && !through ? t.next_row : -1;
    }
}

/* A warp adds up the row that begins in a tile and goes on. */
template <typename T, typename P, typename I>
__global__ void __launch_bounds__(THREADS)
    open_kernel(const rc::csr_args<T, P, I> a, const open_rows<rc::sum_of<T>> o)
{
    typedef rc::sum_of<T> S;
    const int lane = threadIdx.x % WARP;
    const int64_t first = blockIdx.x * int64_t{THREADS / WARP} + threadIdx.x / WARP;
    rc::wait_for_previous();
    const int32_t row = first < o.tiles ? o.row[first] : -1;
    if (row < 0)
        return;
    const int64_t end = (a.begin_of(row + 1) + static_cast<int64_t>(row)) / ITEMS;
    const int64_t last = end < o.tiles ? end : o.tiles - 1;
    S sum = lane == 0 ? o.out[first] : S(0);
#pragma unroll 4
    for (int64_t i = first + 1 + lane; i <= last; i += WARP)
        sum += o.in[i];
    __syncwarp();
    sum = rc::sum_lanes<WARP>(sum);
    if (lane == 0)
        a.put(row, sum);
}

int launch_merge(const rc_asked_t *p, void *scratch, int overlaps)
{
    cudaStream_t stream = static_cast<cudaStream_t>(p->stream);
    const int64_t tiles = tiles_of(p);
    const int blocks = static_cast<int>(rc::pieces_of(tiles, THREADS / WARP));
    int st = -1;
    rc::with_widths(p->a.row_ptr_bytes, p->a.col_idx_bytes, [&](auto ptr, auto idx) {
        rc::pick<rc::any>(p->a.precision, [&](auto t) {
            typedef RC_VALUE(t) T;
            const auto a = rc::csr_args<T, decltype(ptr), decltype(idx)>(p);
            const auto o = open_of<rc::sum_of<T>>(p, scratch);
            const auto open = [&](int over) {
                rc::launch_over(open_kernel<T, decltype(ptr), decltype(idx)>, blocks, THREADS, over,
                    stream, a, o);
                return failed(cudaGetLastError()) ? 1 : 0;
            };
            merge_kernel<<<static_cast<unsigned>(tiles), THREADS, 0, stream>>>(a, o);
            if (!failed(cudaGetLastError()))
                st = open(overlaps) == 0 ? 0 : open(0); /* rows are stored by now */
        });
    });
    return st;
}

} // namespace

extern "C" rc_direct_list_t rc_direct_spmv(const rc_asked_t *p)
{
    static const rc_direct_t tiles = {"tiles", tiles_suit, nullptr, launch_tiles};
    static const rc_direct_t rows = {"rows:each=2", rows_suit<2>, nullptr, launch_rows<2>};
    static const rc_direct_t long_rows = {"rows:each=8", rows_suit<8>, nullptr, launch_rows<8>};
    static const rc_direct_t merge = {"merge", nullptr, merge_scratch, launch_merge};
    static const rc_direct_t few[] = {rows, long_rows, tiles, merge};
    static const rc_direct_t many[] = {tiles, rows, long_rows, merge};
    const int64_t loads = 1 << 20; /* beyond what a GPU has under way at once */
    return {p->a.nnz < loads ? few : many, static_cast<int>(sizeof few / sizeof *few)};
}
