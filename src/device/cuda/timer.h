/** \file device/cuda/timer.h  Time of launches that follow each other on the stream of an executor.
 *
 *  A batch waits behind a gate until all of it is queued, so that what the host needs for a launch
 *  is not in the time of kernels that are shorter than that.  No CUDA header is needed to include
 *  this one. */
#ifndef RC_DEVICE_CUDA_TIMER_H
#define RC_DEVICE_CUDA_TIMER_H

#include "device/device.h"

/** Launches that may wait behind a gate: the queue holds about 1024, and a product may take
 *  several. */
enum { RC_CUDA_QUEUE = 256 };

/** Laps of a timer. */
enum { RC_CUDA_LAPS = 32 };

typedef struct rc_cuda_timer rc_cuda_timer_t;

/** \param[in] x  borrowed until the timer is freed; the stream is the one that it has at a call
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_timer_new(rc_executor_t *x, rc_cuda_timer_t **out, rc_err_t *err);

/** NULL is allowed. */
void rc_cuda_timer_free(rc_cuda_timer_t *t);

/** Time `batch` launches between two events. A host that was held up for longer than the gate waits
 *  gets another try; launches that wait for their own work open it, at the cost of its patience.
 *  \param[out] ns  total of the batch
 *  \return RC_OK, what a launch returned, RC_EDEVICE.  Waits for the stream. */
rc_status_t rc_cuda_timer_run(rc_cuda_timer_t *t, rc_launch_fn *launch, void *state, int64_t batch,
    int64_t *ns, rc_err_t *err);

/** 1: what is asked for on the stream becomes part of a graph, or that is not known. */
int rc_cuda_is_captured(const rc_cuda_timer_t *t);

/** The begin or end of what is asked for on the stream, which is not waited for.
 *  \param[in] lap  from 0 to RC_CUDA_LAPS - 1, whose last one is forgotten
 *  \param[in] end  0: its begin, 1: its end
 *  \return RC_OK, RC_EDEVICE.  The stream is not captured; another one may be. */
rc_status_t rc_cuda_lap(rc_cuda_timer_t *t, int lap, int end, rc_err_t *err);

/** The time of a lap that has begin and end.  \param[out] ns  -1: it is not over yet
 *  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_lap_ns(rc_cuda_timer_t *t, int lap, int64_t *ns, rc_err_t *err);

#endif
