/* Device functions of row-sddmm.  A group of lanes takes a segment of a row, ENTRIES of it at a
 * time: its lanes hold pieces of the row of Y and load the same pieces of the rows of X, so that
 * as many loads are on their way together.  The partial sums of the entries are added up across
 * the group at once: each step halves the entries that a lane still has. */
#include "kernels/sddmm/cuda/row_sddmm.h"
#include "device/cuda/group_sum.cuh"
#include "device/cuda/load.cuh"
#include "device/cuda/overlap.cuh"
#include "device/cuda/residency.cuh"
#include "device/cuda/types.cuh"
#include "device/cuda/vector.cuh"

namespace rc
{

namespace
{

constexpr unsigned FULL = 0xffffffffu;
constexpr int ENTRIES = GROUP_SUMS;

/* Pieces of a row, from piece `first` on in steps of the group; zeros beyond its end. */
template <typename T, int WIDTH, int VECTORS> struct pieces {
    packed<T, WIDTH> part[VECTORS];

    __device__ __forceinline__ void load(const T *row, int32_t first, const rc_row_sddmm_args_t &a)
    {
#pragma unroll
        for (int i = 0; i < VECTORS; i++) {
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                part[i].value[w] = T(0);
            const int32_t at = first + i * a.lanes;
            if (at < a.pieces)
                part[i].vector = load_vector<T, WIDTH>(row + static_cast<int64_t>(at) * WIDTH);
        }
    }
};

__device__ __forceinline__ rc_sddmm_segment_t load_segment(const rc_row_sddmm_args_t &a, int64_t i)
{
    union {
        int4 vector;
        rc_sddmm_segment_t segment;
    } x;
    x.vector = make_int4(0, 0, 0, 0);
    if (i < a.segments)
        x.vector = __ldg(reinterpret_cast<const int4 *>(a.segment + i));
    return x.segment;
}

/* Add the products of the pieces of the lane to the sums of ENTRIES entries; column -1: none. */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ void add_products(sum_of<T> (&sum)[ENTRIES],
    const pieces<T, WIDTH, VECTORS> &y, const int32_t (&col)[ENTRIES], int32_t first,
    const rc_row_sddmm_args_t &a)
{
    typedef sum_of<T> S;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        packed<T, WIDTH> x[ENTRIES];
        const int32_t at = first + i * a.lanes;
#pragma unroll
        for (int u = 0; u < ENTRIES; u++) {
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                x[u].value[w] = T(0);
            const T *row = static_cast<const T *>(a.x) + line_at(col[u], a.ldx);
            if (col[u] >= 0 && at < a.pieces)
                x[u].vector = load_vector<T, WIDTH>(row + static_cast<int64_t>(at) * WIDTH);
        }
#pragma unroll
        for (int u = 0; u < ENTRIES; u++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum[u] =
                    fma(static_cast<S>(y.part[i].value[w]), static_cast<S>(x[u].value[w]), sum[u]);
    }
}

/* All groups of a warp take as many steps as the longest of them needs. */
template <typename T, int WIDTH, int VECTORS>
__global__ void __launch_bounds__(RC_ROW_SDDMM_THREADS,
    rc::resident(RC_ROW_SDDMM_THREADS, VECTORS == 1 ? 5 : 3)) row_sddmm(const rc_row_sddmm_args_t a)
{
    static_assert(ENTRIES == RC_ROW_SDDMM_LANES_MIN, "a lane of the smallest group stores one sum");
    typedef sum_of<T> S;
    launch_next();
    const int lanes = a.lanes;
    const int lane = threadIdx.x & (lanes - 1);
    const int mine = lane / (lanes / ENTRIES);
    const bool stores = lane % (lanes / ENTRIES) == 0;
    const int groups = RC_ROW_SDDMM_THREADS / lanes;
    const rc_sddmm_segment_t s =
        load_segment(a, static_cast<int64_t>(blockIdx.x) * groups + threadIdx.x / lanes);
    const int32_t *cols = a.col + s.begin;
    const T *val = static_cast<const T *>(a.val) + s.begin;
    T *out = static_cast<T *>(a.out) + s.begin;
    wait_for_previous();
    const T *row = static_cast<const T *>(a.y) + line_at(s.row, a.ldy);
    pieces<T, WIDTH, VECTORS> y;
    if (s.count > 0)
        y.load(row, lane, a);
    for (int32_t e = 0; __any_sync(FULL, e < s.count); e += ENTRIES) {
        const bool has = stores && e + mine < s.count;
        const T v = has ? load_once(val + e + mine) : T(0);
        int32_t col[ENTRIES];
        S sum[ENTRIES];
#pragma unroll
        for (int u = 0; u < ENTRIES; u++) {
            col[u] = e + u < s.count ? __ldg(cols + e + u) : -1;
            sum[u] = S(0);
        }
        add_products<T, WIDTH, VECTORS>(sum, y, col, lane, a);
#pragma unroll 1
        for (int32_t tile = 1; tile < a.tiles; tile++) {
            const int32_t first = tile * VECTORS * lanes + lane;
            pieces<T, WIDTH, VECTORS> more;
            more.load(row, first, a);
            add_products<T, WIDTH, VECTORS>(sum, more, col, first, a);
        }
        const S total = add_up<S>(sum, lane, lanes);
        if (has)
            store(out + e + mine, static_cast<S>(v) * total, a.scalars);
    }
}

template <typename T, int WIDTH> const void *entry_of(int vectors)
{
    switch (vectors) {
    case 1:
        return reinterpret_cast<const void *>(row_sddmm<T, WIDTH, 1>);
    case 2:
        return reinterpret_cast<const void *>(row_sddmm<T, WIDTH, 2>);
    case 4:
        return reinterpret_cast<const void *>(row_sddmm<T, WIDTH, 4>);
    default:
        return nullptr;
    }
}

} // namespace

} // namespace rc

extern "C" const void *rc_cuda_row_sddmm_entry(rc_precision_t precision, int width, int vectors)
{
    return rc::pick_wide<rc::any>(precision, width,
        [&](auto t, auto w) { return rc::entry_of<RC_VALUE(t), RC_WIDTH(w)>(vectors); });
}
