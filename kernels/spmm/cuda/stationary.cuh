/* The C-stationary product on the device, for rows of 2 to 32 lanes.
 *
 * What bounds it: B is column-major, so the entries of a row touch unrelated lines of B and a load
 * of B costs the L1 cache up to one cycle per lane.  Rows with fewer lanes keep all lanes of such a
 * load busy; a strip of several columns pays for the indices once and gives independent loads.
 * Everything else is kept off the path: the extent of the next row is loaded while this one is
 * computed, A does not displace B from L1, and C passes by the caches. */
#ifndef RC_KERNELS_SPMM_CUDA_STATIONARY_CUH
#define RC_KERNELS_SPMM_CUDA_STATIONARY_CUH

#include "kernels/spmm/cuda/stationary.h"
#include "device/cuda/load.cuh"
#include "device/cuda/ranges.h"
#include "device/cuda/residency.cuh"
#include "device/cuda/store.cuh"

namespace rc
{

template <typename T, int LANES, int STRIP> struct tuning {
    static constexpr int bytes = STRIP * static_cast<int>(sizeof(sum_of<T>)); /* of registers */
    /* entries per lane and step; a whole warp has enough lanes for most rows as it is */
    static constexpr int unroll = bytes > 32    ? 1
                                  : LANES == 32 ? (STRIP == 1 ? 2 : 1)
                                  : STRIP == 1  ? 4
                                                : 2;
    /* CTAs that share a multiprocessor: two while 32 registers a thread are enough */
    static constexpr int ctas = bytes <= (LANES == 32 ? 16 : 8) ? resident(RC_CTA_THREADS, 2) : 1;
    /* the columns of B as pointers in registers: one instruction per address instead of two */
    static constexpr bool pointers = bytes <= 32;
};

/* Pointers to column 0 .. STRIP - 1 of a strip of B, or to column 0 alone. */
template <typename T, int LANES, int STRIP> struct columns_of_b {
    static constexpr int n = tuning<T, LANES, STRIP>::pointers ? STRIP : 1;
    const T *at[n];
    __device__ __forceinline__ columns_of_b(const T *b, int64_t ld)
    {
#pragma unroll
        for (int s = 0; s < n; s++) {
            at[s] = b + s * ld;
            /* hides that the pointers are related, or the compiler recomputes them for each load */
            asm("" : "+l"(at[s]));
        }
    }
    /* w[s] = B(c, s) */
    __device__ __forceinline__ void load(T (&w)[STRIP], int32_t c, int64_t ld) const
    {
        const T *p = at[0] + c;
#pragma unroll
        for (int s = 0; s < STRIP; s++) {
            if (n == STRIP) {
                w[s] = __ldg(at[s] + c);
            } else {
                w[s] = __ldg(p);
                p += ld;
                asm("" : "+l"(p));
            }
        }
    }
};

/* Reduce the sums of STRIP columns over the LANES lanes of a row.  While more than one column is
 * left, a lane hands half of them to its partner and keeps the other half, so that each step halves
 * the work; rc_lane_column says which columns a lane ends up with. */
template <typename T, int LANES, int STRIP> __device__ __forceinline__ void reduce(T (&sum)[STRIP])
{
    int lane = threadIdx.x % LANES;
    int width = STRIP / 2;
#pragma unroll
    for (int step = LANES / 2; step >= 1; step /= 2) {
        bool upper = lane & step;
        if (width == 0)
            sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], step);
#pragma unroll
        for (int i = 0; i < STRIP / 2; i++)
            if (i < width) {
                T mine = upper ? sum[i + width] : sum[i];
                T theirs = upper ? sum[i] : sum[i + width];
                sum[i] = mine + __shfl_xor_sync(0xffffffffu, theirs, step);
            }
        width /= 2;
    }
}

