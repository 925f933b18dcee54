/* The GPU form of src/order/policy_labels.c. */
#include "order/cuda/votes.h"
#include "order/cuda/orders.cuh"

namespace
{

__global__ void begin(uint32_t *label, int32_t *row, int64_t n)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; r < n; r += step) {
        label[r] = (uint32_t)r;
        row[r] = (int32_t)r;
    }
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *params,
    void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    int64_t temp_bytes;
    RC_PASS(rc_cuda_sort_bytes(a->rows, &temp_bytes, err));
    rc::workspace w = {(char *)work, 0};
    uint32_t *columns = w.take<uint32_t>(2 * a->cols);
    rc_cuda_pairs_t p = {w.take<uint32_t>(a->rows), w.take<uint32_t>(a->rows), slots,
        w.take<int32_t>(a->rows), a->rows};
    void *temp = w.take<char>(temp_bytes);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    begin<<<rc::blocks_for(a->rows), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(
        p.key, p.value, a->rows);
    RC_PASS(rc_cuda_launched("labels of rows", err));
    RC_PASS(rc_cuda_votes(x, a, (int)params->value[0], p.key, columns, err));
    RC_PASS(rc_cuda_sort(x, temp, temp_bytes, &p, rc::bits_of(a->rows), err));
    return rc::deliver(x, &p, slots, err);
}

} // namespace

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_labels;
const rc_cuda_order_t rc_cuda_order_labels = {"labels", build};
}
