/** \file plan/use.h  Tuning in use: candidates are measured in the program's own products.  Local.
 *
 *  The plan runs its guess.  One candidate after another is prepared between two products and
 *  multiplies in some of them, in turns with the current choice; each product is a whole one.  What
 *  they take is asked of the device later and not waited for.  It ends after a bounded number of
 *  products, when a graph has captured one, and with new values. */
#ifndef RC_PLAN_USE_H
#define RC_PLAN_USE_H

#include "plan/plan_private.h"

/** Begin, when the plan is made and its values are still there: what preparing needs is kept.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_use_new(rc_plan_t *plan, const rc_plan_options_t *options, rc_err_t *err);

/** End: the current choices stay; NULL in plan->use is allowed.  The stream captures nothing. */
void rc_plan_use_free(rc_plan_t *plan);

/** A graph keeps the current choice of an entry, whichever product of it is captured.
 *  \return 1: what is asked for now becomes part of one */
int rc_plan_use_captured(rc_plan_t *plan, const rc_plan_entry_t *e);

/** A product of the plan's own operation, by the current choice or the candidate whose turn it is.
 *  \param[in] o  shaped and checked  \return as rc_kernel_run; RC_EDEVICE */
rc_status_t rc_plan_use_run(rc_plan_t *plan, rc_plan_entry_t *e, const rc_operands_t *o,
    double alpha, double beta, rc_err_t *err);

#endif
