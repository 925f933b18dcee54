/** \file sweep/placement.h  Which device a rank has, and that it has it to itself.  Collective. */
#ifndef RC_SWEEP_PLACEMENT_H
#define RC_SWEEP_PLACEMENT_H

#include "base/log.h"
#include "device/device.h"
#include "kernels/kernel.h"
#include "sweep/session.h"

/** What --device means: "cpu", "cuda", or "auto", which is cuda when the build has it and every
 * rank sees a GPU.  Collective when it is "auto"; the same on every rank. \return RC_OK; RC_EINVAL;
 *  RC_EDEVICE when ranks differ, with what to do */
rc_status_t rc_placement_kind(const rc_session_t *s, const char *device, const rc_log_t *log,
    rc_device_kind_t *out, rc_err_t *err);

/** Open the device of this rank.
 *  CPU: ranks of a node whose CPU sets are the same (an unbound launch) divide the set among them;
 *  ranks with more ranks than CPUs, or with overlapping sets, are refused unless share is set.
 *  The main thread is bound to the rank's CPUs, and the threads that it starts inherit that.  The
 *  first rank of a node says what it found, see sweep/binding.h, and that it has one CPU only of
 *  several.  GPU: a rank takes the only GPU that it sees, or the one of its number on the node; two
 *  ranks on one GPU (by host and UUID), or more ranks than GPUs, are refused unless share is set.
 *  Its CPUs are divided as above where that is possible.
 *  \param[in] threads  0: all CPUs of the rank
 *  \return RC_OK; RC_EDEVICE with what to do, on all ranks; RC_ENOTSUP: no such device in this
 *          build */
rc_status_t rc_placement_open(const rc_session_t *s, rc_device_kind_t kind, int threads, int share,
    const rc_log_t *log, rc_device_t **out, rc_err_t *err);

#endif
