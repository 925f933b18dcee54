/** \file analysis/boost_fit.h  What the trainers that end in boosted trees have in common. */
#ifndef RC_ANALYSIS_BOOST_FIT_H
#define RC_ANALYSIS_BOOST_FIT_H

#include "analysis/boost_size.h"

/** Squared error, rate 0.2, and what a fit was told: at most `epochs` rounds, and `l2` on leaves
 *  when it is above 0.
 *  \param[in] outputs  boosted outputs of the model to be: they bound the rounds */
rc_boost_options_t rc_boost_defaults(const rc_fit_options_t *options, int outputs);

/** Trees that know the merits of classes (analysis/merit.h), sized by what their choices lose.
 *  Errors are those of rc_trainer_t.fit; the model gets a description only.
 *  \param[in]  trees  `rounds` is the most;  \param[in] depth  [depths] to be tried, ascending
 *  \param[out] out    an output per class; free with rc_forest_free */
rc_status_t rc_boost_fit_merits(const rc_fit_job_t *job, const rc_boost_options_t *trees,
    const int *depth, int depths, rc_model_t *m, rc_forest_t **out, rc_err_t *err);

/** Find the size and grow.
 *  \param[in]  name  key of the description in m->training: an object with depth, rounds and the
 *                    measure
 *  \param[out] out   free with rc_forest_free */
rc_status_t rc_boost_fit_sized(const rc_boost_problem_t *p, const int *depth, int depths,
    const rc_fit_options_t *options, const char *name, rc_model_t *m, rc_forest_t **out,
    rc_err_t *err);

/** Make a forest the predictor of a model, which then owns it. */
void rc_boost_serve(rc_model_t *m, rc_output_t output, rc_forest_t *f);

#endif
