/** \file sweep/selection.h  Whether what was selected can be swept, and is the same for all ranks. */
#ifndef RC_SWEEP_SELECTION_H
#define RC_SWEEP_SELECTION_H

#include "sweep/session.h"
#include "sweep/sweep.h"

/** Collective.
 *  \return RC_OK; RC_EINVAL: a list is empty or too long, or a rank sees another collection than rank 0;
 *          RC_ERANGE: a name is too long */
rc_status_t rc_selection_check(const rc_session_t *s, const rc_sweep_config_t *c, rc_err_t *err);

#endif
