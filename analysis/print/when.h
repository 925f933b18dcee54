/** \file analysis/print/when.h  When a row order pays, on stdout (analysis/when.h). */
#ifndef RC_ANALYSIS_PRINT_WHEN_H
#define RC_ANALYSIS_PRINT_WHEN_H

#include "table/print.h"

/** What the command line says; zero-initialised, NULL and 0 stand for defaults. */
typedef struct rc_when_command {
    const char *kernels; /**< patterns */
    const char *orders;
    const char *where;   /**< an expression over result rows */
    const char *reuse;   /**< "100,1000" */
    const char *order;   /**< "NS,ROW,ENTRY" */
    const char *feature; /**< the same */
    int64_t l2;          /**< bytes */
} rc_when_command_t;

/** Print the table.
 *  \return RC_OK; RC_EINVAL (a number, a pattern, rows that are missing), RC_ENOENT, RC_ESTORE,
 *    RC_ENOMEM, RC_EIO */
rc_status_t rc_when_print(
    const char *store, const rc_when_command_t *c, rc_table_format_t format, rc_err_t *err);

#endif
