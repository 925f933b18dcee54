/** \file sweep/placement.h  Which device a rank has, and that it has it to itself.  Collective. */
#ifndef RC_SWEEP_PLACEMENT_H
#define RC_SWEEP_PLACEMENT_H

#include "base/log.h"
#include "kernels/kernel.h"
#include "sweep/session.h"

/** Open the device of this rank.
 *  CPU: ranks of a node whose CPU sets are the same (an unbound launch) divide the set among them;
 *  ranks with more ranks than CPUs, or with overlapping sets, are refused unless share is set.
 *  The main thread is bound to the rank's CPUs, and the threads that it starts inherit that.
 *  \param[in] threads  0: all CPUs of the rank
 *  \return RC_OK; RC_EDEVICE with what to do, on all ranks; RC_ENOTSUP: no such device in this
 * build */
rc_status_t rc_placement_open(const rc_session_t *s, rc_device_kind_t kind, int threads, int share,
    const rc_log_t *log, rc_device_t **out, rc_err_t *err);

#endif
