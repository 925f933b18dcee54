/** \file analysis/report/limits.h  What the device of the results can do at most, for figures that
 *  draw it.  Private to analysis/report and its caller. */
#ifndef RC_ANALYSIS_REPORT_LIMITS_H
#define RC_ANALYSIS_REPORT_LIMITS_H

/** As `rowcast calibrate --limits` measures it: bytes and flops a ns. */
typedef struct rc_report_limits {
    const char *device; /**< class: results of another one have no limits */
    double memory;
    double l1;
    double shared;
    double fp32;
    double fp64;
} rc_report_limits_t;

#endif
