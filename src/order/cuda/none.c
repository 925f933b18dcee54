/* What an order on a GPU answers in a build without CUDA. */
#include "config.h"
#include "order/cuda/orders.h"
#include "base/error.h"

rc_status_t rc_cuda_order_there(rc_executor_t *x, const char *order, const rc_csr_t *a,
    const rc_resident_t *m, rc_resident_rows_t *out, rc_err_t *err)
{
    (void)x;
    (void)order;
    (void)a;
    (void)m;
    (void)out;
    return rc_fail(err, RC_ENOTSUP, "this build has no CUDA kernels; see the summary of configure");
}
