/** \file cmd/summary_reorder.h  The summary tables of row reordering (Jiang et al. 2020) on stdout, with what the paper says
 *  beside: for real matrices within its limits, for smaller ones, for generated ones. */
#ifndef RC_CMD_SUMMARY_REORDER_H
#define RC_CMD_SUMMARY_REORDER_H

#include "cmd/summary.h"
#include "table/counted.h"

/** What the paper says of two sides of --summary versus in a setting; "": nothing. */
const char *rc_paper_of_orders(const rc_setting_t *s, const char *a, const char *b);

/** Arguments and returns as of rc_summary_print. */
rc_status_t rc_summary_tiles(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_classes(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_forced(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_reorder_cost(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);

#endif
