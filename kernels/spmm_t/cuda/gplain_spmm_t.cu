/* Device function of gplain-spmm_t. */
#include "device/cuda/types.cuh"
#include "kernels/testing/gplain.h"
#include "device/cuda/load.cuh"
#include "device/cuda/store.cuh"

namespace
{

enum { THREADS = 256, WARP = 32 };

/* A warp per slot, lanes along K: a value of B is read once for all entries of the row. */
template <typename T, typename I>
__global__ void spmm_t(const rc_cuda_slots_t s, const T *b, int64_t ldb, T *c, int64_t ldc,
    int64_t k, const rc_cuda_scalars_t scalars)
{
    const int lane = threadIdx.x % WARP;
    const int32_t p = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    const rc::extent<I> e = rc::load_extent<I>(s.ptr, s.row, p, static_cast<int32_t>(s.slots));
    const T *val = static_cast<const T *>(s.val);
    if (e.row < 0)
        return;
    for (int64_t j = lane; j < k; j += WARP) {
        const T x = rc::alpha_of(scalars, T()) * b[e.row * ldb + j];
        for (I i = e.begin; i < e.end; i++)
            atomicAdd(&c[s.col[i] * ldc + j], val[i] * x);
    }
}

template <typename T, typename I>
void launch(const rc_gplain_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars)
{
    const int64_t per_block = THREADS / WARP;
    const int64_t blocks = (s->slots.slots + per_block - 1) / per_block;
    const rc_dense_t *b = &o->in[0];
    const cudaStream_t stream = rc_cuda_stream(s->base.memory.x);
    spmm_t<T, I><<<static_cast<unsigned>(blocks), THREADS, 0, stream>>>(s->slots,
        static_cast<const T *>(b->data), b->ld, static_cast<T *>(o->out.data), o->out.ld,
        o->out.cols, scalars);
}

} // namespace

extern "C" rc_status_t rc_gplain_spmm_t(
    const rc_gplain_t *s, const rc_operands_t *o, double alpha, rc_err_t *err)
{
    const rc_cuda_scalars_t scalars = rc_cuda_scalars(o, alpha, 0);
    if (s->slots.slots == 0)
        return RC_OK; /* a grid of no blocks is an error */
    rc::pick<rc::any>(o->out.precision, [&](auto t) {
        if constexpr (std::is_same<RC_VALUE(t), RC_SUM(t)>::value)
            s->slots.wide ? launch<RC_VALUE(t), int64_t>(s, o, scalars)
                          : launch<RC_VALUE(t), int32_t>(s, o, scalars);
    });
    return rc_cuda_launched("launch of gplain-spmm_t", err);
}
