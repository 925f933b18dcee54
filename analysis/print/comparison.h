/** \file analysis/print/comparison.h  'rowcast evaluate --compare', --ablation and --topologies,
 *  on stdout. */
#ifndef RC_ANALYSIS_PRINT_COMPARISON_H
#define RC_ANALYSIS_PRINT_COMPARISON_H

#include "analysis/learn.h"
#include "table/print.h"

/** What the command line says; one of compare, ablation and topologies is 1. */
typedef struct rc_compare_command {
    const rc_learn_options_t *learn;
    const char *model; /**< trainers; NULL: all of them to compare, else mlp */
    int compare;
    int ablation;
    int topologies;
} rc_compare_command_t;

/** Fit and print a line for each variant and baseline.
 *  \return RC_OK, RC_EINVAL (an option, a trainer), RC_ENOTSUP, RC_ENOENT, RC_ESTORE, RC_ENOMEM,
 *    RC_EIO */
rc_status_t rc_compare_print(
    const char *store, const rc_compare_command_t *o, rc_table_format_t format, rc_err_t *err);

#endif
