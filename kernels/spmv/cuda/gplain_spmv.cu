/* Device function of gplain-spmv. */
#include "device/cuda/types.cuh"
#include "kernels/testing/gplain.h"
#include "device/cuda/load.cuh"
#include "device/cuda/store.cuh"

namespace
{

enum { THREADS = 256, LANES = 8 };

/* LANES lanes stride over the entries of a slot. */
template <typename T, typename I>
__global__ void spmv(const rc_cuda_slots_t s, const T *x, T *y, const rc_cuda_scalars_t scalars)
{
    const int lane = threadIdx.x % LANES;
    const int32_t p = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const rc::extent<I> e = rc::load_extent<I>(s.ptr, s.row, p, static_cast<int32_t>(s.slots));
    const T *val = static_cast<const T *>(s.val);
    typedef rc::sum_of<T> S;
    S sum = S(0);
    for (I i = e.begin + lane; i < e.end; i += LANES)
        sum = fma(static_cast<S>(val[i]), static_cast<S>(x[s.col[i]]), sum);
    /* every lane of the warp gets here */
    for (int step = LANES / 2; step >= 1; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0 && e.row >= 0)
        rc::store(y + e.row, sum, scalars);
}

template <typename T, typename I>
void launch(const rc_gplain_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars)
{
    const int64_t per_block = THREADS / LANES;
    const int64_t blocks = (s->slots.slots + per_block - 1) / per_block;
    spmv<T, I><<<static_cast<unsigned>(blocks), THREADS, 0, rc_cuda_stream(s->base.memory.x)>>>(
        s->slots, static_cast<const T *>(o->in[0].data), static_cast<T *>(o->out.data), scalars);
}

} // namespace

extern "C" rc_status_t rc_gplain_spmv(
    const rc_gplain_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_cuda_scalars_t scalars = rc_cuda_scalars(o, alpha, beta);
    if (s->slots.slots == 0)
        return RC_OK; /* a grid of no blocks is an error */
    rc::pick<rc::any>(s->base.p.precision, [&](auto t) {
        s->slots.wide ? launch<RC_VALUE(t), int64_t>(s, o, scalars)
                      : launch<RC_VALUE(t), int32_t>(s, o, scalars);
    });
    return rc_cuda_launched("launch of gplain-spmv", err);
}
