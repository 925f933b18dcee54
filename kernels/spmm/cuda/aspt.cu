/* Device functions of aspt.  A CTA has a slice of columns and a panel, or a share of its rows
 * where there are few panels: it loads the rows of B of a tile into shared memory, multiplies
 * the entries of the tile, then those of the next tile. With the last one it takes the entries
 * of the sparse part of its rows too, unless all of that is in C already, so that most rows of C
 * are stored once.  The lanes of a slice hold neighbouring columns and take a group of rows: a
 * value of B from shared memory, which is what they wait for, serves all rows of the group. */
#include "device/cuda/types.cuh"
#include "kernels/spmm/cuda/aspt_tile.cuh"
#include "device/cuda/ranges.h"
#include "device/cuda/store.cuh"

namespace
{

using rc::pointer_at;

/* The values of a column of a group. */
template <typename T, int ROWS>
__device__ __forceinline__ void load_values(const T *from, T (&v)[ROWS])
{
    constexpr int WIDTH = ROWS * sizeof(T) <= 16 ? ROWS : static_cast<int>(16 / sizeof(T));
#pragma unroll
    for (int i = 0; i < ROWS; i += WIDTH) {
        rc::packed<T, WIDTH> x;
        x.vector = rc::load_vector<T, WIDTH>(from + i);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            v[i + w] = x.value[w];
    }
}

/* Add what the columns of a group in a tile give. */
template <typename T, int STEPS, int ROWS>
__device__ __forceinline__ void add_tile(const rc_aspt_parts_t &a, int64_t begin, int64_t end,
    const T *mine, int lanes, T (&sum)[ROWS][STEPS])
{
    constexpr int UNROLL = ROWS * STEPS > 8 ? 2 : 4; /* as registers allow */
    const int slice = lanes * STEPS;
#pragma unroll UNROLL
    for (int64_t e = begin; e < end; e++) {
        const T *b = mine + __ldg(a.col + e) * slice;
        T v[ROWS];
        load_values<T, ROWS>(static_cast<const T *>(a.val) + e * ROWS, v);
#pragma unroll
        for (int u = 0; u < STEPS; u++) {
            const T of_b = b[u * lanes];
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                sum[r][u] = fma(v[r], of_b, sum[r][u]);
        }
    }
}

/* Add what the entries of a row of the sparse part give, UNROLL of them at a time; b: where the
 * columns of the lane begin. */
template <typename T, int STEPS, int UNROLL>
__device__ __forceinline__ void add_rest(const rc_aspt_args_t &x, int64_t begin, int64_t end,
    const T *b, int32_t left, int lanes, T (&sum)[STEPS])
{
    for (int64_t e = begin; e < end; e += UNROLL) {
        T v[UNROLL];
        T m[UNROLL][STEPS];
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            const bool has = e + i < end;
            const T *from = b + rc::line_at(has ? __ldg(x.a.rest_col + e + i) : 0, x.ldb);
            v[i] = has ? __ldg(static_cast<const T *>(x.a.rest_val) + e + i) : T(0);
#pragma unroll
            for (int u = 0; u < STEPS; u++)
                m[i][u] = has && u * lanes < left ? __ldg(from + u * lanes) : T(0);
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
#pragma unroll
            for (int u = 0; u < STEPS; u++)
                sum[u] = fma(v[i], m[i][u], sum[u]);
    }
}

/* Where a CTA is. */
struct step {
    rc_tile_panel_t panel;
    int32_t slots; /* of the panel */
    int32_t tile;
    int32_t tiles;
    int64_t j0; /* first column of the slice */
};

/* A group of rows in a tile. */
template <int ROWS> struct group {
    int64_t begin; /* columns */
    int64_t end;
    bool started;        /* it had columns in earlier tiles */
    int32_t row[ROWS];   /* of C; -1: none */
    int64_t rest;        /* where its rows begin in the sparse part */
    int32_t count[ROWS]; /* entries of them there */

    __device__ __forceinline__ group(const rc_aspt_parts_t &a, const step &at, int32_t number)
    {
        const int64_t place = at.panel.ptr + static_cast<int64_t>(number) * at.tiles + at.tile;
        const int32_t first = at.panel.slot + number * ROWS;
        const int32_t last = at.panel.slot + at.slots;
        begin = pointer_at(a.ptr, a.ptr_bytes, place);
        end = pointer_at(a.ptr, a.ptr_bytes, place + 1);
        started = at.tile > 0 && pointer_at(a.ptr, a.ptr_bytes, place - at.tile) < begin;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            row[r] = first + r >= last ? -1 : a.row ? __ldg(a.row + first + r) : first + r;
        rest = a.apart ? 0 : pointer_at(a.rest_ptr, a.ptr_bytes, first);
        int64_t before = rest;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int64_t next = a.apart ? 0
                                         : pointer_at(a.rest_ptr, a.ptr_bytes,
                                               first + r < last ? first + r + 1 : last);
            count[r] = static_cast<int32_t>(next - before);
            before = next;
        }
    }

