/* Device functions of aspt-sddmm.  A CTA has a panel, or a share of its rows where there are few
 * panels: it loads the rows of X of a tile into shared memory, a slice of columns after the
 * other, and a warp takes a row: its lanes hold the slice of the row of Y and multiply it with
 * four rows of X at a time.  What an entry has from earlier slices is in the output, which the
 * same warp goes on with. */
#include "kernels/sddmm/cuda/aspt_sddmm.h"
#include "device/cuda/group_sum.cuh"
#include "device/cuda/ranges.h"
#include "device/cuda/store.cuh"
#include "device/cuda/types.cuh"
#include "kernels/spmm/cuda/aspt_tile.cuh"

namespace
{

using rc::GROUP_SUMS;
using rc::pointer_at;

constexpr int WARP = 32;
constexpr int SHARE = WARP / GROUP_SUMS; /* lanes that have the same sum in the end */

template <typename T> __device__ __forceinline__ T *out_of(const rc_aspt_dots_t &x, int64_t e)
{
    return static_cast<T *>(x.out) + pointer_at(x.entry, x.a.ptr_bytes, e);
}

/* The entries of a row and tile, from one slice of columns. */
template <typename T, int STEPS>
__device__ __forceinline__ void take_row(
    const rc_aspt_dots_t &x, int64_t begin, int64_t end, const T *tile, int32_t row, int64_t j0)
{
    constexpr int SLICE = WARP * STEPS;
    const int lane = threadIdx.x % WARP;
    const T *from = static_cast<const T *>(x.y) + rc::line_at(row, x.ldy) + j0 + lane;
    const T *mine = tile + lane;
    T y[STEPS];
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        y[i] = j0 + i * WARP + lane < x.k ? __ldg(from + i * WARP) : T(0);
    for (int64_t e = begin; e < end; e += GROUP_SUMS) {
        T sum[GROUP_SUMS];
#pragma unroll
        for (int u = 0; u < GROUP_SUMS; u++) {
            const int c = e + u < end ? __ldg(x.a.col + e + u) * SLICE : 0;
            sum[u] = T(0);
#pragma unroll
            for (int i = 0; i < STEPS; i++)
                sum[u] = fma(y[i], mine[c + i * WARP], sum[u]);
        }
        const T total = rc::add_up<T>(sum, lane, WARP);
        const int64_t at = e + lane / SHARE;
        if (lane % SHARE != 0 || at >= end)
            continue;
        T *to = out_of<T>(x, at);
        const T v = __ldg(static_cast<const T *>(x.a.val) + at) * total;
        if (j0 == 0)
            rc::store(to, v, x.scalars);
        else
            *to = fma(rc::alpha_of(x.scalars, T()), v, *to);
    }
}

template <typename T, int STEPS>
__global__ void __launch_bounds__(RC_ASPT_THREADS) dots_tiles(const rc_aspt_dots_t x)
{
    extern __shared__ __align__(16) unsigned char room[];
    T *tile = reinterpret_cast<T *>(room);
    const rc_tile_panel_t p = x.a.panel[blockIdx.x / x.shares];
    const int32_t mine =
        static_cast<int32_t>(blockIdx.x % x.shares) * (RC_ASPT_THREADS / WARP) + threadIdx.x / WARP;
    const int32_t tiles = static_cast<int32_t>(rc_ceil_div(p.cols, x.a.tile_cols));
    const int32_t left = x.a.slots - p.slot;
    const int32_t slots = left < x.a.panel_slots ? left : x.a.panel_slots;
    for (int32_t n = 0; n < tiles; n++) {
        const int32_t first = n * x.a.tile_cols;
        const int32_t cols = p.cols - first < x.a.tile_cols ? p.cols - first : x.a.tile_cols;
        for (int32_t at = 0; at < x.slices; at++) {
            const int64_t j0 = static_cast<int64_t>(at) * (WARP * STEPS);
            rc::load_tile(static_cast<const T *>(x.x), x.ldx, x.k, x.a.tile_col + p.col + first,
                cols, WARP * STEPS, j0, tile);
            __syncthreads();
            for (int32_t s = mine; s < slots; s += RC_ASPT_THREADS / WARP * x.shares) {
                const int64_t place = p.ptr + static_cast<int64_t>(s) * tiles + n;
                const int64_t begin = pointer_at(x.a.ptr, x.a.ptr_bytes, place);
                const int64_t end = pointer_at(x.a.ptr, x.a.ptr_bytes, place + 1);
                if (begin < end)
                    take_row<T, STEPS>(x, begin, end, tile,
                        x.a.row ? __ldg(x.a.row + p.slot + s) : p.slot + s, j0);
            }
            __syncthreads();
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(RC_ASPT_REST_THREADS) dots_rest(const rc_aspt_dots_t x)
{
    const int lane = threadIdx.x % WARP;
    const int64_t number =
        static_cast<int64_t>(blockIdx.x) * (RC_ASPT_REST_THREADS / WARP) + threadIdx.x / WARP;
    if (number >= x.segments)
        return;
    const rc_aspt_segment_t s = x.segment[number];
    const T *y = static_cast<const T *>(x.y) + rc::line_at(s.row, x.ldy);
    for (int32_t e = 0; e < s.count; e += GROUP_SUMS) {
        const T *from[GROUP_SUMS];
        T sum[GROUP_SUMS] = {};
#pragma unroll
        for (int u = 0; u < GROUP_SUMS; u++) {
            const int32_t c = __ldg(x.a.rest_col + s.begin + (e + u < s.count ? e + u : e));
            from[u] = static_cast<const T *>(x.x) + rc::line_at(c, x.ldx);
        }
#pragma unroll 2
        for (int64_t j = lane; j < x.k; j += WARP) {
            const T of_y = __ldg(y + j);
#pragma unroll
            for (int u = 0; u < GROUP_SUMS; u++)
                sum[u] = fma(of_y, __ldg(from[u] + j), sum[u]);
        }
        const T total = rc::add_up<T>(sum, lane, WARP);
        const int32_t at = e + lane / SHARE;
        if (lane % SHARE == 0 && at < s.count)
            rc::store(out_of<T>(x, x.nnz_dense + s.begin + at),
                __ldg(static_cast<const T *>(x.a.rest_val) + s.begin + at) * total, x.scalars);
    }
}

template <typename T> const void *tiles_of(int steps)
{
    return steps == 1   ? reinterpret_cast<const void *>(dots_tiles<T, 1>)
           : steps == 2 ? reinterpret_cast<const void *>(dots_tiles<T, 2>)
                        : reinterpret_cast<const void *>(dots_tiles<T, 4>);
}

} // namespace

extern "C" const void *rc_cuda_aspt_dots_tiles(rc_precision_t precision, int steps)
{
    return rc::pick<rc::ieee>(precision, [&](auto t) { return tiles_of<RC_VALUE(t)>(steps); });
}

extern "C" const void *rc_cuda_aspt_dots_rest(rc_precision_t precision)
{
    return rc::pick<rc::ieee>(
        precision, [&](auto t) { return reinterpret_cast<const void *>(dots_rest<RC_VALUE(t)>); });
}
