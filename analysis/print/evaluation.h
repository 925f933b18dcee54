/** \file analysis/print/evaluation.h  Evaluations and comparisons of selectors, and when a row
 *  order pays, on stdout. */
#ifndef RC_ANALYSIS_PRINT_EVALUATION_H
#define RC_ANALYSIS_PRINT_EVALUATION_H

#include "analysis/comparison.h"
#include "analysis/learn.h"
#include "table/print.h"

/** Print an evaluation: a series of tables with a line of explanation each, or one JSON object.
 *  \param[in] format  RC_TABLE_TEXT or RC_TABLE_JSON
 *  \param[in] about   JSON only: members that go in front of those of the evaluation; may be NULL
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_evaluation_print(const rc_dataset_t *d, const rc_evaluation_t *e,
    rc_table_format_t format, const json_t *about, rc_err_t *err);

/** Print how much the inputs of a model count, most splits in the folds first; nothing for a model
 *  without importances. */
rc_status_t rc_importance_print(const rc_model_t *m, rc_err_t *err);

/** Print a comparison: a line per variant and baseline.
 *  \param[in] d  the data set that it is of */
rc_status_t rc_comparison_print(
    const rc_dataset_t *d, const rc_comparison_t *c, rc_table_format_t format, rc_err_t *err);

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
