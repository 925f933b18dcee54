/* The GPU form of src/order/policy_auto.c.  The host asks once whether the original order is good, to spare
 * the rest; in a stream that is captured it cannot, and everything is done. */
#include "kernels/cuda/orders.cuh"
#include "kernels/cuda/order_sample.h"

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_cells;
extern const rc_cuda_order_t rc_cuda_order_auto;
}

namespace
{

/* The original order, where the other one is not better; sum NULL: in any case. */
__global__ void choose(const rc_sharing_t *sum, int32_t *slots, int64_t n)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    if (sum && rc_local_apart(sum[0].entries, sum[0].distinct) &&
        rc_local_better(sum[0].entries, sum[0].distinct, sum[1].entries, sum[1].distinct))
        return;
    for (int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; p < n; p += step)
        slots[p] = (int32_t)p;
}

rc_status_t choose_between(
    const rc_executor_t *x, const rc_sharing_t *sum, int32_t *slots, int64_t n, rc_err_t *err)
{
    choose<<<rc::blocks_for(n), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(sum, slots, n);
    return rc_cuda_launched("the choice of an order", err);
}

/* *tried = 1: it is worth it to try another order, or the host may not ask. */
rc_status_t ask(rc_executor_t *x, const rc_sharing_t *sum, int *tried, rc_err_t *err)
{
    int index;
    int capturing;
    rc_sharing_t found = {};
    rc_status_t st = rc_cuda_stream_info(rc_cuda_stream(x), &index, &capturing, err);
    *tried = 1;
    if (st < 0 || capturing)
        return st;
    st = x->download(x, &found, sum, sizeof found, err);
    *tried = rc_local_apart(found.entries, found.distinct);
    return st;
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *, void *work,
    int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    rc_params_t params = {};
    int64_t of_cells = 0;
    int tried = 0;
    rc_status_t st = rc_cuda_order_defaults("cells", &params, err);
    if (st == RC_OK)
        st = rc_cuda_order_cells.build(x, a, &params, nullptr, &of_cells, slots, err);
    if (st < 0)
        return st;
    rc::workspace w = {(char *)work, 0};
    rc_sharing_t *sum = w.take<rc_sharing_t>(2);
    void *cells = w.take<char>(of_cells);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    st = rc_cuda_sample_runs(x, a, nullptr, &sum[0], err);
    if (st == RC_OK)
        st = ask(x, sum, &tried, err);
    if (st == RC_OK && tried)
        st = rc_cuda_order_cells.build(x, a, &params, cells, &of_cells, slots, err);
    if (st == RC_OK && tried)
        st = rc_cuda_sample_runs(x, a, slots, &sum[1], err);
    return st < 0 ? st : choose_between(x, tried ? sum : nullptr, slots, a->rows, err);
}

} // namespace

extern "C" {
const rc_cuda_order_t rc_cuda_order_auto = {"auto", build};
}
