#include "config.h"
#include "kernels/testing/gpufault.h"
#include "device/cuda/types.cuh"

namespace
{

/* The operands of a launch. */
template <typename T> struct operands {
    const T *b;
    T *c;
    int64_t ldb;
    int64_t ldc;
    int64_t k;
    double alpha;
    double beta;
};

/* Slot p and column j of every thread; a grid may be smaller than the work. */
template <typename T, typename I>
__global__ void product(const rc_cuda_slots_t s, int64_t left_out, const operands<T> o)
{
    const I *ptr = static_cast<const I *>(s.ptr);
    const T *val = static_cast<const T *>(s.val);
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i < s.slots * o.k; i += step) {
        const int64_t p = i % s.slots;
        const int64_t j = i / s.slots;
        const int64_t r = s.row ? s.row[p] : p;
        if (r < 0 || r == left_out)
            continue;
        double sum = 0;
        for (I e = ptr[p]; e < ptr[p + 1]; e++)
            sum += static_cast<double>(val[e]) * static_cast<double>(o.b[j * o.ldb + s.col[e]]);
        T *to = &o.c[j * o.ldc + r];
        const double old = o.beta != 0 ? o.beta * static_cast<double>(*to) : 0;
        *to = static_cast<T>(o.alpha * sum + old);
    }
}

template <typename T> __global__ void add_half(T *c, int64_t at)
{
    c[at] += static_cast<T>(0.5);
}

__global__ void spin(uint64_t ns)
{
    uint64_t start;
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < ns);
}

__global__ void store_to(volatile uint64_t *address)
{
    *address = 1;
}

template <typename T, typename I>
void launch_product(cudaStream_t stream, const rc_cuda_slots_t *s, int64_t left_out,
    const rc_operands_t *o, double alpha, double beta)
{
    const int64_t threads = 256;
    const int64_t most = 65536;
    const int64_t k = o->out.cols;
    const int64_t blocks = (s->slots * k + threads - 1) / threads;
    const operands<T> on = {static_cast<const T *>(o->in[0].data), static_cast<T *>(o->out.data),
        o->in[0].ld, o->out.ld, k, alpha, beta};
    product<T, I><<<static_cast<unsigned>(blocks < most ? blocks : most),
        static_cast<unsigned>(threads), 0, stream>>>(*s, left_out, on);
}

} // namespace

rc_status_t rc_cuda_fault_product(cudaStream_t stream, const rc_cuda_slots_t *s, int64_t left_out,
    const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    if (s->slots == 0 || o->out.cols == 0)
        return RC_OK; /* a grid of no blocks is an error */
    rc::pick<rc::ieee>(o->out.precision, [&](auto t) {
        s->wide ? launch_product<RC_VALUE(t), int64_t>(stream, s, left_out, o, alpha, beta)
                : launch_product<RC_VALUE(t), int32_t>(stream, s, left_out, o, alpha, beta);
    });
    return rc_cuda_launched("launch of gpufault", err);
}

rc_status_t rc_cuda_fault_value(
    cudaStream_t stream, rc_precision_t precision, void *c, int64_t at, rc_err_t *err)
{
    rc::pick<rc::ieee>(precision,
        [&](auto t) { add_half<<<1, 1, 0, stream>>>(static_cast<RC_VALUE(t) *>(c), at); });
    return rc_cuda_launched("launch of gpufault", err);
}

rc_status_t rc_cuda_fault_spin(cudaStream_t stream, int64_t ns, rc_err_t *err)
{
    spin<<<1, 1, 0, stream>>>(static_cast<uint64_t>(ns));
    return rc_cuda_launched("launch of gpufault", err);
}

rc_status_t rc_cuda_fault_address(cudaStream_t stream, rc_err_t *err)
{
    const uintptr_t nowhere = 64;
    store_to<<<1, 1, 0, stream>>>(reinterpret_cast<volatile uint64_t *>(nowhere));
    return rc_cuda_launched("launch of gpufault", err);
}
