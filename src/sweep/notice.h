/** \file sweep/notice.h  What a sweep says about the tuning files of its kernels.  Local. */
#ifndef RC_SWEEP_NOTICE_H
#define RC_SWEEP_NOTICE_H

#include "base/log.h"
#include "sweep/sweep.h"

/** A warning for each tuning that was made for something else than what is measured: each line
 *  once.
 *  \return RC_OK, RC_ENOMEM.  Cost: reads the file for each kernel, K and precision. */
rc_status_t rc_sweep_notice(
    const rc_sweep_config_t *c, const rc_device_t *d, const rc_log_t *log, rc_err_t *err);

#endif
