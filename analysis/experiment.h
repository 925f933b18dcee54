/** \file analysis/experiment.h  Fits and evaluations put together: a test part or folds, several
 *  trainers, feature sets or layer sizes side by side.  Local. */
#ifndef RC_ANALYSIS_EXPERIMENT_H
#define RC_ANALYSIS_EXPERIMENT_H

#include "analysis/evaluation.h"
#include "analysis/trainer.h"

/** How rows are divided. */
typedef struct rc_protocol {
    rc_split_kind_t split;
    int folds;         /**< >= 2: every row is predicted by a model that saw no row of its fold, and
                            the final model is fitted on all; 0: one test part */
    double test_share; /**< of the rows, in (0, 1), with folds 0 */
    uint64_t seed;
} rc_protocol_t;

/** What an experiment took. */
typedef struct rc_experiment_cost {
    int fits;            /**< of the parts, without the final fit on all rows */
    double fit_s;        /**< mean seconds of one of them */
    double inference_ns; /**< mean ns of one prediction from raw inputs (rc_model_choose_raw), one
                           after the other on one thread; of each few the fastest of some passes */
} rc_experiment_cost_t;

/** Fit, and predict the rows that the fit did not see.  Parts are fitted one after the other with
 *  the same options; `progress` is called with "fold 2/5: " in front and `done` over all of the
 *  fits.
 *  \param[out] model        the final model (folds: fitted on all rows); NULL: not wanted, and with
 *                           folds not fitted.  Its `training` says what it was fitted on: digest,
 *                           rows, matrices (first 16 digits of their digests, sorted), groups,
 *                           protocol, options; its `evaluation` is the brief evaluation of the
 *                           predictions, and how they came about
 *  \param[out] predictions  of the unseen rows, in their order in the data set; free with
 *                           rc_predictions_free
 *  \param[out] single       best single class as each row's training part sees it: the choices of
 *                           always taking it are not one class under folds, so -1 when they differ
 *  \param[out] cost         what it took; may be NULL
 *  \return RC_OK, or what the trainer or the split returns */
rc_status_t rc_experiment(const rc_trainer_t *t, const rc_dataset_t *d, const rc_protocol_t *p,
    const rc_fit_options_t *options, rc_model_t **model, rc_predictions_t *predictions, int *single,
    rc_experiment_cost_t *cost, rc_err_t *err);

/** The parts of a protocol: rows of part i are predicted by a model that is fitted on all rows that
 *  are not of part i.
 *  \param[out] part   [rows] 0 .. parts - 1; -1: only ever trained on (folds 0)
 *  \param[out] parts  the folds, or 1
 *  \return RC_OK, RC_EINVAL (1 fold, a share outside of (0, 1)), or what the split returns */
rc_status_t rc_protocol_parts(
    const rc_dataset_t *d, const rc_protocol_t *p, int *part, int *parts, rc_err_t *err);

/** Rows of a data set whose matrix the model was not fitted on; *n may be 0.
 *  \param[in]  by_group  1: whose group it was not fitted on either
 *  \param[out] row  [rows]
 *  \return RC_OK, RC_EINVAL (the model does not say what it was fitted on), RC_ENOMEM */
rc_status_t rc_unseen_rows(const rc_model_t *m, const rc_dataset_t *d, int by_group, int64_t *row,
    int64_t *n, rc_err_t *err);

#endif
