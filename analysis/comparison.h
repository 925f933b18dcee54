/** \file analysis/comparison.h  Trainers, feature sets and layer sizes side by side: each fitted
 *  and evaluated under the same division of the rows, beside the baselines.  Local. */
#ifndef RC_ANALYSIS_COMPARISON_H
#define RC_ANALYSIS_COMPARISON_H

#include "analysis/experiment.h"

/** One way of fitting that is compared. */
typedef struct rc_variant {
    const char *name; /**< in tables: "mlp", "mlp matrix-only", "mlp 64,32"; borrowed */
    const rc_trainer_t *trainer;
    const rc_dataset_t *data; /**< the same rows, times and baseline with other inputs (read with
                                   other `features`); NULL: that of the comparison */
    const rc_fit_options_t *options; /**< borrowed; `progress` is called with the variant's name and
                                          the fold in front, `done` over the whole comparison */
} rc_variant_t;

/** A line of the comparison. */
typedef struct rc_comparison_row {
    const char *name;            /**< of the variant, borrowed; or of the baseline */
    const rc_variant_t *variant; /**< borrowed; NULL: a baseline */
    rc_evaluation_t evaluation;  /**< of the rows that each fit did not see.  "random": every class
                                      of every row once, so figures are expected values and counts
                                      of rows are `classes` times as large */
    rc_experiment_cost_t cost;   /**< NaN times and 0 fits for a baseline */
} rc_comparison_row_t;

typedef struct rc_comparison {
    int rows; /**< variants in their order, then RC_BASELINES baselines */
    rc_comparison_row_t *row;
} rc_comparison_t;

/** "best single": always the class that is best on the training part, chosen anew for each part;
 *  "random"; "oracle". */
enum { RC_BASELINES = 3 };

/** Fit and evaluate every variant, and the baselines.
 *  \param[in]  d    data set of the baselines and of variants without one; borrowed
 *  \param[in]  p    the same for all; its seed is that of the bootstrap too
 *  \param[out] out  free with rc_comparison_free; it borrows `variant`
 *  \return RC_OK, RC_EINVAL (a variant's data set has other rows, times or classes: names it), or
 *  what rc_experiment returns, with the name of the variant in front. Cost: variants * parts fits,
 *  one after the other. */
rc_status_t rc_compare(const rc_dataset_t *d, const rc_variant_t *variant, int variants,
    const rc_protocol_t *p, rc_comparison_t *out, rc_err_t *err);

void rc_comparison_free(rc_comparison_t *c);

#endif
