/** \file kernels/specs.h  Lists of kernels with parameters. */
#ifndef RC_KERNELS_SPECS_H
#define RC_KERNELS_SPECS_H

#include "kernels/kernel.h"

/** The kernels that a list names, as rc_specs_parse reads it.  "all" and globs: every kernel of the
 *  device and of one of the operations that computes and is not for testing.
 *  "ranked" (the whole list): those of them that have a rank (rc_kernel_rank at K = 1), by rank,
 *  each with its defaults, but strict where a choice makes it so, and without those that say they
 *  never are.  "ranked:first=N": the ranks in
 *  turn, from number N on; the first is 0.
 *  \param[in] ops  set of operations, as bits 1u << rc_op_t
 *  \param[in] most  members at most
 *  \param[out] out  [*count]; free with free()
 *  \return as rc_specs_parse; RC_EINVAL also for a kernel of another device or operation */
rc_status_t rc_kernel_specs_parse(const char *text, rc_device_kind_t device, unsigned ops, int most,
    rc_kernel_spec_t **out, int *count, rc_err_t *err);

#endif
