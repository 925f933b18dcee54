/* beta times some rows of a dense matrix. */
#include "device/cuda/scale.h"
#include "device/cuda/cuda.h"
#include "device/cuda/store.cuh"

#include <cstdint>

namespace
{

enum { THREADS = 256 };
const int64_t GRID_MAX = 1 << 16; /* blocks; what is beyond is walked in strides */

/* Neighbouring threads have neighbouring columns of a row-major matrix, rows of a column-major one.
 */
template <typename T>
__global__ void scale(T *data, const int32_t *row, int64_t rows, int64_t cols, int64_t row_step,
    int64_t col_step, const rc_cuda_scalars_t scalars)
{
    typedef rc::sum_of<T> S;
    const auto beta = rc::beta_of(scalars, S());
    const bool by_row = col_step == 1;
    const int64_t length = by_row ? cols : rows;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += step) {
        const int64_t line = i / length;
        const int64_t along = i % length;
        const int64_t at = by_row ? line : along;
        T *to = data + (row ? row[at] : at) * row_step + (by_row ? along : line) * col_step;
        *to = beta != S(0) ? static_cast<T>(beta * static_cast<S>(*to)) : T(0);
    }
}

template <typename T>
void launch(const rc_executor_t *x, const rc_dense_t *m, const int32_t *row, int64_t rows,
    const rc_cuda_scalars_t &scalars)
{
    const bool row_major = m->layout == RC_ROW_MAJOR;
    const int64_t blocks = (rows * m->cols + THREADS - 1) / THREADS;
    scale<<<(unsigned)(blocks < GRID_MAX ? blocks : GRID_MAX), THREADS, 0, rc_cuda_stream(x)>>>(
        static_cast<T *>(m->data), row, rows, m->cols, row_major ? m->ld : 1, row_major ? 1 : m->ld,
        scalars);
}

} // namespace

extern "C" rc_status_t rc_cuda_scale(const rc_executor_t *x, const rc_dense_t *m,
    const int32_t *row, int64_t rows, const double beta[2], rc_err_t *err)
{
    if (rows == 0 || m->cols == 0 || (beta[0] == 1 && beta[1] == 0))
        return RC_OK;
    const rc_operands_t of = {{*m}, *m, 0, beta[1]};
    const rc_cuda_scalars_t scalars = rc_cuda_scalars(&of, 1, beta[0]);
    rc::pick<rc::any>(m->precision, [&](auto t) { launch<RC_VALUE(t)>(x, m, row, rows, scalars); });
    return rc_cuda_launched("scaling rows of the output", err);
}
