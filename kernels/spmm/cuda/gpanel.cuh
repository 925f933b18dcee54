/* Device functions of gpanel.  A CTA takes a run of neighbouring pieces, so that what they share
 * of B comes from L1.  Its groups of lanes take them in turn; the lanes of a group hold
 * neighbouring columns of C.  The batch of A after the one that is multiplied is on its way,
 * also across pieces. Sums are added in a fixed order: two runs give the same bits. */
#ifndef RC_KERNELS_SPMM_CUDA_GPANEL_CUH
#define RC_KERNELS_SPMM_CUDA_GPANEL_CUH

#include "kernels/spmm/cuda/gpanel.h"
#include "device/cuda/load.cuh"
#include "device/cuda/overlap.cuh"
#include "device/cuda/types.cuh"
#include "format/cuda/parts.cuh"

namespace rc
{
namespace panel
{

enum { BATCH = RC_PANELS_BATCH };

/* What is the same for all groups of a launch. */
template <typename T_, typename C_, int ROWS_, int LANES_, int WIDTH_, int VECTORS_> struct shape {
    typedef T_ T;
    typedef C_ C;
    typedef sum_of<T> sum_t;
    enum {
        ROWS = ROWS_,
        LANES = LANES_,
        WIDTH = WIDTH_,
        VECTORS = VECTORS_,
        FAR = LANES * WIDTH,   /* from one vector of a lane to the next */
        STRIP = FAR * VECTORS, /* columns of a tile */
        ROOM = RC_GPANEL_ROOM(sizeof(T), sizeof(sum_t), ROWS)
    };
    typedef sums<sum_t, WIDTH, VECTORS> sums_t;
};

template <typename S> struct batch {
    run<typename S::C, BATCH> col;
    run<typename S::T, BATCH> val[S::ROWS];

    __device__ __forceinline__ void load(const rc_gpanel_args_t &a, uint32_t number)
    {
        typedef typename S::T T;
        typedef typename S::C C;
        const T *v =
            static_cast<const T *>(a.val) + static_cast<uint64_t>(number) * (S::ROWS * BATCH);
        col = load_run<C, BATCH>(
            static_cast<const C *>(a.col) + static_cast<uint64_t>(number) * BATCH);
#pragma unroll
        for (int r = 0; r < S::ROWS; r++)
            val[r] = load_run<T, BATCH>(v + r * BATCH);
    }
};

/* Piece i, or one that has no columns: its batch may be loaded, and is not used. */
__device__ __forceinline__ rc_panels_piece_t load_piece(
    const rc_gpanel_args_t &a, int32_t i, int32_t end)
{
    rc_panels_piece_t p = {0, 0, -1, -1};
    if (i < end) {
        int4 x = __ldg(reinterpret_cast<const int4 *>(a.piece + i));
        p.first = static_cast<uint32_t>(x.x);
        p.count = x.y;
        p.row = x.z;
        p.second = x.w;
    }
    return p;
}

/* Multiply the first `left` columns of a batch, all of them when FULL; load the next one of A
 * when B is on its way. */
template <bool FULL, typename S>
__device__ __forceinline__ void multiply(const rc_gpanel_args_t &a, const typename S::T *b,
    int left, uint32_t next, batch<S> *now, typename S::sums_t *sum)
{
    typedef typename S::T T;
    typedef typename S::sum_t sum_t;
    packed<T, S::WIDTH> m[BATCH][S::VECTORS];
    const batch<S> held = *now;
#pragma unroll
    for (int u = 0; u < BATCH; u++) {
        if (!FULL && u >= left)
            continue;
        const T *from = b + static_cast<uint64_t>(static_cast<uint32_t>(held.col.value[u])) * a.ldb;
#pragma unroll
        for (int i = 0; i < S::VECTORS; i++)
            m[u][i].vector = load_vector<T, S::WIDTH>(from + i * S::FAR);
    }
    now->load(a, next);
#pragma unroll
    for (int u = 0; u < BATCH; u++) {
        if (!FULL && u >= left)
            continue;
#pragma unroll
        for (int r = 0; r < S::ROWS; r++)
#pragma unroll
            for (int i = 0; i < S::VECTORS; i++)
#pragma unroll
                for (int w = 0; w < S::WIDTH; w++)
                    sum[r].part[i].value[w] = fma(static_cast<sum_t>(held.val[r].value[u]),
                        static_cast<sum_t>(m[u][i].value[w]), sum[r].part[i].value[w]);
    }
}

template <typename S>
__device__ __forceinline__ void store_row(
    const rc_gpanel_args_t &a, int32_t row, const place &at, const typename S::sums_t &sum)
{
    store_sums(static_cast<typename S::T *>(a.c) + line_at(row, a.ldc), at, sum, a.scalars);
}

/* The columns of a group in a tile.  The last tile is moved back to be full, and stores only
 * what is its own; where K has not even one, lanes beyond it load the first column. */
template <typename S> __device__ __forceinline__ place place_in(int32_t k, int32_t tile)
{
    place at;
    const int32_t begin = tile * S::STRIP;
    at.lane = threadIdx.x % S::LANES;
    at.lanes = S::LANES;
    at.far = S::FAR;
    at.j = (begin + S::STRIP <= k || k < S::STRIP ? begin : k - S::STRIP) + at.lane * S::WIDTH;
    at.begin = begin;
    at.end = k;
    return at;
}

/* Sums of the groups of a CTA, and which long rows are complete: memory of a launch with parts. */
template <typename S> struct shared {
    typename S::sums_t *sum; /* [threads] */
    int32_t *number;         /* [threads] */

    __device__ __forceinline__ shared()
    {
        extern __shared__ uint4 memory[];
        sum = reinterpret_cast<typename S::sums_t *>(memory);
        number = reinterpret_cast<int32_t *>(sum + blockDim.x);
    }
};

/* Add the parts of a long row: each group some of them, and then the first one the sums of the
 * groups.  By the whole CTA. */
template <typename S>
__device__ __forceinline__ void add_parts(
    const rc_gpanel_args_t &a, int32_t number, int32_t tile, const place &at, const shared<S> &mine)
{
    enum { AHEAD = 2 }; /* parts on their way */
    const int32_t groups = blockDim.x / S::LANES;
    const int32_t group = threadIdx.x / S::LANES;
    const rc_long_row_t l = a.parts.lengthy[number];
    typename S::sums_t sum;
    sum.clear();
#pragma unroll 1
    for (int32_t n = group; n < l.parts; n += AHEAD * groups) {
        const int32_t other = n + groups < l.parts ? n + groups : n;
        const typename S::sums_t x =
            load_part<typename S::sum_t, S::WIDTH, S::VECTORS>(a.parts, a.k, l.first + n, at);
        const typename S::sums_t y =
            load_part<typename S::sum_t, S::WIDTH, S::VECTORS>(a.parts, a.k, l.first + other, at);
        sum.add(x);
        if (other != n)
            sum.add(y);
    }
    mine.sum[threadIdx.x] = sum;
    __syncthreads();
    if (group == 0) {
#pragma unroll 1
        for (int32_t g = 1; g < groups; g++)
            sum.add(mine.sum[threadIdx.x + g * S::LANES]);
        store_row<S>(a, l.row, at, sum);
        depart(a.parts, a.k, number, tile, at);
    }
    __syncthreads();
}

/* The pieces of a CTA. */
__device__ __forceinline__ int2 pieces_of(const rc_gpanel_args_t &a)
{
    const int32_t from = blockIdx.x * a.step;
    const int32_t to = from + a.step < a.places ? from + a.step : a.places;
    return make_int2(__ldg(a.place + from), __ldg(a.place + to));
}

__device__ __forceinline__ int32_t tile_of(const rc_gpanel_args_t &a)
{
    return a.tile + blockIdx.y;
}

/* After the CTA has put its parts where the others are: add those of the long rows of which they
 * were the last.  The first pieces are the parts, in their order.  Not inlined: what it keeps
 * would take registers from the others. */
template <typename S> __device__ __noinline__ void finish_parts(const rc_gpanel_args_t &a)
{
    const int2 pieces = pieces_of(a);
    const int32_t end = pieces.y < a.split ? pieces.y : a.split;
    const int32_t tile = tile_of(a);
    const shared<S> mine;
    const place at = place_in<S>(a.k, tile);
#pragma unroll 1
    for (int32_t begin = pieces.x; begin < end; begin += blockDim.x) {
        const int32_t part = begin + static_cast<int32_t>(threadIdx.x);
        __threadfence();
        __syncthreads();
        mine.number[threadIdx.x] = part < end ? arrive(a.parts, a.k, part, tile) : -1;
        __threadfence();
        __syncthreads();
#pragma unroll 1
        for (int32_t n = 0; n < end - begin && n < static_cast<int32_t>(blockDim.x); n++)
            if (mine.number[n] >= 0)
                add_parts<S>(a, mine.number[n], tile, at, mine);
    }
}

/* All pieces of a group. */
template <typename S> __device__ __forceinline__ void walk(const rc_gpanel_args_t &a)
{
    typedef typename S::T T;
    const int32_t groups = blockDim.x / S::LANES;
    const int2 pieces = pieces_of(a);
    const int32_t end = pieces.y;
    int32_t i = pieces.x + threadIdx.x / S::LANES;
    const place at = place_in<S>(a.k, tile_of(a));
    const T *b = static_cast<const T *>(a.b) + (at.j < a.k ? at.j : 0);
    rc_panels_piece_t now = load_piece(a, i, end);
    batch<S> held;
    if (i < end)
        held.load(a, now.first);
    wait_for_previous();
#pragma unroll 1
    for (; i < end; i += groups) {
        typename S::sums_t sum[S::ROWS];
        const rc_panels_piece_t next = load_piece(a, i + groups, end);
        uint32_t number = now.first;
        int left = now.count;
#pragma unroll
        for (int r = 0; r < S::ROWS; r++)
            sum[r].clear();
#pragma unroll 1
        for (; left > BATCH; left -= BATCH)
            multiply<true, S>(a, b, BATCH, ++number, &held, sum);
        if (left == BATCH)
            multiply<true, S>(a, b, BATCH, next.first, &held, sum);
        else
            multiply<false, S>(a, b, left, next.first, &held, sum);
        if (now.row >= 0)
            store_row<S>(a, now.row, at, sum[0]);
        else if (now.row < -1)
            put_part(a.parts, a.k, -2 - now.row, at, sum[0]);
        if (S::ROWS > 1 && now.second >= 0)
            store_row<S>(a, now.second, at, sum[S::ROWS - 1]);
        now = next;
    }
}

template <typename S>
__global__ void __launch_bounds__(S::ROOM, 1) panels(const __grid_constant__ rc_gpanel_args_t a)
{
    launch_next();
    walk<S>(a);
    if (a.split > 0)
        finish_parts<S>(a);
}

/* ------------------------------------------------------------------ choice */

template <typename S> const void *entry_of()
{
    return reinterpret_cast<const void *>(panels<S>);
}

template <typename T, typename C, int ROWS, int LANES, int WIDTH>
const void *entry_of(const rc_gpanel_instance_t *of)
{
    constexpr int BYTES = WIDTH * static_cast<int>(sizeof(T));
    constexpr int MOST = 32 / (BYTES < RC_GPANEL_LOAD_MIN ? RC_GPANEL_LOAD_MIN : BYTES);
    if (of->vectors == MOST)
        return entry_of<shape<T, C, ROWS, LANES, WIDTH, MOST>>();
    if (of->vectors == MOST / 2)
        return entry_of<shape<T, C, ROWS, LANES, WIDTH, MOST / 2>>();
    return of->vectors == 1 ? entry_of<shape<T, C, ROWS, LANES, WIDTH, 1>>() : nullptr;
}

template <typename T, typename C, int ROWS, int LANES>
const void *entry_of(const rc_gpanel_instance_t *of)
{
    return pick_width<T>(
        of->width, [&](auto w) { return entry_of<T, C, ROWS, LANES, RC_WIDTH(w)>(of); });
}

template <typename T, typename C> const void *entry_of(const rc_gpanel_instance_t *of)
{
    if (of->rows == 1)
        return of->lanes == 16   ? entry_of<T, C, 1, 16>(of)
               : of->lanes == 32 ? entry_of<T, C, 1, 32>(of)
                                 : nullptr;
    return of->lanes == 16   ? entry_of<T, C, 2, 16>(of)
           : of->lanes == 32 ? entry_of<T, C, 2, 32>(of)
                             : nullptr;
}

template <typename T> const void *entry_of(const rc_gpanel_instance_t *of)
{
    return of->col_bytes == 2 ? entry_of<T, uint16_t>(of) : entry_of<T, uint32_t>(of);
}

} // namespace panel
} // namespace rc

#endif
