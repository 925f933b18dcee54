#include "config.h"
#include "kernels/cuda/cuda.h"

/* Volatile: a load of system scope, so that a store of the host is seen. */
static __global__ void wait_at_gate(
    const volatile uint32_t *flag, uint32_t ticket, uint64_t bound_ns, volatile uint32_t *gave_up)
{
    enum { nap_ns = 100 };
    uint64_t start;
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    while ((int32_t)(*flag - ticket) < 0) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > bound_ns) {
            *gave_up = ticket;
            __threadfence_system();
            return;
        }
        __nanosleep(nap_ns);
    }
}

rc_status_t rc_cuda_gate(cudaStream_t stream, const uint32_t *flag, uint32_t ticket,
    uint64_t bound_ns, uint32_t *gave_up, rc_err_t *err)
{
    wait_at_gate<<<1, 1, 0, stream>>>(flag, ticket, bound_ns, gave_up);
    return rc_cuda_launched("the gate before a batch", err);
}
