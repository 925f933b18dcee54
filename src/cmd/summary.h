/** \file cmd/summary.h  The summary tables of a store on stdout. */
#ifndef RC_CMD_SUMMARY_H
#define RC_CMD_SUMMARY_H

#include "base/expr.h"
#include "cmd/table.h"
#include "table/view.h"

/** What the command line says about a summary; zero-initialised, NULL and 0 stand for defaults. */
typedef struct rc_summary_options {
    const char *store; /**< its path: tables that need features read it again */
    int by_matrix;     /**< of rate: a line for each matrix */
    const char *name; /**< of the table; NULL: none is wanted */
    const char *side_a;
    const char *side_b;
    const char *orders;
    const char *kernel; /**< of prepare */
    const char *plan;   /**< likewise, instead: a plan of Jiang et al. */
    const char *by;     /**< of rate: a feature, the lines are of quarters of it */
    const char *limits; /**< of roofline: a file of calibrate --limits; NULL: the installed one */
    const char *contestants; /**< of profile: a name of a list, or sides between semicolons */
    const char *op;     /**< what --op says; NULL: nothing */
    const char *tuning; /**< of tables without training matrices; NULL: the usual one, where there is one */
    int64_t top;
} rc_summary_options_t;

/** Name of summary i, from 0; NULL behind the last. */
const char *rc_summary_name(int i);

/** \return RC_OK; RC_EINVAL for an unknown name, or an option of another summary */
rc_status_t rc_summary_check(const rc_summary_options_t *o, rc_err_t *err);

/** Print the table.
 *  \param[in] where  only rows that match; NULL: all
 *  \return RC_OK, RC_EINVAL (a side that is no list of patterns), RC_ENOMEM, RC_EIO */
rc_status_t rc_summary_print(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err);

#endif
