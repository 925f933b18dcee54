/** \file cmd/summary_segmented.h  The summary tables of RS-SpMM (Hong et al. 2018) on stdout, with what the paper says beside:
 *  for real matrices, then for all.  Training matrices are in none. */
#ifndef RC_CMD_SUMMARY_SEGMENTED_H
#define RC_CMD_SUMMARY_SEGMENTED_H

#include "cmd/summary.h"

/** Arguments and returns as of rc_summary_print. */
rc_status_t rc_summary_modelling(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_prepare(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_both(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);

#endif
