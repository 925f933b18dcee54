/* Device functions of rs.  The lanes of a slice hold neighbouring columns; entries of A are
 * loaded by the lanes together, then broadcast one by one. */
#include "kernels/spmm/cuda/rs.h"
#include "device/cuda/load.cuh"
#include "device/cuda/residency.cuh"
#include "device/cuda/store.cuh"
#include "device/cuda/team.cuh"
#include "device/cuda/types.cuh"
#include "device/cuda/vector.cuh"

namespace
{

using rc::pointer_at;
using rc::team;

__device__ __forceinline__ int32_t local_at(const rc_rs_parts_t &a, int64_t i)
{
    return a.col_bytes == 2 ? __ldg(static_cast<const uint16_t *>(a.col) + i)
                            : __ldg(static_cast<const int32_t *>(a.col) + i);
}

/* A heavy segment: calls f(place of the row in the panel, value). */
template <typename T, bool FULL, typename F>
__device__ __forceinline__ void walk_segment(
    const rc_rs_parts_t &a, const team<FULL> &t, int32_t s, int slice, const F &f)
{
    const T *val = static_cast<const T *>(a.val);
    t.template for_each<T>(
        pointer_at(a.seg_ptr, a.ptr_bytes, s), pointer_at(a.seg_ptr, a.ptr_bytes, s + 1),
        [&](int64_t e, int32_t &c, T &v) {
            c = local_at(a, e) * slice;
            v = __ldg(val + e);
        },
        f);
}

template <typename T, bool FULL, typename F>
__device__ __forceinline__ void walk_light(
    const rc_rs_parts_t &a, const team<FULL> &t, int64_t begin, int64_t end, const F &f)
{
    const T *val = static_cast<const T *>(a.light_val);
    t.template for_each<T>(
        begin, end,
        [&](int64_t e, int32_t &c, T &v) {
            c = __ldg(a.light_col + e);
            v = __ldg(val + e);
        },
        f);
}

/* What a CTA of the heavy part works on. */
struct share {
    int64_t first_row; /* of B, or of C where A is transposed */
    int32_t rows;
    int32_t begin; /* segments */
    int32_t end;
    int32_t step;
};

template <bool FULL>
__device__ __forceinline__ share share_of(const rc_rs_args_t &x, const team<FULL> &t)
{
    const rc_rs_panel_t *at = x.a.panel + blockIdx.x / x.hblocks;
    const int32_t teams = RC_RS_HEAVY_THREADS / t.lanes;
    const int64_t first = at->panel * x.a.w;
    const int64_t left = x.a.cols - first;
    share s;
    s.first_row = first;
    s.rows = static_cast<int32_t>(left < x.a.w ? left : x.a.w);
    s.begin = at[0].first + static_cast<int32_t>(blockIdx.x % x.hblocks) * teams +
              static_cast<int32_t>(threadIdx.x) / t.lanes;
    s.end = at[1].first;
    s.step = teams * x.hblocks;
    return s;
}

__device__ __forceinline__ int32_t row_of(const rc_rs_parts_t &a, int32_t slot)
{
    return a.row ? __ldg(a.row + slot) : slot;
}

/* ---------------------------------------------------------------- C = A B */

template <typename T, int STEPS, bool FULL>
__global__ void __launch_bounds__(RC_RS_HEAVY_THREADS, rc::resident(RC_RS_HEAVY_THREADS, 2))
    heavy(const rc_rs_args_t x)
{
    extern __shared__ __align__(16) unsigned char room[];
    T *tile = reinterpret_cast<T *>(room);
    const team<FULL> t(x.lanes);
    const int slice = t.lanes * STEPS;
    const share s = share_of(x, t);
    for (int32_t at = blockIdx.y; at < x.slices; at += gridDim.y) {
        const int64_t j0 = static_cast<int64_t>(at) * slice;
        const T *b = static_cast<const T *>(x.b) +
                     rc::line_at(static_cast<int32_t>(s.first_row), x.ldb) + j0;
        for (int i = threadIdx.x; i < s.rows * slice; i += RC_RS_HEAVY_THREADS) {
            const int j = i & (slice - 1);
            tile[i] = j0 + j < x.k ? __ldg(b + rc::line_at(i / slice, x.ldb) + j) : T(0);
        }
        __syncthreads();
        for (int32_t seg = s.begin; seg < s.end; seg += s.step) {
            T sum[STEPS] = {};
            const T *mine = tile + t.lane;
            walk_segment<T>(x.a, t, seg, slice, [&](int32_t c, T v) {
#pragma unroll
                for (int u = 0; u < STEPS; u++)
                    sum[u] = fma(v, mine[c + u * t.lanes], sum[u]);
            });
            T *to = static_cast<T *>(x.c) +
                    rc::line_at(row_of(x.a, __ldg(x.a.seg_row + seg)), x.ldc) + j0;
#pragma unroll
            for (int u = 0; u < STEPS; u++)
                if (j0 + u * t.lanes + t.lane < x.k)
                    atomicAdd(to + u * t.lanes + t.lane, rc::alpha_of(x.scalars, T()) * sum[u]);
        }
        __syncthreads();
    }
}

template <typename T, int STEPS, bool FULL>
__global__ void __launch_bounds__(RC_RS_LIGHT_THREADS) light(const rc_rs_args_t x)
{
    const team<FULL> t(x.lanes);
    const int slice = t.lanes * STEPS;
    const int32_t p =
        static_cast<int32_t>(blockIdx.x * (RC_RS_LIGHT_THREADS / static_cast<unsigned>(t.lanes)) +
                             threadIdx.x / static_cast<unsigned>(t.lanes));
    if (p >= x.a.slots)
        return;
    const int64_t begin = pointer_at(x.a.light_ptr, x.a.ptr_bytes, p);
    const int64_t end = pointer_at(x.a.light_ptr, x.a.ptr_bytes, p + 1);
    const bool stores = x.a.dense && !(__ldg(x.a.dense + p / 32) >> p % 32 & 1u);
    const int32_t row = row_of(x.a, p);
    if (row < 0 || (begin == end && !stores))
        return;
    for (int32_t at = blockIdx.y; at < x.slices; at += gridDim.y) {
        const int64_t j = static_cast<int64_t>(at) * slice + t.lane;
        const T *b = static_cast<const T *>(x.b) + j;
        T sum[STEPS] = {};
        walk_light<T>(x.a, t, begin, end, [&](int32_t c, T v) {
            const T *from = b + rc::line_at(c, x.ldb);
#pragma unroll
            for (int u = 0; u < STEPS; u++)
                if (j + u * t.lanes < x.k)
                    sum[u] = fma(v, __ldg(from + u * t.lanes), sum[u]);
        });
        T *to = static_cast<T *>(x.c) + rc::line_at(row, x.ldc) + j;
#pragma unroll
        for (int u = 0; u < STEPS; u++)
            if (j + u * t.lanes < x.k) {
                if (stores)
                    rc::store(to + u * t.lanes, sum[u], x.scalars);
                else
                    atomicAdd(to + u * t.lanes, rc::alpha_of(x.scalars, T()) * sum[u]);
            }
    }
}

/* --------------------------------------------------------------- C = A^T B */

/* A row of B times alpha, of the lanes of a slice. */
template <typename T, int STEPS, bool FULL> struct line {
    T value[STEPS];

    __device__ __forceinline__ line(
        const rc_rs_args_t &x, const team<FULL> &t, int32_t row, int64_t j)
    {
        const T *from = static_cast<const T *>(x.b) + rc::line_at(row, x.ldb) + j;
#pragma unroll
        for (int u = 0; u < STEPS; u++)
            value[u] = j + u * t.lanes < x.k
                           ? rc::alpha_of(x.scalars, T()) * __ldg(from + u * t.lanes)
                           : T(0);
    }
};

template <typename T, int STEPS, bool FULL>
__global__ void __launch_bounds__(RC_RS_HEAVY_THREADS, rc::resident(RC_RS_HEAVY_THREADS, 2))
    heavy_t(const rc_rs_args_t x)
{
    extern __shared__ __align__(16) unsigned char room[];
    T *tile = reinterpret_cast<T *>(room);
    const team<FULL> t(x.lanes);
    const int slice = t.lanes * STEPS;
    const share s = share_of(x, t);
    for (int32_t at = blockIdx.y; at < x.slices; at += gridDim.y) {
        const int64_t j0 = static_cast<int64_t>(at) * slice;
        for (int i = threadIdx.x; i < s.rows * slice; i += RC_RS_HEAVY_THREADS)
            tile[i] = T(0);
        __syncthreads();
        for (int32_t seg = s.begin; seg < s.end; seg += s.step) {
            const line<T, STEPS, FULL> b(x, t, row_of(x.a, __ldg(x.a.seg_row + seg)), j0 + t.lane);
            T *mine = tile + t.lane;
            walk_segment<T>(x.a, t, seg, slice, [&](int32_t c, T v) {
#pragma unroll
                for (int u = 0; u < STEPS; u++)
                    atomicAdd(mine + c + u * t.lanes, v * b.value[u]);
            });
        }
        __syncthreads();
        T *c = static_cast<T *>(x.c) + rc::line_at(static_cast<int32_t>(s.first_row), x.ldc) + j0;
        for (int i = threadIdx.x; i < s.rows * slice; i += RC_RS_HEAVY_THREADS) {
            const int j = i & (slice - 1);
            const T sum = tile[i];
            if (sum != T(0) &&
                j0 + j < x.k) /* untouched rows are left out: adding 0 changes nothing */
                atomicAdd(c + rc::line_at(i / slice, x.ldc) + j, sum);
        }
        __syncthreads();
    }
}

template <typename T, int STEPS, bool FULL>
__global__ void __launch_bounds__(RC_RS_LIGHT_THREADS) light_t(const rc_rs_args_t x)
{
    const team<FULL> t(x.lanes);
    const int slice = t.lanes * STEPS;
    const int32_t p =
        static_cast<int32_t>(blockIdx.x * (RC_RS_LIGHT_THREADS / static_cast<unsigned>(t.lanes)) +
                             threadIdx.x / static_cast<unsigned>(t.lanes));
    if (p >= x.a.slots)
        return;
    const int64_t begin = pointer_at(x.a.light_ptr, x.a.ptr_bytes, p);
    const int64_t end = pointer_at(x.a.light_ptr, x.a.ptr_bytes, p + 1);
    if (begin == end)
        return;
    const int32_t row = row_of(x.a, p);
    for (int32_t at = blockIdx.y; at < x.slices; at += gridDim.y) {
        const int64_t j = static_cast<int64_t>(at) * slice + t.lane;
        const line<T, STEPS, FULL> b(x, t, row, j);
        T *c = static_cast<T *>(x.c) + j;
        walk_light<T>(x.a, t, begin, end, [&](int32_t col, T v) {
            T *to = c + rc::line_at(col, x.ldc);
#pragma unroll
            for (int u = 0; u < STEPS; u++)
                if (j + u * t.lanes < x.k)
                    atomicAdd(to + u * t.lanes, v * b.value[u]);
        });
    }
}

/* ----------------------------------------------------------------- entries */

template <typename T, int STEPS, bool FULL> const void *entry(bool is_heavy, bool transposed)
{
    if (is_heavy)
        return transposed ? reinterpret_cast<const void *>(heavy_t<T, STEPS, FULL>)
                          : reinterpret_cast<const void *>(heavy<T, STEPS, FULL>);
    return transposed ? reinterpret_cast<const void *>(light_t<T, STEPS, FULL>)
                      : reinterpret_cast<const void *>(light<T, STEPS, FULL>);
}

template <typename T, int STEPS> const void *entry(bool is_heavy, bool transposed, int full)
{
    return full ? entry<T, STEPS, true>(is_heavy, transposed)
                : entry<T, STEPS, false>(is_heavy, transposed);
}

template <typename T> const void *entry(bool is_heavy, bool transposed, int steps, int full)
{
    return steps == 1   ? entry<T, 1>(is_heavy, transposed, full)
           : steps == 2 ? entry<T, 2>(is_heavy, transposed, full)
                        : entry<T, 4>(is_heavy, transposed, full);
}

const void *entry(bool is_heavy, rc_op_t op, rc_precision_t precision, int steps, int full)
{
    const bool transposed = op == RC_OP_SPMM_T;
    return rc::pick<rc::ieee>(
        precision, [&](auto t) { return entry<RC_VALUE(t)>(is_heavy, transposed, steps, full); });
}

} // namespace

extern "C" const void *rc_cuda_rs_heavy(rc_op_t op, rc_precision_t precision, int steps, int full)
{
    return entry(true, op, precision, steps, full);
}

extern "C" const void *rc_cuda_rs_light(rc_op_t op, rc_precision_t precision, int steps, int full)
{
    return entry(false, op, precision, steps, full);
}
