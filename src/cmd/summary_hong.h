/** \file cmd/summary_hong.h  The summary tables that compare kernels as Hong et al. 2018 do, on stdout, with what the paper says
 *  beside: roofline, performance profiles, rates by a feature; and what it says of rates and of two sides. */
#ifndef RC_CMD_SUMMARY_HONG_H
#define RC_CMD_SUMMARY_HONG_H

#include "cmd/summary.h"
#include "table/counted.h"

/** Arguments and returns as of rc_summary_print; RC_EINVAL also for limits of another device than a result's. */
rc_status_t rc_summary_roofline(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_profile(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_rate_by(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);

/** What figures 8, 9, 10 q-t and 14 say of the rate of a kernel ("name:params"), in Gflop/s, and of the time of side b over that
 *  of side a, both as --side-a and --side-b have them.
 *  \return static; "" where the paper says nothing */
const char *rc_paper_of_rate(const rc_setting_t *s, const char *kernel);
const char *rc_paper_of_versus(const rc_setting_t *s, const char *a, const char *b);

#endif
