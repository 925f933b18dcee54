/* Whether an order on a GPU has every row once: rows are bits. */
#include "order/cuda/orders.cuh"

namespace
{

enum { WORD_BITS = 32 };

struct found {
    int32_t wrong; /* 1: a slot holds no row, or one that another has */
    int32_t moved; /* 1: a slot holds another row than its own */
};

__global__ void look(const int32_t *slots, int64_t rows, uint32_t *seen, found *out)
{
    rc::for_each(rows, [=](int64_t p) {
        const int32_t r = slots[p];
        if (r < 0 || r >= rows) {
            out->wrong = 1;
            return;
        }
        const uint32_t bit = 1u << r % WORD_BITS;
        if (atomicOr(&seen[r / WORD_BITS], bit) & bit)
            out->wrong = 1;
        if (r != p)
            out->moved = 1;
    });
}

} // namespace

extern "C" rc_status_t rc_cuda_order_check(
    rc_executor_t *x, const int32_t *slots, int64_t rows, int *identity, rc_err_t *err)
{
    const size_t words = static_cast<size_t>((rows + WORD_BITS - 1) / WORD_BITS);
    found got = {0, 0};
    void *memory = nullptr;
    *identity = 1;
    if (rows == 0)
        return RC_OK;
    const size_t bytes = sizeof got + words * sizeof(uint32_t);
    RC_PASS(x->alloc(x, bytes, &memory, err));
    rc_status_t st = x->fill(x, memory, 0, bytes, err);
    if (st == RC_OK) {
        found *out = static_cast<found *>(memory);
        const int before = rc_cuda_enter(x);
        look<<<rc::blocks_for(rows), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(
            slots, rows, reinterpret_cast<uint32_t *>(out + 1), out);
        st = rc_cuda_launched("checking an order", err);
        rc_cuda_leave(x, before);
    }
    if (st == RC_OK)
        st = x->download(x, &got, memory, sizeof got, err);
    x->release(x, memory);
    *identity = !got.moved;
    if (st == RC_OK && got.wrong)
        st = rc_fail(err, RC_EINVAL, "expected every row once, a GPU gave another list");
    return st;
}
