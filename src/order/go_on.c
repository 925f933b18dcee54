/* Whether an order is to be built to its end: what the parts of orders ask. */
#include "config.h"
#include "base/error.h"
#include "order/policy.h"

rc_status_t rc_order_go_on(const rc_order_input_t *in, rc_err_t *err)
{
    return in && in->stop && in->stop(in->user) ? rc_fail(err, RC_EINTR, "drained") : RC_OK;
}
