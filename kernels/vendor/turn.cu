/* Tiles of a column-major matrix through shared memory into rows: both sides are walked along
 * their lines. */
#include "kernels/vendor/turn.h"
#include "device/cuda/cuda.h"
#include "device/cuda/types.cuh"

#include <cstdint>

namespace
{

enum { SIDE = 32, ROWS = 8 };
const int64_t GRID_Y_MAX = 65535; /* tiles of columns; what is beyond is walked in strides */

template <typename T>
__global__ void __launch_bounds__(SIDE *ROWS)
    turn(const T *from, int64_t ld_from, T *to, int64_t ld_to, int64_t rows, int64_t cols, T beta)
{
    __shared__ T tile[SIDE][SIDE + 1]; /* a column of it is in different banks */
    const int64_t r0 = (int64_t)blockIdx.x * SIDE;
    for (int64_t c0 = (int64_t)blockIdx.y * SIDE; c0 < cols; c0 += (int64_t)gridDim.y * SIDE) {
        for (int i = threadIdx.y; i < SIDE; i += ROWS)
            if (r0 + threadIdx.x < rows && c0 + i < cols)
                tile[i][threadIdx.x] = from[(c0 + i) * ld_from + r0 + threadIdx.x];
        __syncthreads();
        for (int i = threadIdx.y; i < SIDE; i += ROWS)
            if (r0 + i < rows && c0 + threadIdx.x < cols) {
                T *at = to + (r0 + i) * ld_to + c0 + threadIdx.x;
                const T value = tile[threadIdx.x][i];
                *at = beta == T(0) ? value : value + beta * *at;
            }
        __syncthreads();
    }
}

template <typename T>
void launch(const rc_executor_t *x, const rc_dense_t *from, const rc_dense_t *to, T beta)
{
    const int64_t tiles = (to->cols + SIDE - 1) / SIDE;
    const dim3 grid((unsigned)((to->rows + SIDE - 1) / SIDE),
        (unsigned)(tiles < GRID_Y_MAX ? tiles : GRID_Y_MAX));
    turn<<<grid, dim3(SIDE, ROWS), 0, rc_cuda_stream(x)>>>(static_cast<const T *>(from->data),
        from->ld, static_cast<T *>(to->data), to->ld, to->rows, to->cols, beta);
}

} // namespace

extern "C" rc_status_t rc_cuda_turn(const rc_executor_t *x, const rc_dense_t *from,
    const rc_dense_t *to, double beta, rc_err_t *err)
{
    if (to->rows == 0 || to->cols == 0)
        return RC_OK;
    rc::pick<rc::ieee>(
        to->precision, [&](auto t) { launch(x, from, to, static_cast<RC_VALUE(t)>(beta)); });
    return rc_cuda_launched("turning columns into rows", err);
}
