/* Rates of reading and of arithmetic. */
#include "device/limits.h"
#include "device/cuda/cuda.h"
#include "base/error.h"

#include <cstdint>

namespace
{

enum {
    THREADS = 256,
    CTAS = 8, /* of a multiprocessor: all of its threads */
    CHAINS = 8,
    ROUNDS = 5,
    OWN_BYTES = 16384, /* that a CTA reads again and again */
    OFTEN = 64,        /* passes over them */
    FMAS = 4096,
    NEAR_PASSES = 16,
    BEYOND_L2 = 16,
    WITHIN_L2 = 4
};

/* Never true, but nobody knows that when it is compiled: what was read is of use. */
__device__ void keep(float sum, float *out)
{
    if (sum == 1.25f)
        *out = sum;
}

/* All of n vectors, `passes` times, past the L1. */
__global__ void read_far(const float4 *from, int64_t n, int passes, float *out)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    float sum = 0;
    for (int pass = 0; pass < passes; pass++)
#pragma unroll 8
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
            const float4 v = __ldcg(from + i);
            sum += v.x + v.y + v.z + v.w;
        }
    keep(sum, out);
}

/* A thread reads another vector of its CTA's own bytes in each pass: loads of one address would be
 * taken out of the loop, by the assembler too, which does not keep `asm volatile`. */
__global__ void read_l1(const char *from, float *out)
{
    const char *own = from + (int64_t)blockIdx.x * OWN_BYTES;
    float sum = 0;
    for (int pass = 0; pass < OFTEN; pass++)
#pragma unroll
        for (int at = 0; at < OWN_BYTES; at += THREADS * (int)sizeof(float4)) {
            float4 v;
            const char *p = own + at + (threadIdx.x + pass) % THREADS * sizeof(float4);
            asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(p));
            sum += v.x + v.y + v.z + v.w;
        }
    keep(sum, out);
}

__global__ void read_shared(float *out)
{
    __shared__ float word[OWN_BYTES / sizeof(float)];
    const volatile float *own = word;
    float sum = 0;
    for (int i = threadIdx.x; i < (int)(OWN_BYTES / sizeof(float)); i += THREADS)
        word[i] = 0;
    __syncthreads();
    for (int pass = 0; pass < OFTEN; pass++)
#pragma unroll
        for (int at = 0; at < (int)(OWN_BYTES / sizeof(float)); at += THREADS)
            sum += own[at + threadIdx.x];
    keep(sum, out);
}

template <typename T> __global__ void multiply_add(T factor, float *out)
{
    T sum[CHAINS];
    T all = 0;
    for (int i = 0; i < CHAINS; i++)
        sum[i] = (T)(threadIdx.x + i);
    for (int n = 0; n < FMAS; n++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            sum[i] = sum[i] * factor + factor;
    for (int i = 0; i < CHAINS; i++)
        all += sum[i];
    keep((float)all, out);
}

enum what { MEMORY, L2, L1, SHARED, FP32, FP64 };

struct probe {
    const rc_executor_t *x;
    what kind;
    void *from;
    int64_t bytes; /* that are read from it in a pass */
    float *out;
    unsigned ctas;
};

/* Bytes, or flops, of one launch. */
double amount_of(const probe *p)
{
    const double threads = (double)p->ctas * THREADS;
    switch (p->kind) {
    case MEMORY:
        return (double)p->bytes;
    case L2:
        return (double)p->bytes * NEAR_PASSES;
    case L1:
    case SHARED:
        return (double)p->ctas * OWN_BYTES * OFTEN;
    default:
        return 2 * threads * FMAS * CHAINS;
    }
}

rc_status_t launch(void *user, rc_err_t *err)
{
    const probe *p = static_cast<const probe *>(user);
    const int64_t vectors = p->bytes / (int64_t)sizeof(float4);
    const cudaStream_t stream = rc_cuda_stream(p->x);
    switch (p->kind) {
    case MEMORY:
    case L2:
        read_far<<<p->ctas, THREADS, 0, stream>>>(
            static_cast<const float4 *>(p->from), vectors, p->kind == L2 ? NEAR_PASSES : 1, p->out);
        break;
    case L1:
        read_l1<<<p->ctas, THREADS, 0, stream>>>(static_cast<const char *>(p->from), p->out);
        break;
    case SHARED:
        read_shared<<<p->ctas, THREADS, 0, stream>>>(p->out);
        break;
    case FP32:
        multiply_add<float><<<p->ctas, THREADS, 0, stream>>>(0.5f, p->out);
        break;
    case FP64:
        multiply_add<double><<<p->ctas, THREADS, 0, stream>>>(0.5, p->out);
        break;
    }
    return rc_cuda_launched("measuring the limits of the device", err);
}

/* The most of some rounds. */
rc_status_t rate_of(rc_device_t *d, probe *p, double *out, rc_err_t *err)
{
    int64_t ns = 0;
    rc_status_t st = d->time_batch(d, launch, p, 1, &ns, err); /* the first one is warm-up */
    *out = 0;
    for (int i = 0; i < ROUNDS && st == RC_OK; i++) {
        st = d->time_batch(d, launch, p, 2, &ns, err);
        const double rate = 2 * amount_of(p) / (double)(ns > 0 ? ns : 1);
        *out = rate > *out ? rate : *out;
    }
    return st;
}

} // namespace

extern "C" rc_status_t rc_limits_measure(rc_device_t *d, rc_limits_t *out, rc_err_t *err)
{
    rc_executor_t *x = &d->executor;
    if (x->kind != RC_DEVICE_CUDA)
        return rc_fail(err, RC_ENOTSUP, "limits are measured on a GPU only");
    const int64_t l2 = rc_cuda_l2_bytes(x);
    const unsigned ctas = (unsigned)(rc_cuda_sms(x) * CTAS);
    const int64_t own = (int64_t)ctas * OWN_BYTES;
    const int64_t room = BEYOND_L2 * l2 > own ? BEYOND_L2 * l2 : own;
    double *const rate[] = {&out->memory, &out->l2, &out->l1, &out->shared, &out->fp32, &out->fp64};
    void *from = NULL;
    RC_PASS(x->alloc(x, (size_t)room + sizeof(float4), &from, err));
    const int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_check(
        cudaMemsetAsync(from, 0, (size_t)room, rc_cuda_stream(x)), "clearing what is read", err);
    for (int i = MEMORY; i <= FP64 && st == RC_OK; i++) {
        probe p = {x, (what)i, from, i == L2 ? l2 / WITHIN_L2 : BEYOND_L2 * l2,
            reinterpret_cast<float *>(static_cast<char *>(from) + room), ctas};
        st = rate_of(d, &p, rate[i], err);
    }
    rc_cuda_leave(x, before);
    x->release(x, from);
    return st;
}
