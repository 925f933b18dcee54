/* Values of A times dot products. */
#include "kernels/vendor/sampled.h"
#include "device/cuda/cuda.h"
#include "device/cuda/store.cuh"
#include "device/cuda/types.cuh"

#include <cstdint>

namespace
{

enum { THREADS = 256 };
const int64_t GRID_MAX = 1 << 16; /* blocks; what is beyond is walked in strides */

template <typename T>
__global__ void sampled(
    const T *val, const T *dot, T *out, int64_t n, const rc_cuda_scalars_t scalars)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; e < n; e += step)
        rc::store(out + e, val[e] * dot[e], scalars);
}

template <typename T>
void launch(const rc_executor_t *x, const void *val, const void *dot, const rc_dense_t *out,
    rc_cuda_scalars_t scalars)
{
    const int64_t blocks = (out->rows + THREADS - 1) / THREADS;
    sampled<<<static_cast<unsigned>(blocks < GRID_MAX ? blocks : GRID_MAX), THREADS, 0,
        rc_cuda_stream(x)>>>(static_cast<const T *>(val), static_cast<const T *>(dot),
        static_cast<T *>(out->data), out->rows, scalars);
}

} // namespace

extern "C" rc_status_t rc_cuda_sampled(const rc_executor_t *x, const void *val, const void *dot,
    const rc_dense_t *out, double alpha, double beta, rc_err_t *err)
{
    const rc_cuda_scalars_t scalars = rc_cuda_scalars(alpha, beta);
    if (out->rows == 0)
        return RC_OK;
    rc::pick<rc::ieee>(
        out->precision, [&](auto t) { launch<RC_VALUE(t)>(x, val, dot, out, scalars); });
    return rc_cuda_launched("values of A times dot products", err);
}
