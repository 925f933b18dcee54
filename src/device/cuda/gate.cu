#include "config.h"
#include "device/cuda/cuda.h"

/* Volatile: a load of system scope, so that a store of the host is seen. */
static __global__ void wait_at_gate(
    volatile rc_cuda_gate_t *gate, uint32_t ticket, uint64_t bound_ns)
{
    const unsigned nap_ns = 100;
    uint64_t start;
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    while (static_cast<int32_t>(gate->open - ticket) < 0) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > bound_ns) {
            gate->gave_up = ticket;
            __threadfence_system();
            return;
        }
        __nanosleep(nap_ns);
    }
}

rc_status_t rc_cuda_gate(
    cudaStream_t stream, rc_cuda_gate_t *gate, uint32_t ticket, uint64_t bound_ns, rc_err_t *err)
{
    wait_at_gate<<<1, 1, 0, stream>>>(gate, ticket, bound_ns);
    return rc_cuda_launched("the gate before a batch", err);
}
