/** \file analysis/report/choices.h  What a model chooses for the matrices of a survey.  Local. */
#ifndef RC_ANALYSIS_CHOICES_H
#define RC_ANALYSIS_CHOICES_H

#include "analysis/report/survey.h"
#include "base/str.h"
#include "model/model.h"

/** A choice. */
typedef struct rc_chosen {
    int32_t cls; /**< class of the model; -1: no choice is known */
    double time; /**< measured ns of that class */
    double loss; /**< that time over the fastest of the model's classes, less 1 */
} rc_chosen_t;

/** Choices, pair by pair. */
typedef struct rc_choices {
    const rc_model_t *model; /**< borrowed */
    rc_chosen_t *pair;       /**< [survey.pairs] */
    int64_t known;
    int fitted_here; /**< 1: of matrices that the model was fitted on, some at least */
    rc_str_t note;   /**< not empty: why there are no choices */
} rc_choices_t;

/** Ask a model about all pairs that the store has its inputs and classes for.
 *  \param[in]  where  filter of result rows, NULL: all
 *  \param[out] out    free with rc_choices_free
 *  \return RC_OK, also when the model has nothing to say here (another device, features that the
 *          store lacks): the note tells; RC_ENOMEM, RC_ENOENT, RC_ESTORE.  Cost: the store's
 *          features are read. */
rc_status_t rc_choices_make(
    const rc_survey_t *s, const rc_model_t *m, const char *where, rc_choices_t *out, rc_err_t *err);
void rc_choices_free(rc_choices_t *c);

#endif
