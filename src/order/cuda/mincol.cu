/* The GPU form of src/order/policy_mincol.c: one look at every row, one sort. */
#include "order/cuda/orders.cuh"

namespace
{

__global__ void first_columns(rc_cuda_pattern_t a, uint32_t *key, int32_t *row)
{
    rc::for_each(a.rows, [=](int64_t r) {
        const int64_t begin = a.row_ptr[r];
        key[r] = (uint32_t)(begin < a.row_ptr[r + 1] ? a.col_idx[begin] : (int32_t)a.cols);
        row[r] = (int32_t)r;
    });
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *, void *work,
    int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    int64_t temp_bytes;
    RC_PASS(rc_cuda_sort_bytes(a->rows, &temp_bytes, err));
    rc::workspace w = {(char *)work, 0};
    rc_cuda_pairs_t p = rc::take_pairs(&w, a->rows, slots);
    void *temp = w.take<char>(temp_bytes);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    RC_PASS(rc_cuda_sort_first_columns(x, a, temp, temp_bytes, &p, err));
    return rc::deliver(x, &p, slots, err);
}

} // namespace

rc_status_t rc_cuda_sort_first_columns(const rc_executor_t *x, const rc_cuda_pattern_t *a,
    void *temp, int64_t bytes, rc_cuda_pairs_t *p, rc_err_t *err)
{
    first_columns<<<rc::blocks_for(a->rows), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(
        *a, p->key, p->value);
    RC_PASS(rc_cuda_launched("smallest columns", err));
    return rc_cuda_sort(x, temp, bytes, p, rc::bits_of(a->cols), err);
}

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_mincol;
const rc_cuda_order_t rc_cuda_order_mincol = {"mincol", build};
}
