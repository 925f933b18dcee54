/** \file cmd/summary_hong.h  The summary tables that compare kernels as Hong et al. 2018 do, on stdout, with what the paper says
 *  beside: roofline, performance profiles, rates by a feature. */
#ifndef RC_CMD_SUMMARY_HONG_H
#define RC_CMD_SUMMARY_HONG_H

#include "cmd/summary.h"

/** Arguments and returns as of rc_summary_print; RC_EINVAL also for limits of another device than a result's. */
rc_status_t rc_summary_roofline(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_profile(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_rate_by(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);

#endif
