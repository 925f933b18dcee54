/* Device function of ell: a thread a row; its entries are at the left, so the first pad ends it. */
#include "device/cuda/types.cuh"
#include "kernels/spmv/cuda/spmv.cuh"

namespace
{

template <typename T>
__global__ void __launch_bounds__(RC_SPMV_THREADS) ell(const rc_spmv_ell_args_t a)
{
    enum { BATCH = 8 };
    const int32_t p = blockIdx.x * RC_SPMV_THREADS + threadIdx.x;
    const T *x = static_cast<const T *>(a.v.x);
    rc::launch_next();
    rc::wait_for_previous();
    if (p >= a.slots)
        return;
    const int32_t *col = a.col + p;
    const T *val = static_cast<const T *>(a.val) + p;
    rc::sum_of<T> sum = 0;
    for (int32_t k = 0; k < a.width; k += BATCH) {
        int32_t c[BATCH];
        T m[BATCH];
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            const bool is = k + u < a.width;
            c[u] = is ? rc::load_once(col + u * a.pitch) : RC_ELL_PAD;
            m[u] = is ? rc::load_once(val + u * a.pitch) : T(0);
        }
#pragma unroll
        for (int u = 0; u < BATCH; u++)
            if (c[u] >= 0)
                sum = rc::add_product(m[u], x + c[u], sum);
        if (c[BATCH - 1] < 0)
            break;
        col += BATCH * a.pitch;
        val += BATCH * a.pitch;
    }
    rc::store_slot<T>(a.v, p, sum);
}

} // namespace

extern "C" const void *rc_spmv_ell_entry(rc_precision_t precision)
{
    return rc::pick<rc::any>(
        precision, [&](auto t) { return reinterpret_cast<const void *>(&ell<RC_VALUE(t)>); });
}
