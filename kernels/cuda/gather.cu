/* Values by their places. */
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/gather.h"

namespace
{

constexpr int THREADS = 256;
constexpr int64_t CTAS_MAX = 1 << 20;

template <typename T, typename I, typename F>
__global__ void gather(T *to, const I *place, int64_t count, const F *from)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; i < count; i += step) {
        const I at = place[i];
        to[i] = at > 0 ? static_cast<T>(from[at - 1]) : T(0);
    }
}

__global__ void nothing()
{
}

template <typename T, typename I, typename F>
void launch(const rc_gather_t *g, unsigned ctas, cudaStream_t stream)
{
    gather<T, I, F><<<ctas, THREADS, 0, stream>>>(static_cast<T *>(g->to),
        static_cast<const I *>(g->place), g->count, static_cast<const F *>(g->from));
}

template <typename T, typename I>
void launch(const rc_gather_t *g, unsigned ctas, cudaStream_t stream)
{
    if (g->from_bytes == 4)
        launch<T, I, float>(g, ctas, stream);
    else
        launch<T, I, double>(g, ctas, stream);
}

template <typename T> void launch(const rc_gather_t *g, unsigned ctas, cudaStream_t stream)
{
    if (g->place_bytes == 4)
        launch<T, int32_t>(g, ctas, stream);
    else
        launch<T, long long>(g, ctas, stream);
}

} // namespace

extern "C" rc_status_t rc_cuda_gather(const rc_executor_t *x, const rc_gather_t *g, rc_err_t *err)
{
    if (g->count == 0)
        return RC_OK;
    const int64_t ctas = (g->count + THREADS - 1) / THREADS;
    const unsigned grid = static_cast<unsigned>(ctas < CTAS_MAX ? ctas : CTAS_MAX);
    if (g->to_bytes == 4)
        launch<float>(g, grid, rc_cuda_stream(x));
    else
        launch<double>(g, grid, rc_cuda_stream(x));
    rc_status_t st = rc_cuda_launched("new values", err);
    if (st < 0)
        return st;
    nothing<<<1, 1, 0, rc_cuda_stream(x)>>>();
    return rc_cuda_launched("new values", err);
}
