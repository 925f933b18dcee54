/* Values by their places. */
#include "device/cuda/gather.h"
#include "device/cuda/cuda.h"
#include "base/error.h"
#include "device/cuda/types.cuh"

namespace
{

constexpr int THREADS = 256;
constexpr int64_t CTAS_MAX = 1 << 20;

template <typename T, typename F>
__global__ void gather(T *to, const void *place, int place_bytes, int64_t count, const F *from)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; i < count;
         i += step) {
        const int64_t at = place == nullptr   ? i + 1
                           : place_bytes == 4 ? static_cast<const int32_t *>(place)[i]
                                              : static_cast<const int64_t *>(place)[i];
        to[i] = at > 0 ? static_cast<T>(from[at - 1]) : T(0);
    }
}

__global__ void nothing()
{
}

template <typename T, typename F> int launch(const rc_gather_t *g, cudaStream_t stream)
{
    const int64_t ctas = (g->count + THREADS - 1) / THREADS;
    gather<T, F><<<static_cast<unsigned>(ctas < CTAS_MAX ? ctas : CTAS_MAX), THREADS, 0, stream>>>(
        static_cast<T *>(g->to), g->place, g->place_bytes, g->count,
        static_cast<const F *>(g->from));
    return 1;
}

} // namespace

extern "C" rc_status_t rc_cuda_gather(const rc_executor_t *x, const rc_gather_t *g, rc_err_t *err)
{
    if (g->count == 0)
        return RC_OK;
    const cudaStream_t stream = rc_cuda_stream(x);
    const int known = rc::pick<rc::all>(g->to_type, [&](auto to) {
        return rc::pick<rc::all>(g->from_type,
            [&](auto from) { return launch<RC_VALUE(to), RC_VALUE(from)>(g, stream); });
    });
    if (!known)
        return rc_fail(err, RC_ENOTSUP, "values of a type that is not known");
    RC_PASS(rc_cuda_launched("new values", err));
    nothing<<<1, 1, 0, rc_cuda_stream(x)>>>();
    return rc_cuda_launched("new values", err);
}
