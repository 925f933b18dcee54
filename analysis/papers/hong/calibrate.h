/** \file analysis/papers/hong/calibrate.h  What is measured on a device for its models: costs of
 *  rs, and limits. */
#ifndef RC_ANALYSIS_PAPERS_HONG_CALIBRATE_H
#define RC_ANALYSIS_PAPERS_HONG_CALIBRATE_H

#include "device/device.h"

#include <stdio.h>

typedef struct rc_calibration {
    const int64_t *k; /**< [ks] */
    int ks;
    const rc_precision_t *precision; /**< [precisions] */
    int precisions;
    int64_t n; /**< rows and columns of the matrices */
    int quiet; /**< 1: no progress on stderr */
} rc_calibration_t;

/** Measure the costs of section 4.3 and write them as JSON.
 *  \param[in] name  of the file, for messages  \return RC_OK, RC_EIO, RC_ENOMEM, or of kernels */
rc_status_t rc_calibrate_rs(
    rc_device_t *d, const rc_calibration_t *c, FILE *to, const char *name, rc_err_t *err);

/** The same of what a GPU can do at most (figure 1). */
rc_status_t rc_calibrate_limits(rc_device_t *d, FILE *to, const char *name, rc_err_t *err);

#endif
