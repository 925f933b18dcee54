/** \file dropin/plans.h  The functions of plans.  Their library brings the kernels of all formats,
 *  whose loading takes milliseconds: it is opened with the first plan, beside the program. */
#ifndef RC_DROPIN_PLANS_H
#define RC_DROPIN_PLANS_H

#include "rowcast_cuda.h"
#include "rowcast_device.h"
#include "rowcast_plan.h"

/** As the library has them. */
typedef struct rc_plans {
    __typeof__(rc_gpu_list) *gpu_list;
    __typeof__(rc_plan_create) *create;
    __typeof__(rc_plan_execute) *execute;
    __typeof__(rc_plan_execute_complex) *execute_complex;
    __typeof__(rc_plan_free) *free;
    __typeof__(rc_plan_part) *part;
    __typeof__(rc_plan_places) *places;
    __typeof__(rc_plan_update_values) *update_values;
} rc_plans_t;

/** Opened by the first call, of any thread.  \param[out] err  why there is none
 *  \return NULL: there is none */
const rc_plans_t *rc_plans(rc_err_t *err);

#endif
