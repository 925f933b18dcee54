/** \file device/cuda/gather.h  Values by their places, and rows by their numbers, on the
 *  stream of an executor. */
#ifndef RC_DEVICE_CUDA_GATHER_H
#define RC_DEVICE_CUDA_GATHER_H

#include "device/executor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** rc_executor_t.gather. A kernel that overlaps with the one before it reads A before it waits for
 *  that one: something that does nothing goes between the two. The GPU of the executor is the
 *  current one. */
rc_status_t rc_cuda_gather(const rc_executor_t *x, const rc_gather_t *g, rc_err_t *err);

/** rc_executor_t.take, likewise. */
rc_status_t rc_cuda_take(const rc_executor_t *x, const rc_take_t *t, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
