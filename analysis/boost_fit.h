/** \file analysis/boost_fit.h  What the trainers that end in boosted trees have in common.
 *  Boosters are independent and run at once; the result does not depend on how many do. */
#ifndef RC_ANALYSIS_BOOST_FIT_H
#define RC_ANALYSIS_BOOST_FIT_H

#include "analysis/boost.h"
#include "analysis/trainer.h"

/** Boosters that are fitted together: one with an output per class, or one per output. */
typedef struct rc_boost_problem {
    const rc_dataset_t *d; /**< borrowed */
    const int64_t *row;    /**< [n] rows of it, borrowed */
    int64_t n;
    float *x;      /**< [n * d->inputs] */
    float *weight; /**< [n] */
    int boosters;
    float *label;               /**< [boosters * n], booster by booster */
    double *base;               /**< [boosters] what its outputs start from */
    rc_boost_options_t options; /**< of each booster; base, depth and rounds are overwritten */
} rc_boost_problem_t;

typedef struct rc_boost_size {
    int rounds;
    int depth;
} rc_boost_size_t;

enum { RC_BOOST_ROWS_MIN = 20 }; /**< fewer rows are refused */

/** Squared error, rate 0.2, and what a fit was told: at most `epochs` rounds, and `l2` on leaves
 *  when it is above 0.
 *  \param[in] outputs  boosted outputs of the model to be: they bound the rounds */
rc_boost_options_t rc_boost_defaults(const rc_fit_options_t *options, int outputs);

/** Allocate the arrays, and fill x, weight and base (0).
 *  \param[out] out    free with rc_boost_problem_free
 *  \return RC_OK, RC_EINVAL (too few rows), RC_ENOMEM */
rc_status_t rc_boost_problem_new(
    const rc_fit_job_t *job, int boosters, rc_boost_problem_t *out, rc_err_t *err);
void rc_boost_problem_free(rc_boost_problem_t *p);

/** Set base to the weighted mean of the labels of each booster. */
void rc_boost_problem_centre(rc_boost_problem_t *p);

/** Fit on all rows.  \param[out] out  an output per booster and class of it, in order; free with
 *  rc_forest_free */
rc_status_t rc_boost_grow(const rc_boost_problem_t *p, const rc_boost_size_t *size, int threads,
    rc_forest_t **out, rc_err_t *err);

/** Make a forest the predictor of a model, which then owns it. */
void rc_boost_serve(rc_model_t *m, rc_output_t output, rc_forest_t *f);

#endif
