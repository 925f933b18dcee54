/* Values by their places. */
#include "device/cuda/gather.h"
#include "device/cuda/cuda.h"
#include "base/error.h"
#include "device/cuda/types.cuh"

namespace
{

constexpr int THREADS = 256;
constexpr int64_t CTAS_MAX = 1 << 20;

/* A value in another type, or bit by bit. */
template <typename T, typename F> __device__ T as(const F &x)
{
    if constexpr (std::is_same<T, F>::value)
        return x;
    else
        return static_cast<T>(static_cast<rc::sum_of<F>>(x));
}

template <typename T> __device__ T turned(const T &x, int)
{
    return x;
}

template <typename R> __device__ rc::complex<R> turned(const rc::complex<R> &x, int conjugates)
{
    return rc::complex<R>(x.re, conjugates ? -x.im : x.im);
}

template <typename T, typename F>
__global__ void gather(
    T *to, const void *place, int place_bytes, int64_t count, const F *from, int conjugates)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; i < count;
         i += step) {
        const int64_t at = place == nullptr ? i + 1 : rc::pointers{place, place_bytes}[i];
        to[i] = at > 0 ? turned(as<T>(from[at - 1]), conjugates) : T(0);
    }
}

/* Neighbouring threads have neighbouring values of `to`: `near` is 1 where these are of a row. */
template <typename T> __global__ void take(const rc_take_t t, int near)
{
    T *const to = static_cast<T *>(t.to);
    const T *const from = static_cast<const T *>(t.from);
    const int64_t length = near ? t.cols : t.rows;
    const int64_t lines = near ? t.rows : t.cols;
    for (int64_t l = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y; l < lines;
         l += static_cast<int64_t>(gridDim.x) * blockDim.y)
        for (int64_t i = static_cast<int64_t>(blockIdx.y) * blockDim.x + threadIdx.x; i < length;
             i += static_cast<int64_t>(gridDim.y) * blockDim.x) {
            const int64_t p = near ? l : i;
            const int64_t j = near ? i : l;
            to[p * t.to_step[0] + j * t.to_step[1]] =
                from[t.row[p] * t.from_step[0] + j * t.from_step[1]];
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
        static_cast<const F *>(g->from), g->conjugates);
    return 1;
}

/* Where one becomes the other: an imaginary part is not left out. */
template <typename T, typename F> int gather_as(const rc_gather_t *g, cudaStream_t stream)
{
    if constexpr (std::is_constructible<T, rc::sum_of<F>>::value)
        return launch<T, F>(g, stream);
    else
        return 0;
}

template <typename T> int launch(const rc_take_t *t, cudaStream_t stream)
{
    const int64_t lines_max = 1 << 20;
    const int64_t pieces_max = 1 << 15;
    const int near = t->to_step[1] == 1;
    const int64_t length = near ? t->cols : t->rows;
    const int64_t lines = near ? t->rows : t->cols;
    int lanes = 1;
    while (lanes < THREADS && lanes < length)
        lanes *= 2;
    const int beside = THREADS / lanes;
    const int64_t ctas = (lines + beside - 1) / beside;
    const int64_t pieces = (length + lanes - 1) / lanes;
    const dim3 grid(static_cast<unsigned>(ctas < lines_max ? ctas : lines_max),
        static_cast<unsigned>(pieces < pieces_max ? pieces : pieces_max));
    take<T><<<grid, dim3(lanes, beside), 0, stream>>>(*t, near);
    return 1;
}

} // namespace

extern "C" rc_status_t rc_cuda_gather(const rc_executor_t *x, const rc_gather_t *g, rc_err_t *err)
{
    if (g->count == 0)
        return RC_OK;
    const cudaStream_t stream = rc_cuda_stream(x);
    const int known = rc::pick<rc::any>(g->to_type, [&](auto to) {
        return rc::pick<rc::any>(g->from_type,
            [&](auto from) { return gather_as<RC_VALUE(to), RC_VALUE(from)>(g, stream); });
    });
    if (!known)
        return rc_fail(err, RC_ENOTSUP, "values of a type that is not known");
    RC_PASS(rc_cuda_launched("new values", err));
    nothing<<<1, 1, 0, rc_cuda_stream(x)>>>();
    return rc_cuda_launched("new values", err);
}

extern "C" rc_status_t rc_cuda_take(const rc_executor_t *x, const rc_take_t *t, rc_err_t *err)
{
    if (t->rows == 0 || t->cols == 0)
        return RC_OK;
    const cudaStream_t stream = rc_cuda_stream(x);
    if (!rc::pick<rc::any>(t->type, [&](auto v) { return launch<RC_VALUE(v)>(t, stream); }))
        return rc_fail(err, RC_ENOTSUP, "values of a type that is not known");
    return rc_cuda_launched("rows in another order", err);
}
