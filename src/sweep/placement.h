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

/** Where a rank works, as the ranks tell each other. */
typedef struct rc_seat {
    char host[128];
    char uuid[64];
} rc_seat_t;

/** The GPU of a rank: the only one that it sees (the launcher may hide the others), else the one of
 *  its number on its node; when ranks share, numbers wrap.
 *  \param[in] visible  GPUs that the rank sees
 *  \return index into what it sees, -1 when there is none for it */
int rc_seat_choose(int node_rank, int visible, int share);

/** The first two ranks on one GPU.
 *  \param[in] seat  [n], by rank  \param[out] first, second  first < second
 *  \return 1, or 0 when every rank has its own.  Cost O(n^2) comparisons. */
int rc_seat_shared(const rc_seat_t *seat, int n, int *first, int *second);

/** Choose the GPU of every rank, and refuse two ranks on one unless share is set.  Collective.
 *  \param[out] index  of rc_gpu_list, for rc_device_open_gpu
 *  \return on all ranks RC_OK; RC_ENOTSUP (built without CUDA), RC_EDEVICE with what to do */
rc_status_t rc_seat_take(
    const rc_session_t *s, int share, const rc_log_t *log, int *index, rc_err_t *err);

#endif