    __device__ __forceinline__ bool in_pieces(int r) const
    {
        return count[r] > RC_ASPT_PIECE;
    }

    __device__ __forceinline__ bool has_pieces() const
    {
        bool has = false;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            has |= in_pieces(r);
        return has;
    }
};

/* The same of all rows of a group, whose entries follow each other: rows have too few of them to
 * keep loads in flight. */
template <typename T, int STEPS, int ROWS>
__device__ __forceinline__ void add_rests(const rc_aspt_args_t &x, const group<ROWS> &g, const T *b,
    int32_t left, int lanes, T (&sum)[ROWS][STEPS])
{
    constexpr int UNROLL = ROWS * STEPS > 8 ? 2 : 4; /* as registers allow */
    const int32_t *col = x.a.rest_col + g.rest;
    const T *val = static_cast<const T *>(x.a.rest_val) + g.rest;
    int32_t end[ROWS];
    int32_t count = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        end[r] = count += g.count[r];
#pragma unroll 1
    for (int32_t e = 0; e < count; e += UNROLL) {
        T v[UNROLL];
        T m[UNROLL][STEPS];
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            const bool has = e + i < count;
            const T *from = b + rc::line_at(has ? __ldg(col + e + i) : 0, x.ldb);
            v[i] = has ? __ldg(val + e + i) : T(0);
#pragma unroll
            for (int u = 0; u < STEPS; u++)
                m[i][u] = has && u * lanes < left ? __ldg(from + u * lanes) : T(0);
        }
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                if (e + i < end[r] && (r == 0 || e + i >= end[r - 1]))
#pragma unroll
                    for (int u = 0; u < STEPS; u++)
                        sum[r][u] = fma(v[i], m[i][u], sum[r][u]);
    }
}

/* Store a row of a group or add it to C.
 * \param[in] has        it has entries, or is to be stored without
 * \param[in] elsewhere  its sparse part is in C */
template <typename T, int STEPS>
__device__ __forceinline__ void put_row(const rc_aspt_args_t &x, T *to, bool has, bool elsewhere,
    bool started, int32_t left, int lanes, const T (&sum)[STEPS])
{
    if (!has)
        return;
#pragma unroll
    for (int u = 0; u < STEPS; u++)
        if (u * lanes < left) {
            if (elsewhere || started)
                to[u * lanes] = fma(rc::alpha_of(x.scalars, T()), sum[u], to[u * lanes]);
            else
                rc::store(to + u * lanes, sum[u], x.scalars);
        }
}

template <typename T, int STEPS, int ROWS>
__device__ __forceinline__ void take_group(
    const rc_aspt_args_t &x, const step &at, int32_t number, const T *tile, int lane, int lanes)
{
    const group<ROWS> g(x.a, at, number);
    const bool is_last = at.tile == at.tiles - 1;
    const int32_t left = static_cast<int32_t>(
        x.k - at.j0 - lane); /* columns of the slice from that of the lane on */
    const T *b = static_cast<const T *>(x.b) + at.j0 + lane;
    if (g.begin == g.end && (!is_last || x.a.apart))
        return;
    T sum[ROWS][STEPS] = {};
    add_tile<T, STEPS, ROWS>(x.a, g.begin, g.end, tile + lane, lanes, sum);
    const bool at_once = ROWS > 1 && is_last && !g.has_pieces();
    if (at_once)
        add_rests<T, STEPS, ROWS>(x, g, b, left, lanes, sum);
    int64_t rest = g.rest;
#pragma unroll
    for (int r = 0; r < ROWS; rest += g.count[r++]) {
        const bool elsewhere = x.a.apart || g.in_pieces(r);
        const bool takes = is_last && !elsewhere;
        if (g.row[r] < 0)
            continue;
        if (takes && !at_once)
            add_rest<T, STEPS, (ROWS * STEPS > 8 ? 2 : 4)>(
                x, rest, rest + g.count[r], b, left, lanes, sum[r]);
        put_row<T, STEPS>(x, static_cast<T *>(x.c) + rc::line_at(g.row[r], x.ldc) + at.j0 + lane,
            g.begin < g.end || (takes && (g.count[r] > 0 || !g.started)), elsewhere, g.started,
            left, lanes, sum[r]);
    }
}

