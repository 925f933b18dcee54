/** \file analysis/papers/hong/fit.h  'rowcast calibrate', which measures costs of rs and limits of
 *  a device, and 'rowcast train --task parameters': what rs leaves to a tuning, from these costs
 *  and a store in which the parameters were swept. */
#ifndef RC_ANALYSIS_PAPERS_HONG_FIT_H
#define RC_ANALYSIS_PAPERS_HONG_FIT_H

#include "analysis/papers/hong/paths.h"
#include "device/device.h"
#include "table/print.h"

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

/** What the command line says. */
typedef struct rc_train_parameters {
    const char *store;
    const char *kernel;     /**< rs */
    const char *costs;      /**< file of 'rowcast calibrate' */
    const char *output;     /**< file of the tuning */
    const char *training;   /**< patterns of matrices to train on; NULL: every 20th or 5th */
    const char *onto;       /**< a tuning that the settings are added to; NULL: none */
    rc_path_source_t paths; /**< of the second model; without a folder it is not fitted */
    const char *where;      /**< result rows; NULL: all */
    int quiet;              /**< 1: nothing on stderr */
} rc_train_parameters_t;

/** Fit, write the file, print what was chosen on stdout.
 *  \return RC_OK; RC_EINVAL (an option, rows or features that are missing), RC_EFORMAT (the
 *    costs, the tuning), RC_ENOENT, RC_ESTORE, RC_ENOMEM, RC_EIO */
rc_status_t rc_train_parameters(
    const rc_train_parameters_t *o, rc_table_format_t format, rc_err_t *err);

#endif
