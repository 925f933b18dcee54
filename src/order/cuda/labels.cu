/* The GPU form of src/order/policy_labels.c. */
#include "order/cuda/orders.cuh"

namespace
{

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *params,
    void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    int64_t temp_bytes;
    RC_PASS(rc_cuda_sort_bytes(a->rows, &temp_bytes, err));
    rc::workspace w = {(char *)work, 0};
    uint32_t *columns = w.take<uint32_t>(2 * a->cols);
    rc_cuda_pairs_t p = rc::take_pairs(&w, a->rows, slots);
    void *temp = w.take<char>(temp_bytes);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    RC_PASS(rc::number(x, p.key, a->rows, err));
    RC_PASS(rc::number(x, p.value, a->rows, err));
    RC_PASS(rc_cuda_votes(x, a, (int)params->value[0], p.key, columns, err));
    RC_PASS(rc_cuda_sort(x, temp, temp_bytes, &p, rc::bits_of(a->rows), err));
    return rc::deliver(x, &p, slots, err);
}

} // namespace

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_labels;
const rc_cuda_order_t rc_cuda_order_labels = {"labels", build};
}
