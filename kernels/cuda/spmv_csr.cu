/* Device functions of csr: LANES lanes take a row, and have the first entries of ROWS of them in flight.
 * A row of more than LONG entries is taken by the CTA. */
#include "kernels/cuda/spmv.cuh"
#include "kernels/cuda/spmv_csr.h"

namespace
{

/* The rows that were left to the CTA, one after the other. */
template <typename T, typename I>
__device__ __forceinline__ void take_late(
    const rc_spmv_csr_args_t &a, const int32_t *late, int lates, T *part)
{
    const I *ptr = static_cast<const I *>(a.ptr);
    for (int i = 0; i < lates; i++) {
        const int32_t p = late[i];
        const I begin = rc::load(ptr + p) + static_cast<I>(threadIdx.x);
        T sum = rc::sum_strided(a.col, static_cast<const T *>(a.val),
            static_cast<const T *>(a.v.x), begin, rc::load(ptr + p + 1), RC_SPMV_CSR_THREADS);
        sum = rc::sum_cta<RC_SPMV_CSR_THREADS / 32>(sum, part);
        if (threadIdx.x == 0)
            rc::store_slot(a.v, p, sum);
        __syncthreads();
    }
}

template <typename T, typename I, int LANES, int ROWS>
__global__ void __launch_bounds__(RC_SPMV_CSR_THREADS) csr(const rc_spmv_csr_args_t a)
{
    enum {
        THREADS = RC_SPMV_CSR_THREADS,
        GROUPS = THREADS / LANES,
        LONG = 64 * LANES /* entries of a row that take a group longer than a CTA */
    };
    __shared__ int32_t late[GROUPS * ROWS];
    __shared__ int lates;
    __shared__ T part[THREADS / 32];
    const int lane = threadIdx.x % LANES;
    const int32_t base = blockIdx.x * (GROUPS * ROWS) + threadIdx.x / LANES;
    const I *ptr = static_cast<const I *>(a.ptr);
    const T *val = static_cast<const T *>(a.val);
    const T *x = static_cast<const T *>(a.v.x);
    if (threadIdx.x == 0)
        lates = 0;
    rc::launch_next();
    I at[ROWS];
    I end[ROWS];
    bool is[ROWS]; /* a slot, and not one for the CTA */
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        const int32_t p = base + j * GROUPS;
        is[j] = p < a.slots;
        at[j] = is[j] ? rc::load(ptr + p) : I(0);
        end[j] = is[j] ? rc::load(ptr + p + 1) : I(0);
    }
    __syncthreads();
    rc::wait_for_previous();
#pragma unroll
    for (int j = 0; j < ROWS; j++)
        if (end[j] - at[j] > LONG) {
            if (lane == 0)
                late[atomicAdd(&lates, 1)] = base + j * GROUPS;
            is[j] = false;
            end[j] = at[j];
        }
    int32_t c[ROWS];
    T first[ROWS];
    T sum[ROWS];
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        const bool has = at[j] + lane < end[j];
        c[j] = has ? rc::load_once(a.col + at[j] + lane) : -1;
        first[j] = has ? rc::load_once(val + at[j] + lane) : T(0);
    }
#pragma unroll
    for (int j = 0; j < ROWS; j++)
        sum[j] = c[j] >= 0 ? first[j] * __ldg(x + c[j]) : T(0);
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        sum[j] += rc::sum_strided(
            a.col, val, x, static_cast<I>(at[j] + LANES + lane), end[j], LANES);
        __syncwarp();
        sum[j] = rc::sum_lanes<LANES>(sum[j]);
        if (lane == 0 && is[j])
            rc::store_slot(a.v, base + j * GROUPS, sum[j]);
    }
    __syncthreads();
    take_late<T, I>(a, late, lates, part);
}

template <typename T, typename I> const void *entry(int lanes)
{
    switch (lanes) {
    case 1:
        return reinterpret_cast<const void *>(&csr<T, I, 1, RC_SPMV_CSR_ROWS(1)>);
    case 2:
        return reinterpret_cast<const void *>(&csr<T, I, 2, RC_SPMV_CSR_ROWS(2)>);
    case 4:
        return reinterpret_cast<const void *>(&csr<T, I, 4, RC_SPMV_CSR_ROWS(4)>);
    case 8:
        return reinterpret_cast<const void *>(&csr<T, I, 8, RC_SPMV_CSR_ROWS(8)>);
    case 16:
        return reinterpret_cast<const void *>(&csr<T, I, 16, RC_SPMV_CSR_ROWS(16)>);
    default:
        return reinterpret_cast<const void *>(&csr<T, I, 32, RC_SPMV_CSR_ROWS(32)>);
    }
}

} // namespace

extern "C" const void *rc_spmv_csr_entry(rc_precision_t precision, int wide, int lanes)
{
    if (precision == RC_FP64)
        return wide ? entry<double, int64_t>(lanes) : entry<double, int32_t>(lanes);
    return wide ? entry<float, int64_t>(lanes) : entry<float, int32_t>(lanes);
}
