/** \file analysis/trainer.h  Trainers.  A trainer is one file with one constant descriptor, and one
 *  line in analysis/analysis.am; trainers that differ by a recipe are descriptors of one file. */
#ifndef RC_ANALYSIS_TRAINER_H
#define RC_ANALYSIS_TRAINER_H

#include "analysis/dataset.h"
#include "analysis/split.h"
#include "model/model.h"

/** How much a row counts in the loss. */
typedef enum rc_weighting {
    RC_WEIGHT_INVERSE = 0, /**< inversely to the population of the class that is best for it
                                (Mehrabi et al., section V) */
    RC_WEIGHT_REGRET = 1,  /**< in proportion to what the baseline would lose on it (log
                                ratio), plus a hundredth of the mean of that, so that no row is
                                without weight */
    RC_WEIGHT_NONE = 2
} rc_weighting_t;

extern const char *const rc_weighting_names[]; /**< "inverse", "regret", "none" */

/** What a fit is told.  Zero-initialise and set; 0 and NULL stand for the trainer's defaults. */
typedef struct rc_fit_options {
    uint64_t seed;
    int threads; /**< >= 1; the result does not depend on it */
    rc_weighting_t weights;
    rc_split_kind_t split; /**< of the validation part that a trainer takes from its rows,
                                unless it documents another */
    const char *hidden;    /**< hidden layers of a network: "64,32"; "" none */
    double l2;             /**< factor of the L2 penalty; < 0: the trainer's default */
    int restarts;
    int members; /**< of an ensemble */
    int epochs;  /**< at most */
    /** Called with progress now and then, from the calling thread; may be NULL.
     *  \param[in] done  0 to 1;  \param[in] loss  of the validation part, NaN unknown */
    void (*progress)(void *context, const char *what, double done, double loss);
    void *context;
} rc_fit_options_t;

/** The rows that a fit learns from, and what it is told.  Borrowed. */
typedef struct rc_fit_job {
    const rc_dataset_t *d;
    const int64_t *row; /**< [n] row numbers */
    int64_t n;
    const double *x;      /**< [n * inputs] standardised inputs of the rows */
    const double *weight; /**< [n], mean 1 */
    const rc_fit_options_t *options;
} rc_fit_job_t;

typedef struct rc_trainer rc_trainer_t;
struct rc_trainer {
    const char *name; /**< "mlp" */
    const char *summary;
    const char *source;
    int version;
    int has_times;      /**< 1: the model predicts times */
    int rows_min;       /**< fewer are refused */
    const void *recipe; /**< for `fit`, which several trainers may share; NULL: it needs none */
    /** Fit on some rows of a data set.
     *  \param[in,out] m  comes with everything that rc_fit fills; the trainer sets output and
     *                    predictor, and may add members to m->training (an object)
     *  \return RC_OK, RC_EINVAL (too few rows, a bad option), RC_ENOMEM */
    rc_status_t (*fit)(
        const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err);
};

/** All trainers of this build; NULL-terminated. */
extern const rc_trainer_t *const rc_trainers[];

/** The trainer of that name, or NULL. */
const rc_trainer_t *rc_trainer_find(const char *name);

/** Weights of some rows, mean 1.  \param[out] weight  [n] */
void rc_weights(
    const rc_dataset_t *d, const int64_t *row, int64_t n, rc_weighting_t kind, double *weight);

/** Fit a model: inputs standardised on the rows, weights, the trainer, and the setup times.
 *  \param[out] out  free with rc_model_free; `training` holds what it was fitted on and how */
rc_status_t rc_fit(const rc_trainer_t *t, const rc_dataset_t *d, const int64_t *row, int64_t n,
    const rc_fit_options_t *options, rc_model_t **out, rc_err_t *err);

/** Run independent jobs of a fit on some threads.
 *  \param[in] threads  less than 1: one
 *  \return RC_OK, or what the first job that failed returned, first in their order */
rc_status_t rc_fit_jobs(int jobs, int threads,
    rc_status_t (*run)(void *context, int job, rc_err_t *err), void *context, rc_err_t *err);

/** The threshold of a forest (model/forest.h: left when (float)x < threshold) that sends raw values
 *  below `raw` to the left and all others to the right, as far as floats of the standardised values
 *  tell them apart.
 *  \param[in] input  of the model, which has its transforms, means and scales */
float rc_threshold(const rc_model_t *m, int input, double raw);

#endif
