/** \file plan/extremes.h  What extremes on the host and on a GPU have in common. */
#ifndef RC_PLAN_EXTREMES_H
#define RC_PLAN_EXTREMES_H

#include "rowcast_rows.h"

/** Whether what is asked can be.  \return RC_OK, RC_EINVAL, RC_ERANGE, RC_ENOTSUP */
rc_status_t rc_extremes_check(
    const rc_plan_matrix_t *a, const rc_extremes_t *x, int on_device, rc_err_t *err);

/** 1 or -1: by it terms are multiplied, so that the largest is looked for. */
double rc_extremes_sign(rc_extreme_t kind);

#endif
