/** \file sweep/binding.h  A process has the CPUs that it was started with, whatever OpenMP was told
 *  of them. */
#ifndef RC_SWEEP_BINDING_H
#define RC_SWEEP_BINDING_H

#include "base/str.h"

/** Append what the environment tells OpenMP of the places and the number of its threads, fit for a
 *  line, as in "OMP_PLACES=cores, OMP_PROC_BIND=close".  A program that this is linked into keeps
 *  these variables from OpenMP. */
void rc_binding_left_out(rc_str_t *out);

#endif
