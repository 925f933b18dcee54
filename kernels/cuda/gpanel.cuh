/* Device functions of gpanel.  A CTA takes a run of neighbouring pieces, so that what they share of B
 * comes from L1.  Its groups of lanes take them in turn; the lanes of a group hold neighbouring
 * columns of C.  The batch of A after the one that is multiplied is on its way, also across pieces.
 * Sums are added in a fixed order: two runs give the same bits. */
#ifndef RC_KERNELS_CUDA_GPANEL_CUH
#define RC_KERNELS_CUDA_GPANEL_CUH

#include "kernels/cuda/gpanel.h"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/overlap.cuh"
#include "kernels/cuda/parts.cuh"

namespace rc
{
namespace panel
{

enum { BATCH = RC_PANELS_BATCH };

/* What is the same for all groups of a launch. */
template <typename T_, typename C_, int ROWS_, int LANES_, int WIDTH_, int VECTORS_> struct shape {
    typedef T_ T;
    typedef C_ C;
    enum {
        ROWS = ROWS_,
        LANES = LANES_,
        WIDTH = WIDTH_,
        VECTORS = VECTORS_,
        FAR = LANES * WIDTH,   /* from one vector of a lane to the next */
        STRIP = FAR * VECTORS, /* columns of a tile */
        ROOM = sizeof(T) == 4 ? (ROWS == 1 ? RC_GPANEL_ROOM_F32 : RC_GPANEL_ROOM_F32_PAIRS)
                              : (ROWS == 1 ? RC_GPANEL_ROOM_F64 : RC_GPANEL_ROOM_F64_PAIRS)
    };
    typedef sums<T, WIDTH, VECTORS> sums_t;
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

/* Multiply the first `left` columns of a batch, all of them when FULL; load the next one of A when B
 * is on its way. */
template <bool FULL, typename S>
__device__ __forceinline__ void multiply(const rc_gpanel_args_t &a, const typename S::T *b,
    int left, uint32_t next, batch<S> *now, typename S::sums_t *sum)
{
    typedef typename S::T T;
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
                    sum[r].part[i].value[w] =
                        fma(held.val[r].value[u], m[u][i].value[w], sum[r].part[i].value[w]);
    }
}

template <typename S>
__device__ __forceinline__ void store_row(
    const rc_gpanel_args_t &a, int32_t row, const place &at, const typename S::sums_t &sum)
{
    store_sums(static_cast<typename S::T *>(a.c) + line_at(row, a.ldc), at, sum, a.scalars);
}

/* Of each part that the group has put where the others are: when it is the last one of its row, add
 * all of them. */
template <typename S>
__device__ __forceinline__ void finish_parts(
    const rc_gpanel_args_t &a, int32_t i, int32_t end, int32_t tile, const place &at)
{
    enum { AHEAD = 4 }; /* parts on their way */
    for (; i < end; i += blockDim.x / S::LANES) {
        const rc_panels_piece_t piece = load_piece(a, i, end);
        const int32_t number = piece.row < -1 ? arrive(a.parts, a.k, -2 - piece.row, tile, at) : -1;
        if (number < 0)
            continue;
        const rc_long_row_t l = a.parts.lengthy[number];
        typename S::sums_t sum;
        __threadfence();
        sum.clear();
        for (int32_t n = 0; n < l.parts; n += AHEAD) {
            typename S::sums_t x[AHEAD];
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                x[u] = load_part<typename S::T, S::WIDTH, S::VECTORS>(
                    a.parts, a.k, l.first + (n + u < l.parts ? n + u : n), at);
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                if (n + u < l.parts)
                    sum.add(x[u]);
        }
        store_row<S>(a, l.row, at, sum);
        depart(a.parts, a.k, number, tile, at);
    }
}

/* The columns of a group in a tile.  The last tile is moved back to be full, and stores only what is
 * its own; where K has not even one, lanes beyond it load the first column. */
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

/* All pieces of a group, in one tile. */
template <typename S>
__device__ __forceinline__ void walk(
    const rc_gpanel_args_t &a, int32_t begin, int32_t end, int32_t tile)
{
    typedef typename S::T T;
    const int32_t groups = blockDim.x / S::LANES;
    int32_t i = begin + threadIdx.x / S::LANES;
    const place at = place_in<S>(a.k, tile);
    const T *b = static_cast<const T *>(a.b) + (at.j < a.k ? at.j : 0);
    rc_panels_piece_t now = load_piece(a, i, end);
    batch<S> held;
    if (i < end)
        held.load(a, now.first);
    wait_for_previous();
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
    if (a.longs)
        finish_parts<S>(a, begin + threadIdx.x / S::LANES, end, tile, at);
}

template <typename S> __global__ void __launch_bounds__(S::ROOM, 1) panels(const rc_gpanel_args_t a)
{
    const int32_t from = blockIdx.x * a.step;
    const int32_t to = from + a.step < a.places ? from + a.step : a.places;
    launch_next();
    const int32_t begin = __ldg(a.place + from);
    const int32_t end = __ldg(a.place + to);
    for (int32_t tile = blockIdx.y; tile < a.tiles; tile += gridDim.y)
        walk<S>(a, begin, end, tile);
}

/* ------------------------------------------------------------------ choice */

template <typename S> const void *entry_of()
{
    return reinterpret_cast<const void *>(panels<S>);
}

template <typename T, typename C, int ROWS, int LANES, int WIDTH>
const void *entry_of(const rc_gpanel_instance_t *of)
{
    constexpr int MOST = 32 / (WIDTH * static_cast<int>(sizeof(T))); /* vectors */
    if (of->vectors == MOST)
        return entry_of<shape<T, C, ROWS, LANES, WIDTH, MOST>>();
    if (of->vectors == MOST / 2)
        return entry_of<shape<T, C, ROWS, LANES, WIDTH, MOST / 2>>();
    return of->vectors == 1 ? entry_of<shape<T, C, ROWS, LANES, WIDTH, 1>>() : nullptr;
}

template <typename T, typename C, int ROWS, int LANES>
const void *entry_of(const rc_gpanel_instance_t *of)
{
    if (of->width == 1)
        return entry_of<T, C, ROWS, LANES, 1>(of);
    if (of->width == 2)
        return entry_of<T, C, ROWS, LANES, 2>(of);
    if constexpr (sizeof(T) == 4)
        return of->width == 4 ? entry_of<T, C, ROWS, LANES, 4>(of) : nullptr;
    return nullptr;
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
