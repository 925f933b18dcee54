/** \file kernels/specs.h  Lists of kernels with parameters, with globs and ranges. */
#ifndef RC_KERNELS_SPECS_H
#define RC_KERNELS_SPECS_H

#include "kernels/kernel.h"

/** The kernels that a list names, in its order:
 *
 *  - "cstat:strip=4,rowsplit": kernels with parameters, as rc_kernel_spec_parse takes them;
 *  - "cstat:strip=1..16": a range, both ends included, is every integer in it, or every power of
 *    two (and 0) when the parameter takes only those; several ranges give all combinations, the
 *    last one running fastest;
 *  - "cusparse-*-row:pre=0..1": a glob, where * is any text, is every kernel of the device that
 * fits and that "all" has; each must have the parameters that are given, with such values;
 *  - "all" (the whole list): every kernel of the device that computes and is not for testing.
 *
 *  A kernel that two globs or ranges give is taken once; one that is written twice is an error.
 *  \param[in] most  members at most
 *  \param[out] out  [*count]; free with free()
 *  \return RC_OK, RC_EINVAL or RC_ERANGE (the text says what and what there is), RC_ENOMEM */
rc_status_t rc_kernel_specs_parse(const char *text, rc_device_kind_t device, int most,
    rc_kernel_spec_t **out, int *count, rc_err_t *err);

#endif
