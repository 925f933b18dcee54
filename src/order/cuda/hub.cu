/* The GPU form of src/order/policy_hub.c: one look at the length of every row, one sort.  Groups are the host's alone. */
#include "order/cuda/orders.cuh"

namespace
{

enum { PARAM_TIMES, PARAM_SORT };

/* Hubs come first, the longest with the smallest key; no row is longer than there are columns. */
__global__ void hub_keys(rc_cuda_pattern_t a, int64_t bound, bool sorted, uint32_t *key, int32_t *row)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; r < a.rows; r += step) {
        const int64_t length = a.row_ptr[r + 1] - a.row_ptr[r];
        const bool hub = length * a.rows > bound;
        key[r] = (uint32_t)(!hub ? a.cols : sorted ? a.cols - length : 0);
        row[r] = (int32_t)r;
    }
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *params,
    void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    int64_t temp_bytes;
    rc_status_t st = rc_cuda_sort_bytes(a->rows, &temp_bytes, err);
    if (st < 0)
        return st;
    rc::workspace w = {(char *)work, 0};
    rc_cuda_pairs_t p = {w.take<uint32_t>(a->rows), w.take<uint32_t>(a->rows), slots,
        w.take<int32_t>(a->rows), a->rows};
    void *temp = w.take<char>(temp_bytes);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    hub_keys<<<rc::blocks_for(a->rows), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(
        *a, params->value[PARAM_TIMES] * a->nnz, params->value[PARAM_SORT] != 0, p.key, p.value);
    st = rc_cuda_launched("keys of hubs", err);
    if (st == RC_OK)
        st = rc_cuda_sort(x, temp, temp_bytes, &p, rc::bits_of(a->cols), err);
    return st < 0 ? st : rc::deliver(x, &p, slots, err);
}

} // namespace

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_hub;
const rc_cuda_order_t rc_cuda_order_hub = {"hub", build};
}
