/** \file cmd/open_device.h  The device that a command measures on. */
#ifndef RC_CMD_OPEN_DEVICE_H
#define RC_CMD_OPEN_DEVICE_H

#include "device/device.h"

/** Open the device that `--device` names.
 *  \param[in] name  "cpu", "cuda", or "auto" (also NULL): a GPU where there is one
 *  \param[in] threads  of the host, 0: all
 *  \param[out] out  close with rc_device_close
 *  \return RC_OK, RC_EINVAL (another name), RC_EDEVICE, RC_ENOMEM */
rc_status_t rc_command_open_device(const char *name, int threads, rc_device_t **out, rc_err_t *err);

#endif
