/* Device function of gplain-sddmm. */
#include "device/cuda/types.cuh"
#include "kernels/testing/gplain.h"
#include "device/cuda/load.cuh"
#include "device/cuda/store.cuh"

namespace
{

enum { THREADS = 256, WARP = 32 };

/* Row-major rows of Y and X, and values of the output. */
template <typename T> struct operands {
    const T *y;
    const T *x;
    T *out;
    int64_t ldy;
    int64_t ldx;
    int64_t k;
    rc_cuda_scalars_t scalars;
};

/* A warp per slot. */
template <typename T, typename I>
__global__ void sddmm(const rc_cuda_slots_t s, const I *first, const operands<T> o)
{
    typedef rc::sum_of<T> S;
    const int lane = threadIdx.x % WARP;
    const int32_t p = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    const rc::extent<I> e = rc::load_extent<I>(s.ptr, s.row, p, static_cast<int32_t>(s.slots));
    const T *val = static_cast<const T *>(s.val);
    if (e.row < 0)
        return; /* the whole warp */
    const I to = first ? first[p] : e.begin;
    const T *y = o.y + e.row * o.ldy;
    for (I i = e.begin; i < e.end; i++) {
        const T *x = o.x + s.col[i] * o.ldx;
        S sum = S(0);
        for (int64_t j = lane; j < o.k; j += WARP)
            sum = fma(static_cast<S>(y[j]), static_cast<S>(x[j]), sum);
        for (int step = WARP / 2; step >= 1; step /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (lane == 0)
            rc::store(o.out + to + (i - e.begin), static_cast<S>(val[i]) * sum, o.scalars);
    }
}

template <typename T, typename I>
void launch(const rc_gplain_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars)
{
    const int64_t per_block = THREADS / WARP;
    const int64_t blocks = (s->slots.slots + per_block - 1) / per_block;
    const operands<T> on = {static_cast<const T *>(o->in[0].data),
        static_cast<const T *>(o->in[1].data), static_cast<T *>(o->out.data), o->in[0].ld,
        o->in[1].ld, o->in[0].cols, scalars};
    sddmm<T, I><<<static_cast<unsigned>(blocks), THREADS, 0, rc_cuda_stream(s->base.memory.x)>>>(
        s->slots, static_cast<const I *>(s->first), on);
}

} // namespace

extern "C" rc_status_t rc_gplain_sddmm(
    const rc_gplain_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_cuda_scalars_t scalars = rc_cuda_scalars(o, alpha, beta);
    if (s->slots.slots == 0)
        return RC_OK; /* a grid of no blocks is an error */
    rc::pick<rc::any>(s->base.p.precision, [&](auto t) {
        s->slots.wide ? launch<RC_VALUE(t), int64_t>(s, o, scalars)
                      : launch<RC_VALUE(t), int32_t>(s, o, scalars);
    });
    return rc_cuda_launched("launch of gplain-sddmm", err);
}
