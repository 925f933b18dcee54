/** \file cmd/summary_segmented.h  The summary tables of RS-SpMM (Hong et al. 2018) on stdout, with what the paper says beside:
 *  for real matrices, then for all.  Training matrices are in none, but of
 *  other kernels in prepare. */
#ifndef RC_CMD_SUMMARY_SEGMENTED_H
#define RC_CMD_SUMMARY_SEGMENTED_H

#include "cmd/summary.h"
#include "cmd/summary_setting.h"
#include "table/segmented.h"

/** The first columns of these tables, which rc_summary_put_setting fills. */
#define RC_SUMMARY_SETTING {"k", ""}, RC_SETTING_COLUMNS, {"set", ""}
void rc_summary_put_setting(rc_table_t *t, const rc_view_t *v, const rc_setting_t *s, rc_segmented_set_t set);

/** Arguments and returns as of rc_summary_print. */
rc_status_t rc_summary_modelling(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_prepare(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_both(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);

/** 1: the summary leaves out training matrices. */
int rc_summary_is_of_training(const char *name);

/** Name the training matrices of the tuning of rs to the view, for such a summary.
 *  \return RC_OK, also without any; as rc_rs_tuning_read for a file that was asked for */
rc_status_t rc_summary_mark_training(rc_view_t *v, const rc_summary_options_t *o, rc_err_t *err);

#endif
