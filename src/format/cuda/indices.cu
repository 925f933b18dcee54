#include "format/cuda/indices.h"
#include "device/cuda/cuda.h"

#include <cstdint>

namespace
{

enum { THREADS = 256, WARP = 32 };
const int64_t GRID_MAX = 1 << 16; /* blocks; what is beyond is walked in strides */

__global__ void widen(const int32_t *in, int64_t *out, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = in[i];
}

/* A warp per slot. */
template <typename Ptr, typename Row>
__global__ void expand(const Ptr *ptr, int64_t slots, Row *row)
{
    int64_t step = (int64_t)gridDim.x * (THREADS / WARP);
    for (int64_t p = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; p < slots;
         p += step) {
        int64_t end = ptr[p + 1];
        for (int64_t e = (int64_t)ptr[p] + threadIdx.x % WARP; e < end; e += WARP)
            row[e] = (Row)p;
    }
}

unsigned blocks_for(int64_t items, int64_t per_block)
{
    int64_t n = (items + per_block - 1) / per_block;
    return (unsigned)(n < GRID_MAX ? n : GRID_MAX);
}

template <typename Ptr, typename Row>
void launch(const rc_executor_t *x, const void *ptr, int64_t slots, void *row)
{
    expand<<<blocks_for(slots, THREADS / WARP), THREADS, 0, rc_cuda_stream(x)>>>(
        (const Ptr *)ptr, slots, (Row *)row);
}

} // namespace

extern "C" rc_status_t rc_cuda_widen(
    const rc_executor_t *x, const int32_t *in, int64_t *out, int64_t n, rc_err_t *err)
{
    if (n == 0)
        return RC_OK;
    widen<<<blocks_for(n, THREADS), THREADS, 0, rc_cuda_stream(x)>>>(in, out, n);
    return rc_cuda_check(cudaGetLastError(), "widening indices", err);
}

extern "C" rc_status_t rc_cuda_expand(const rc_executor_t *x, const void *ptr, int ptr_wide,
    int64_t slots, void *row, int row_wide, rc_err_t *err)
{
    if (slots == 0)
        return RC_OK;
    if (ptr_wide && row_wide)
        launch<int64_t, int64_t>(x, ptr, slots, row);
    else if (ptr_wide)
        launch<int64_t, int32_t>(x, ptr, slots, row);
    else if (row_wide)
        launch<int32_t, int64_t>(x, ptr, slots, row);
    else
        launch<int32_t, int32_t>(x, ptr, slots, row);
    return rc_cuda_check(cudaGetLastError(), "making row indices", err);
}