/* Add the entries of one row that belong to this lane. */
template <typename T, typename I, int LANES, int STRIP>
__device__ __forceinline__ void accumulate(sum_of<T> (&sum)[STRIP], const rc_stationary_args_t &a,
    const extent<I> &x, int lane, const columns_of_b<T, LANES, STRIP> &b)
{
    typedef sum_of<T> S;
    constexpr int UNROLL = tuning<T, LANES, STRIP>::unroll;
    const T *val = static_cast<const T *>(a.val);
#pragma unroll 1
    for (I e = x.begin + lane; e < x.end; e += LANES * UNROLL) {
        int32_t c[UNROLL];
        T v[UNROLL];
        T w[UNROLL][STRIP];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            bool has = u == 0 || e + u * LANES < x.end;
            c[u] = has ? load_once(a.col + e + u * LANES) : 0;
            v[u] = has ? load_once(val + e + u * LANES) : T(0);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int s = 0; s < STRIP; s++)
                w[u][s] = T(0);
            if (u == 0 || e + u * LANES < x.end)
                b.load(w[u], c[u], a.ldb);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
#pragma unroll
            for (int s = 0; s < STRIP; s++)
                sum[s] = fma(static_cast<S>(v[u]), static_cast<S>(w[u][s]), sum[s]);
    }
}

template <typename T, typename I, int LANES, int STRIP>
__global__ void __launch_bounds__(RC_CTA_THREADS, (tuning<T, LANES, STRIP>::ctas))
    stationary(const rc_stationary_args_t a)
{
    typedef sum_of<T> S;
    constexpr int workers = RC_CTA_THREADS / LANES;
    constexpr int columns = STRIP > LANES ? STRIP / LANES : 1;
    const int lane = threadIdx.x % LANES;
    const int64_t strip = blockIdx.x / static_cast<uint32_t>(a.split);
    const int32_t part = blockIdx.x % static_cast<uint32_t>(a.split);
    const int64_t j0 = rc_strip_first(a.k, STRIP, strip);
    const columns_of_b<T, LANES, STRIP> b(static_cast<const T *>(a.b) + j0 * a.ldb, a.ldb);
    /* this lane stores columns j .. j + columns - 1; those before `from` belong to another CTA */
    const int64_t j = j0 + rc_lane_column(lane, LANES, STRIP);
    const int64_t from = rc_lane_stores(lane, LANES, STRIP) ? strip * STRIP : a.k;
    T *out = static_cast<T *>(a.c) + j * a.ldc;

    /* all lanes of a warp stay together: the reduction needs every one of them */
    int32_t end = __ldg(a.part + part + 1) * workers;
    int32_t p = __ldg(a.part + part) * workers + threadIdx.x / LANES;
    end = end < a.slots ? end : a.slots;
    extent<I> x = load_extent<I>(a.ptr, a.row, p, end);
    for (int32_t first = p & ~(32 / LANES - 1); first < end; first += workers) {
        p += workers;
        extent<I> next = load_extent<I>(a.ptr, a.row, p, end);
        S sum[STRIP];
#pragma unroll
        for (int s = 0; s < STRIP; s++)
            sum[s] = S(0);
        accumulate<T, I, LANES, STRIP>(sum, a, x, lane, b);
        __syncwarp();
        reduce<S, LANES, STRIP>(sum);
#pragma unroll
        for (int i = 0; i < columns; i++)
            if (x.row >= 0 && j + i >= from)
                store(out + i * a.ldc + x.row, sum[i], a.scalars);
        x = next;
    }
}

/* The device function for a strip width that is known only at run time. */
template <typename T, typename I, int LANES> const void *entry_of(int strip)
{
    switch (strip) {
    case 1:
        return reinterpret_cast<const void *>(stationary<T, I, LANES, 1>);
    case 2:
        return reinterpret_cast<const void *>(stationary<T, I, LANES, 2>);
    case 4:
        return reinterpret_cast<const void *>(stationary<T, I, LANES, 4>);
    case 8:
        return reinterpret_cast<const void *>(stationary<T, I, LANES, 8>);
    case 16:
        return reinterpret_cast<const void *>(stationary<T, I, LANES, 16>);
    default:
        return nullptr;
    }
}

template <typename T, int LANES> const void *entry_of(int wide, int strip)
{
    return wide ? entry_of<T, int64_t, LANES>(strip) : entry_of<T, int32_t, LANES>(strip);
}

} // namespace rc

#endif
