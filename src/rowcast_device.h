/** \file rowcast_device.h Of librowcast_cuda, for programs with kernels of their own: where a plan
 *  has its values on the device. The conventions are those of rowcast_cuda.h. */
#ifndef ROWCAST_DEVICE_H
#define ROWCAST_DEVICE_H

#include "rowcast_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where the prepared matrix of one K has which value: to[i] = place[i] ? val[place[i] - 1] : 0.
 *  All borrowed from the plan, in device memory. */
typedef struct rc_plan_places {
    void *to;                 /**< [count] values, in the precision of the plan */
    rc_precision_t precision; /**< of the values */
    const void *place;        /**< [count] number of a value of the matrix, from 1 on; 0: padding */
    int place_bytes;          /**< of one of them: 4 or 8 */
    int64_t count;            /**< of places */
} rc_plan_places_t;

/** For a kernel that puts new values there instead of rc_plan_update_values, because it has them
 *  anyway, or does more beside. A run reads the values before it waits for the kernel before it on
 *  the stream, so between such a kernel and the run goes another one that begins when the first has
 *  ended.
 *  \param[in] plan  that had rc_plan_update_values: the first one finds the places
 *  \param[in] k     one of the plan's, or in its range
 *  \param[out] out  valid until the plan is freed, gets values of the host, or is cloned
 *  \return RC_OK; RC_EINVAL; RC_ERANGE (a K that the plan does not have); RC_ENOTSUP (not known;
 *          the matrix is that of another K or plan too, or A' has one beside). Local; cost O(1). */
RC_API rc_status_t rc_plan_places(
    const rc_plan_t *plan, int64_t k, rc_plan_places_t *out, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
