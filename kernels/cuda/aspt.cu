/* Device functions of aspt.  A CTA has a panel and a slice of columns: it loads the rows of B of a tile into
 * shared memory, multiplies the entries of the tile, then those of the next tile.  With the last one it takes
 * the entries of the sparse part of its rows too, so that most rows of C are stored once.  The lanes of a slice
 * hold neighbouring columns. */
#include "kernels/cuda/aspt_tile.cuh"
#include "kernels/cuda/ranges.h"
#include "kernels/cuda/store.cuh"

namespace
{

using rc::pointer_at;
using rc::team;

/* What a row has to do with a tile. */
struct visit {
    int64_t begin; /* entries of the tile */
    int64_t end;
    int64_t rest_begin; /* and of the sparse part */
    int64_t rest_end;
    bool is_asked; /* anything is to be stored */
    bool adds;     /* C holds a part of the sum */
};

__device__ __forceinline__ visit visit_of(
    const rc_aspt_parts_t &a, int64_t at, int32_t tile, int32_t tiles, int32_t slot)
{
    visit v;
    const bool last = tile == tiles - 1;
    v.begin = pointer_at(a.ptr, a.ptr_bytes, at);
    v.end = pointer_at(a.ptr, a.ptr_bytes, at + 1);
    v.rest_begin = v.rest_end = 0;
    if (a.apart) {
        v.adds = true;
        v.is_asked = v.begin < v.end;
        return v;
    }
    v.rest_begin = pointer_at(a.rest_ptr, a.ptr_bytes, slot);
    v.rest_end = pointer_at(a.rest_ptr, a.ptr_bytes, slot + 1);
    const bool in_pieces = v.rest_end - v.rest_begin > RC_ASPT_PIECE;
    v.adds = in_pieces || (tile > 0 && pointer_at(a.ptr, a.ptr_bytes, at - tile) < v.begin);
    if (in_pieces || !last)
        v.rest_end = v.rest_begin;
    v.is_asked = v.begin < v.end || v.rest_begin < v.rest_end || (last && !v.adds);
    return v;
}

template <typename T, int STEPS, bool FULL>
__device__ __forceinline__ void take_row(const rc_aspt_args_t &x, const team<FULL> &t,
    const visit &v, const T *tile, int32_t row, int64_t j0)
{
    const int slice = t.lanes * STEPS;
    const int64_t j = j0 + t.lane;
    const T *mine = tile + t.lane;
    const T *val = static_cast<const T *>(x.a.val);
    const T *rest = static_cast<const T *>(x.a.rest_val);
    const T *b = static_cast<const T *>(x.b) + j;
    T sum[STEPS] = {};
    t.template for_each<T>(
        v.begin, v.end,
        [&](int64_t e, int32_t &c, T &a) {
            c = __ldg(x.a.col + e) * slice;
            a = __ldg(val + e);
        },
        [&](int32_t c, T a) {
#pragma unroll
            for (int u = 0; u < STEPS; u++)
                sum[u] = fma(a, mine[c + u * t.lanes], sum[u]);
        });
    t.template for_each<T>(
        v.rest_begin, v.rest_end,
        [&](int64_t e, int32_t &c, T &a) {
            c = __ldg(x.a.rest_col + e);
            a = __ldg(rest + e);
        },
        [&](int32_t c, T a) {
            const T *from = b + rc::line_at(c, x.ldb);
#pragma unroll
            for (int u = 0; u < STEPS; u++)
                if (j + u * t.lanes < x.k)
                    sum[u] = fma(a, __ldg(from + u * t.lanes), sum[u]);
        });
    T *to = static_cast<T *>(x.c) + rc::line_at(row, x.ldc) + j;
#pragma unroll
    for (int u = 0; u < STEPS; u++)
        if (j + u * t.lanes < x.k) {
            if (v.adds)
                to[u * t.lanes] = fma(rc::alpha_of(x.scalars, T()), sum[u], to[u * t.lanes]);
            else
                rc::store(to + u * t.lanes, sum[u], x.scalars);
        }
}

template <typename T, int STEPS, bool FULL>
__global__ void __launch_bounds__(RC_ASPT_THREADS) tiles(const rc_aspt_args_t x)
{
    extern __shared__ __align__(16) unsigned char room[];
    T *tile = reinterpret_cast<T *>(room);
    const team<FULL> t(x.lanes);
    const int slice = t.lanes * STEPS;
    const rc_tile_panel_t p = x.a.panel[blockIdx.x];
    const int32_t tiles = static_cast<int32_t>(rc_ceil_div(p.cols, x.a.tile_cols));
    const int32_t left = x.a.slots - p.slot;
    const int32_t slots = left < x.a.panel_slots ? left : x.a.panel_slots;
    for (int32_t at = blockIdx.y; at < x.slices; at += gridDim.y) {
        const int64_t j0 = static_cast<int64_t>(at) * slice;
        for (int32_t n = 0; n < tiles; n++) {
            const int32_t first = n * x.a.tile_cols;
            const int32_t cols = p.cols - first < x.a.tile_cols ? p.cols - first : x.a.tile_cols;
            rc::load_tile(static_cast<const T *>(x.b), x.ldb, x.k, x.a.tile_col + p.col + first,
                cols, slice, j0, tile);
            __syncthreads();
            for (int32_t s = threadIdx.x / t.lanes; s < slots; s += RC_ASPT_THREADS / t.lanes) {
                const int32_t slot = p.slot + s;
                const int32_t row = x.a.row ? __ldg(x.a.row + slot) : slot;
                const visit v = visit_of(
                    x.a, p.ptr + static_cast<int64_t>(s) * tiles + n, n, tiles, slot);
                if (row >= 0 && v.is_asked)
                    take_row<T, STEPS>(x, t, v, tile, row, j0);
            }
            __syncthreads(); /* the tile is read, and what C holds is seen by the whole CTA */
        }
    }
}

/* The sums of the pieces of a row, in their order. */
template <typename T> __global__ void __launch_bounds__(RC_ASPT_SUM_THREADS) sums(const rc_aspt_sums_t x)
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

template <typename T, int STEPS> const void *tiles_of(int full)
{
    return full ? reinterpret_cast<const void *>(tiles<T, STEPS, true>)
                : reinterpret_cast<const void *>(tiles<T, STEPS, false>);
}

template <typename T> const void *tiles_of(int steps, int full)
{
    return steps == 1 ? tiles_of<T, 1>(full) : steps == 2 ? tiles_of<T, 2>(full) : tiles_of<T, 4>(full);
}

} // namespace

extern "C" const void *rc_cuda_aspt_tiles(rc_precision_t precision, int steps, int full)
{
    return precision == RC_FP64 ? tiles_of<double>(steps, full) : tiles_of<float>(steps, full);
}

extern "C" const void *rc_cuda_aspt_sums(rc_precision_t precision)
{
    return precision == RC_FP64 ? reinterpret_cast<const void *>(sums<double>)
                                : reinterpret_cast<const void *>(sums<float>);
}
