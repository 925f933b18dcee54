/* The value types that a plan can have, for tests of plans. */
#ifndef RC_TESTS_UNIT_PLAN_TYPES_H
#define RC_TESTS_UNIT_PLAN_TYPES_H

#include "base/rng.h"
#include "device/executor.h"
#include "rowcast_plan.h"

/* The types for which there is a plan of that device: a kernel that the options allow has an instance.
 * Bits 1 << rc_precision_t.  \param[in] p  its precision is not looked at */
unsigned types_for(rc_device_kind_t kind, const rc_plan_problem_t *p, const rc_plan_options_t *o);

/* One of those of real numbers, at random. */
rc_precision_t some_type(rc_rng_t *rng, unsigned types);

/* The type of a problem, one of those, and whether its output is fp32 beside it, at random.  \return the types
 * that it was of; 0: there is none */
unsigned pick_types(rc_rng_t *rng, rc_device_kind_t kind, rc_plan_problem_t *p, const rc_plan_options_t *o);

/* Any of all types of real numbers. */
rc_precision_t any_type(rc_rng_t *rng);

#endif
