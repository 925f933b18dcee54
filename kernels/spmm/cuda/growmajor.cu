/* Device functions of growmajor.  The lanes of a row hold neighbouring columns of C, so a load of B
 * is one piece of a row of B and there is nothing to reduce; all of them read the same entry of A.
 */
#include "kernels/spmm/cuda/growmajor.h"
#include "device/cuda/load.cuh"
#include "device/cuda/types.cuh"
#include "device/cuda/vector.cuh"

namespace rc
{

template <typename T, typename I, int WIDTH, int VECTORS, typename S = sum_of<T>>
__global__ void __launch_bounds__(RC_ROWS_THREADS) rowmajor(const rc_rowmajor_args_t a)
{
    constexpr int UNROLL = 4 / VECTORS; /* entries whose loads of B are in flight */
    const int lanes = VECTORS == 1 ? a.lanes : 32;
    const int lane = threadIdx.x % static_cast<unsigned>(lanes);
    const int32_t p = blockIdx.x * (RC_ROWS_THREADS / static_cast<unsigned>(lanes)) +
                      threadIdx.x / static_cast<unsigned>(lanes);
    const extent<I> x = load_extent<I>(a.ptr, a.row, p, a.slots);
    if (x.row < 0)
        return;
    const T *val = static_cast<const T *>(a.val);
    for (int32_t tile = blockIdx.y; tile < a.tiles; tile += gridDim.y) {
        const int64_t j = (static_cast<int64_t>(tile) * VECTORS * lanes + lane) * WIDTH;
        const T *b = static_cast<const T *>(a.b) + j;
        packed<S, WIDTH> sum[VECTORS];
        bool has[VECTORS]; /* is within B; K is a multiple of WIDTH */
#pragma unroll
        for (int i = 0; i < VECTORS; i++) {
            has[i] = j + i * 32 * WIDTH < a.k;
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum[i].value[w] = S(0);
        }
#pragma unroll 1
        for (I e = x.begin; e < x.end; e += UNROLL) {
            int32_t c[UNROLL];
            T v[UNROLL];
            packed<T, WIDTH> m[UNROLL][VECTORS];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                bool entry = u == 0 || e + u < x.end;
                c[u] = entry ? __ldg(a.col + e + u) : 0;
                v[u] = entry ? __ldg(val + e + u) : T(0);
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                bool entry = u == 0 || e + u < x.end;
                const T *from = b + line_at(c[u], a.ldb);
#pragma unroll
                for (int i = 0; i < VECTORS; i++) {
#pragma unroll
                    for (int w = 0; w < WIDTH; w++)
                        m[u][i].value[w] = T(0);
                    if (entry && has[i])
                        m[u][i].vector = load_vector<T, WIDTH>(from + i * 32 * WIDTH);
                }
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
#pragma unroll
                for (int i = 0; i < VECTORS; i++)
#pragma unroll
                    for (int w = 0; w < WIDTH; w++)
                        sum[i].value[w] = fma(S(v[u]), S(m[u][i].value[w]), sum[i].value[w]);
        }
        T *out = static_cast<T *>(a.c) + line_at(x.row, a.ldc) + j;
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            if (has[i])
                store_vector<T, WIDTH>(out + i * 32 * WIDTH, sum[i], a.scalars);
    }
}

template <typename T, typename I, int WIDTH> const void *rowmajor_entry(int vectors)
{
    switch (vectors) {
    case 1:
        return reinterpret_cast<const void *>(rowmajor<T, I, WIDTH, 1>);
    case 2:
        return reinterpret_cast<const void *>(rowmajor<T, I, WIDTH, 2>);
    case 4:
        return reinterpret_cast<const void *>(rowmajor<T, I, WIDTH, 4>);
    default:
        return nullptr;
    }
}

template <typename T, int WIDTH> const void *rowmajor_entry(int wide, int vectors)
{
    return wide ? rowmajor_entry<T, int64_t, WIDTH>(vectors)
                : rowmajor_entry<T, int32_t, WIDTH>(vectors);
}

} // namespace rc

extern "C" const void *rc_cuda_growmajor_entry(
    rc_precision_t precision, int wide, int width, int vectors)
{
    return rc::pick_wide<rc::any>(precision, width, [&](auto t, auto w) {
        return rc::rowmajor_entry<RC_VALUE(t), RC_WIDTH(w)>(wide, vectors);
    });
}
