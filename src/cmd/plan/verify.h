/** \file cmd/plan/verify.h  The check of `rowcast plan`: a plan is run once, and a sample of what
 *  it stores is compared with sums in fp64. */
#ifndef RC_CMD_PLAN_VERIFY_H
#define RC_CMD_PLAN_VERIFY_H

#include "device/device.h"
#include "plan/plan.h"

/** A matrix with the values that a plan takes. */
typedef struct rc_valued {
    rc_csr_t a;
    double *parts; /**< [2 * nnz] complex ones; NULL: those of `a` */
} rc_valued_t;

/** Free what it holds; a zeroed one is allowed. */
void rc_valued_free(rc_valued_t *g);

/** Run each part of a plan on random operands and compare.  Overflows are counted on stderr.
 *  \param[in] g     the matrix of the plan
 *  \param[in] both  1: the product with A' is asked for as such, where one matrix may serve both
 *  \return RC_OK; RC_EWRONG: the text has a place, what was expected and found; RC_ENOMEM,
 *          RC_EDEVICE */
rc_status_t rc_plan_verify(rc_device_t *d, rc_plan_t *plan, const rc_plan_problem_t *p,
    const rc_valued_t *g, int both, rc_err_t *err);

#endif
