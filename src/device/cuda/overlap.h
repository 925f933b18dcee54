/** \file device/cuda/overlap.h Launches that overlap with the end of the kernel before them on the
 *  stream (programmatic dependent launch, CUDA Programming Guide): the device function says
 *  rc::launch_next, does what depends on no earlier kernel, and then rc::wait_for_previous, before
 *  it reads operands or writes anything. Where the GPU cannot, the launch is an ordinary one. */
#ifndef RC_DEVICE_CUDA_OVERLAP_H
#define RC_DEVICE_CUDA_OVERLAP_H

#include "device/executor.h"

/** A launch on the stream of an executor. */
typedef struct rc_cuda_launch {
    const void *entry;  /**< the device function */
    unsigned ctas;      /**< 0: nothing is launched */
    unsigned rows;      /**< of CTAs, at most 65,535 */
    unsigned threads;   /**< of a CTA; in x */
    unsigned threads_y; /**< 0 counts as 1 */
    unsigned threads_z; /**< likewise */
    size_t shared;      /**< bytes of dynamic shared memory */
    int alone;          /**< 1: it waits for all that was asked for before it */
} rc_cuda_launch_t;

/** \param[in] args  what the device function takes
 *  \param[in] what  for the message  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_launch_overlapping(
    const rc_executor_t *x, const rc_cuda_launch_t *l, void *args, const char *what, rc_err_t *err);

#endif