template <typename T, int STEPS, bool FULL, int ROWS>
__global__ void __launch_bounds__(RC_ASPT_THREADS, 16 / sizeof(T)) tiles(const rc_aspt_args_t x)
{
    extern __shared__ __align__(16) unsigned char room[];
    T *tile = reinterpret_cast<T *>(room);
    const int lanes = FULL ? 32 : x.lanes;
    const int lane = threadIdx.x & (lanes - 1);
    step at;
    const int32_t at_once = RC_ASPT_THREADS / lanes;
    const int32_t mine =
        static_cast<int32_t>(blockIdx.x % x.shares) * at_once + threadIdx.x / lanes;
    at.panel = x.a.panel[blockIdx.x / x.shares];
    at.tiles = static_cast<int32_t>(rc_ceil_div(at.panel.cols, x.a.tile_cols));
    const int32_t left = x.a.slots - at.panel.slot;
    at.slots = left < x.a.panel_slots ? left : x.a.panel_slots;
    const int32_t groups = (at.slots + ROWS - 1) / ROWS;
    for (int32_t slice = blockIdx.y; slice < x.slices; slice += gridDim.y) {
        at.j0 = static_cast<int64_t>(slice) * (lanes * STEPS);
        for (at.tile = 0; at.tile < at.tiles; at.tile++) {
            const int32_t first = at.tile * x.a.tile_cols;
            const int32_t more = at.panel.cols - first;
            rc::load_tile(static_cast<const T *>(x.b), x.ldb, x.k,
                x.a.tile_col + at.panel.col + first, more < x.a.tile_cols ? more : x.a.tile_cols,
                lanes * STEPS, at.j0, tile);
            __syncthreads();
            for (int32_t g = mine; g < groups; g += at_once * x.shares)
                take_group<T, STEPS, ROWS>(x, at, g, tile, lane, lanes);
            __syncthreads(); /* the tile is read, and what C holds is seen by the whole CTA */
        }
    }
}

/* The sums of the pieces of a row, in their order. */
template <typename T>
__global__ void __launch_bounds__(RC_ASPT_SUM_THREADS) sums(const rc_aspt_sums_t x)
{
    const rc_long_row_t r = x.row[blockIdx.x];
    for (int64_t j = blockIdx.y * RC_ASPT_SUM_THREADS + threadIdx.x; j < x.k;
         j += gridDim.y * RC_ASPT_SUM_THREADS) {
        const T *from = static_cast<const T *>(x.piece) + static_cast<int64_t>(r.first) * x.k + j;
        T sum = T(0);
        for (int32_t i = 0; i < r.parts; i++)
            sum += __ldg(from + static_cast<int64_t>(i) * x.k);
        rc::store(static_cast<T *>(x.c) + rc::line_at(r.row, x.ldc) + j, sum, x.scalars);
    }
}

template <typename T, int ROWS, int STEPS> const void *tiles_of(int full)
{
    return full ? reinterpret_cast<const void *>(tiles<T, STEPS, true, ROWS>)
                : reinterpret_cast<const void *>(tiles<T, STEPS, false, ROWS>);
}

template <typename T, int ROWS> const void *tiles_of(int steps, int full)
{
    return steps == 1   ? tiles_of<T, ROWS, 1>(full)
           : steps == 2 ? tiles_of<T, ROWS, 2>(full)
                        : tiles_of<T, ROWS, 4>(full);
}

template <typename T> const void *tiles_of(int rows, int steps, int full)
{
    return rows == 1 ? tiles_of<T, 1>(steps, full) : tiles_of<T, RC_TILE_GROUP_MAX>(steps, full);
}

} // namespace

extern "C" const void *rc_cuda_aspt_tiles(rc_precision_t precision, int rows, int steps, int full)
{
    return rc::pick<rc::ieee>(
        precision, [&](auto t) { return tiles_of<RC_VALUE(t)>(rows, steps, full); });
}

extern "C" const void *rc_cuda_aspt_sums(rc_precision_t precision)
{
    return rc::pick<rc::ieee>(
        precision, [&](auto t) { return reinterpret_cast<const void *>(sums<RC_VALUE(t)>); });
}
