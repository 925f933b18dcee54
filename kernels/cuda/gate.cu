#include "config.h"
#include "kernels/cuda/cuda.h"

/* Volatile: a load of system scope, so that a store of the host is seen. */
static __global__ void wait_at_gate(
    const volatile uint32_t *open, uint32_t ticket, uint64_t bound_ns)
{
    const unsigned nap_ns = 100;
    uint64_t start;
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    while (static_cast<int32_t>(*open - ticket) < 0) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > bound_ns)
            return;
        __nanosleep(nap_ns);
    }
}

rc_status_t rc_cuda_gate(
    cudaStream_t stream, const uint32_t *open, uint32_t ticket, uint64_t bound_ns, rc_err_t *err)
{
    wait_at_gate<<<1, 1, 0, stream>>>(open, ticket, bound_ns);
    return rc_cuda_launched("the gate before a batch", err);
}
