/** \file cmd/calibrate_limits.h  `rowcast calibrate --limits`: what the device can do at most, as JSON. */
#ifndef RC_CMD_CALIBRATE_LIMITS_H
#define RC_CMD_CALIBRATE_LIMITS_H

#include "rowcast.h"

/** Measure and write.
 *  \param[in] device  as --device  \param[in] output  NULL: the standard output
 *  \return RC_OK; as rc_limits_measure; RC_EIO */
rc_status_t rc_calibrate_limits(const char *device, const char *output, rc_err_t *err);

#endif
