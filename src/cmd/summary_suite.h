/** \file cmd/summary_suite.h  The summary tables of products with a vector by class of matrix (Lane and Booth 2022) on
 *  stdout, with what the paper prints beside. */
#ifndef RC_CMD_SUMMARY_SUITE_H
#define RC_CMD_SUMMARY_SUITE_H

#include "cmd/summary.h"

/** Arguments and returns as of rc_summary_print: the matrices (Table 1); */
rc_status_t rc_summary_suite(const rc_view_t *v, const rc_summary_options_t *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err);
/** rates by class, or with by_matrix of every matrix (Figures 6 and 7); */
rc_status_t rc_summary_suite_rate(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err);
/** speedup by threads over the plain row loop (Figure 5). */
rc_status_t rc_summary_scaling(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err);

#endif
