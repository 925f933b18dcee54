/* The GPU form of src/order/policy_cells.c.  The host ranks cells level by level from the top;
 * here the cells of all levels that a cell is in make one number, the top highest, to sort cells
 * by: the same order. */
#include "order/cuda/search.cuh"

namespace
{

enum { PARAM_SIZE, PARAM_BRANCH, PARAM_ROUNDS };

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *params,
    void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    const int64_t branch = params->value[PARAM_BRANCH];
    rc::search s;
    RC_PASS(
        rc::search_begin(x, a, params->value[PARAM_SIZE], params->value[PARAM_ROUNDS], &s, err));
    for (int64_t n = s.c.count; n > branch;)
        n = rc::search_add_level(&s.p, n, branch);
    if (s.p.levels == 0)
        s.p.bits[0] = 1; /* of a sort that has nothing to do */
    rc::workspace w = {(char *)work, 0};
    rc::search_take(&s, &w);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    RC_PASS(rc::search_cells(&s, err));
    return rc::search_place(&s, slots, err);
}

} // namespace

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_cells;
const rc_cuda_order_t rc_cuda_order_cells = {"cells", build};
}
