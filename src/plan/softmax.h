/** \file plan/softmax.h  What the softmax on the host and on a GPU have in common. */
#ifndef RC_PLAN_SOFTMAX_H
#define RC_PLAN_SOFTMAX_H

#include "rowcast_rows.h"

/** Whether what is asked can be.  \return RC_OK, RC_EINVAL, RC_ERANGE, RC_ENOTSUP */
rc_status_t rc_softmax_check(
    const rc_plan_matrix_t *a, const rc_softmax_t *x, int on_device, rc_err_t *err);

#endif
