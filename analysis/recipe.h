/** \file analysis/recipe.h  From rows of a data set to a network predictor: what the trainers that
 *  end in a network have in common.  Its options override the recipe of a trainer. */
#ifndef RC_ANALYSIS_RECIPE_H
#define RC_ANALYSIS_RECIPE_H

#include "analysis/net.h"
#include "analysis/trainer.h"

/** Rows that a network needs. */
enum { RC_RECIPE_ROWS_MIN = 10 };

/** How networks are made from a data set. */
typedef struct rc_recipe {
    rc_output_t output; /**< what the outputs are, and so the targets: log ns, log ratios, or for
                             scores 1 at the best class and 0 elsewhere */
    rc_loss_fn *loss;
    rc_loss_fn *warm; /**< of the first tenth of the epochs; NULL: `loss` */
    const char *hidden;
    int members;  /**< networks that are averaged: each has its own validation part */
    int levels;   /**< further networks that predict the baseline's log ns alone; the members then
                       predict the ratios to it alone, so that neither loss sees the other */
    int restarts; /**< per member, from different seeds; the one of least validation loss stays */
    double validation;  /**< share of the rows that decide when to stop */
    int by_matrix;      /**< 1: that part is of whole matrices whatever the options say: where few
                             groups hold most rows, a part of whole groups takes too much away
                             from a member */
    rc_net_rule_t net;  /**< batch 0: a sixteenth of all rows, 32 to 256 */
    int unweighted;     /**< 1: all rows count alike whatever the options say */
    int separate;       /**< 1: networks of a class each, with one output; no levels */
    double temperature; /**< of rc_loss_regret, as log ratio */
    double mix;         /**< of rc_loss_regret */
} rc_recipe_t;

/** The fit of a trainer whose recipe is an rc_recipe_t.  Members and restarts are independent and
 *  run at once.  Adds what was done to m->training. */
rc_status_t rc_recipe_fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err);

#endif
