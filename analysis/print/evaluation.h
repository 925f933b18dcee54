/** \file analysis/print/evaluation.h  Evaluations and comparisons of selectors on stdout. */
#ifndef RC_ANALYSIS_PRINT_EVALUATION_H
#define RC_ANALYSIS_PRINT_EVALUATION_H

#include "analysis/comparison.h"
#include "analysis/evaluation.h"
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

#endif
