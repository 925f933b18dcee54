/** \file cmd/summary_spmv.h  The summary tables of SpMV in six formats (Nisa et al. 2018) on stdout, with what the
 *  paper prints beside.  Each is printed for real matrices, and where there are generated ones for all. */
#ifndef RC_CMD_SUMMARY_SPMV_H
#define RC_CMD_SUMMARY_SPMV_H

#include "cmd/summary.h"

/** Arguments and returns as of rc_summary_print. */
rc_status_t rc_summary_ranges(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_formats(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
rc_status_t rc_summary_coo(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);

/** Rates matrix by matrix: a line for each matrix, kernel and order. */
rc_status_t rc_summary_rates(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);

#endif
