/** \file analysis/experiment_record.h  What a model file says of its own making: `training` and
 *  `evaluation`.  Private to analysis. */
#ifndef RC_ANALYSIS_EXPERIMENT_RECORD_H
#define RC_ANALYSIS_EXPERIMENT_RECORD_H

#include "analysis/experiment.h"

/** Digits of a matrix's digest that a model file keeps. */
enum { RC_RECORD_DIGITS = 16 };

/** Set members of m->training: what the model was fitted on and how; others stay.
 *  \param[in] row  [n] rows that it was fitted on */
rc_status_t rc_record_training(rc_model_t *m, const rc_trainer_t *t, const rc_dataset_t *d,
    const int64_t *row, int64_t n, const rc_protocol_t *p, const rc_fit_options_t *options,
    rc_err_t *err);

/** Set m->evaluation: the brief evaluation of predictions that no fit had seen. */
rc_status_t rc_record_evaluation(rc_model_t *m, const rc_dataset_t *d,
    const rc_predictions_t *predictions, int single, const rc_protocol_t *p, rc_err_t *err);

#endif
