/** \file sweep/placement_gpu.h  Which GPU a rank takes: one of its own. */
#ifndef RC_SWEEP_PLACEMENT_GPU_H
#define RC_SWEEP_PLACEMENT_GPU_H

#include "base/log.h"
#include "sweep/session.h"

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
