/* Device functions of csr: a group of LANES lanes has an entry of each of SIDE rows in flight.  The sums of
 * the rows of a warp change places among the lanes while they are added up, so that each lane stores one. */
#include "kernels/cuda/spmv.cuh"
#include "kernels/cuda/spmv_csr.h"

namespace
{

enum { WARPS = RC_SPMV_THREADS / 32 };

/* The sums over LANES lanes of SIDE values of each: lane l gets that of value `which` of l. */
template <int LANES, int SIDE, typename T> __device__ __forceinline__ T sum_side(T *value)
{
    const int lane = threadIdx.x % LANES;
#pragma unroll
    for (int n = SIDE / 2, mask = 1; n >= 1; n /= 2, mask *= 2) {
        const bool upper = lane & mask;
#pragma unroll
        for (int i = 0; i < n; i++) {
            const T mine = upper ? value[i + n] : value[i];
            const T other = upper ? value[i] : value[i + n];
            value[i] = mine + __shfl_xor_sync(0xffffffffu, other, mask);
        }
    }
    T sum = value[0];
#pragma unroll
    for (int mask = SIDE; mask < LANES; mask *= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    return sum;
}

/* Which value a lane gets: its bits in reverse. */
template <int SIDE> __device__ __forceinline__ int which(int lane)
{
    return SIDE == 1 ? 0 : static_cast<int>(__brev(lane % SIDE) >> (32 - (SIDE == 8 ? 3 : SIDE / 2)));
}

/* The rows of a warp. */
template <typename T, typename I, int LANES>
__device__ __forceinline__ void take_rows(const rc_spmv_csr_args_t &a, int32_t base)
{
    enum {
        SIDE = RC_SPMV_CSR_SIDE(LANES),
        ROWS = RC_SPMV_CSR_ROWS(LANES),
        GROUPS = 32 / LANES,
        EACH = SIDE >= 8 ? 1 : SIDE == 4 ? 2 : 4 /* entries of a row in flight, of a lane */
    };
    const int lane = threadIdx.x % 32;
    const int group = lane / LANES;
    const I *ptr = static_cast<const I *>(a.ptr) + base + lane;
    const T *val = static_cast<const T *>(a.val);
    const T *x = static_cast<const T *>(a.v.x);
    const bool is = lane < ROWS && base + lane < a.slots;
    const I begin = is ? rc::load(ptr) : I(0);
    const I all = is ? rc::load(ptr + 1) - begin : I(0);
    const bool late = all > RC_SPMV_CSR_LONGEST(LANES);
    const int32_t length = late ? 0 : static_cast<int32_t>(all);
    const unsigned stores = __ballot_sync(0xffffffffu, is && !late);
    I at[SIDE];
    int32_t left[SIDE];
    T sum[SIDE];
    bool more = false;
#pragma unroll
    for (int j = 0; j < SIDE; j++) {
        at[j] = __shfl_sync(0xffffffffu, begin, j * GROUPS + group) + lane % LANES;
        left[j] = __shfl_sync(0xffffffffu, length, j * GROUPS + group) - lane % LANES;
        sum[j] = T(0);
        more |= left[j] > 0;
    }
    rc::wait_for_previous();
    while (more) {
        int32_t c[SIDE * EACH];
        T m[SIDE * EACH];
#pragma unroll
        for (int i = 0; i < SIDE * EACH; i++) {
            /* behind the end of its row a lane loads the last entry, so that no load waits for a condition */
            const int j = i / EACH;
            const I entry = max(at[j] + min(i % EACH * LANES, left[j] - 1), I(0));
            c[i] = rc::load_once(a.col + entry);
            m[i] = rc::load_once(val + entry);
        }
#pragma unroll
        for (int i = 0; i < SIDE * EACH; i++) {
            const T sum_with = fma(m[i], __ldg(x + c[i]), sum[i / EACH]);
            sum[i / EACH] = left[i / EACH] > i % EACH * LANES ? sum_with : sum[i / EACH];
        }
        more = false;
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            at[j] += EACH * LANES;
            left[j] -= EACH * LANES;
            more |= left[j] > 0;
        }
    }
    __syncwarp();
    const T total = sum_side<LANES, SIDE>(sum);
    const int row = which<SIDE>(lane % LANES) * GROUPS + group;
    if (lane % LANES < SIDE && (stores >> row & 1u))
        rc::store_slot(a.v, base + row, total);
}

template <typename T, typename I, int LANES>
__global__ void __launch_bounds__(RC_SPMV_THREADS) csr(const rc_spmv_csr_args_t a)
{
    __shared__ T part[WARPS];
    const int32_t cta = static_cast<int32_t>(blockIdx.x);
    rc::launch_next();
    if (cta >= a.lates) {
        const int32_t warp = (cta - a.lates) * WARPS + threadIdx.x / 32;
        take_rows<T, I, LANES>(a, warp * RC_SPMV_CSR_ROWS(LANES));
        return;
    }
    const int32_t p = __ldg(a.late + cta);
    const I *ptr = static_cast<const I *>(a.ptr) + p;
    const I begin = rc::load(ptr) + static_cast<I>(threadIdx.x);
    const I end = rc::load(ptr + 1);
    rc::wait_for_previous();
    T sum = rc::sum_strided(a.col, static_cast<const T *>(a.val), static_cast<const T *>(a.v.x),
        begin, end, RC_SPMV_THREADS);
    __syncwarp();
    sum = rc::sum_cta<WARPS>(sum, part);
    if (threadIdx.x == 0)
        rc::store_slot(a.v, p, sum);
}

template <typename T, typename I> const void *entry(int lanes)
{
    switch (lanes) {
    case 1:
        return reinterpret_cast<const void *>(&csr<T, I, 1>);
    case 2:
        return reinterpret_cast<const void *>(&csr<T, I, 2>);
    case 4:
        return reinterpret_cast<const void *>(&csr<T, I, 4>);
    case 8:
        return reinterpret_cast<const void *>(&csr<T, I, 8>);
    case 16:
        return reinterpret_cast<const void *>(&csr<T, I, 16>);
    default:
        return reinterpret_cast<const void *>(&csr<T, I, 32>);
    }
}

} // namespace

extern "C" const void *rc_spmv_csr_entry(rc_precision_t precision, int wide, int lanes)
{
    if (precision == RC_FP64)
        return wide ? entry<double, int64_t>(lanes) : entry<double, int32_t>(lanes);
    return wide ? entry<float, int64_t>(lanes) : entry<float, int32_t>(lanes);
}
