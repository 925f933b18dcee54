/** \file analysis/papers/nisa/protocol.h  The protocol and the metrics of Nisa et al. 2018
 *  (sections IV to VI), on a data set with one row a matrix: fits on four fifths, predictions of
 *  the fifth that is left out, and what they are worth.  Local. */
#ifndef RC_ANALYSIS_PAPERS_NISA_PROTOCOL_H
#define RC_ANALYSIS_PAPERS_NISA_PROTOCOL_H

#include "analysis/evaluation.h"
#include "analysis/trainer.h"

enum {
    RC_STUDY_FOLDS = 5,
    RC_STUDY_TOP = 7,       /**< inputs of the set "top7" */
    RC_STUDY_SLOWDOWNS = 5, /**< no slowdown, > 1, >= 1.2, >= 1.5, >= 2 */
    RC_STUDY_TOLERANCES = 4 /**< at most */
};

/** Inputs. */
typedef enum rc_study_set {
    RC_STUDY_SET_1 = 0,   /**< feature set 1: 5 */
    RC_STUDY_SET_2 = 1,   /**< and 2: 11 */
    RC_STUDY_SET_3 = 2,   /**< and 3: all 17 */
    RC_STUDY_SET_TOP = 3, /**< the RC_STUDY_TOP most important of these */
    RC_STUDY_SETS = 4
} rc_study_set_t;
extern const char *const rc_study_set_names[RC_STUDY_SETS]; /**< "1", "1-2", "1-3", "top7" */

/** How it is divided and fitted. */
typedef struct rc_study_options {
    rc_split_kind_t split; /**< RC_SPLIT_STRATIFIED: the paper's; RC_SPLIT_GROUP: ours */
    uint64_t seed;         /**< of split and bootstrap */
    rc_fit_options_t fit; /**< `progress` is called with the fold in front, `done` over all folds */
} rc_study_options_t;

/** How important each input is, fold by fold: means over the cross-validation inside of the
 *  training part. */
typedef struct rc_study_ranks {
    int inputs;
    double *weight; /**< [RC_STUDY_FOLDS * inputs] rc_importance_t.folds_weight */
    double *gain;   /**< [RC_STUDY_FOLDS * inputs] rc_importance_t.folds_gain */
    /** inputs of largest weight, of equals the first; ascending numbers */
    int top[RC_STUDY_FOLDS][RC_STUDY_TOP];
} rc_study_ranks_t;

void rc_study_ranks_free(rc_study_ranks_t *r);

/** Predictions of every row by a fit that did not see it. */
typedef struct rc_study_run {
    rc_predictions_t p; /**< all rows, in their order */
    int *fold;          /**< [rows] which one the row was left out with */
    double fit_s;       /**< mean seconds of a fit */
} rc_study_run_t;

/** \param[in]  d      needs the inputs of the set by their names, and one row a matrix
 *  \param[in]  ranks  of the same rows and options, for RC_STUDY_SET_TOP; else NULL
 *  \param[out] told   not NULL: importances as the models tell them, of all inputs of d, which
 *    the set has to have; free with rc_study_ranks_free
 *  \param[out] out    free with rc_study_run_free
 *  \return RC_OK; RC_EINVAL (fewer matrices or groups than parts, several rows a matrix, an
 *    input that is not there, a model without importances where they are wanted), RC_ENOMEM, or
 *    what the fit returns.  Cost: RC_STUDY_FOLDS fits. */
rc_status_t rc_study_run(const rc_trainer_t *t, const rc_dataset_t *d, rc_study_set_t set,
    const rc_study_ranks_t *ranks, const rc_study_options_t *o, rc_study_ranks_t *told,
    rc_study_run_t *out, rc_err_t *err);
void rc_study_run_free(rc_study_run_t *r);

/* ---------------------------------------------------------------- metrics */

/** A figure over the test parts: the mean of the five means, with its bootstrap interval over
 *  matrices, and the mean over the first test part. */
typedef struct rc_study_figure {
    rc_figure_t mean;
    double first;
    int64_t count; /**< values of the five */
    int64_t first_count;
} rc_study_figure_t;

/** A figure of a value for each row; NaN: the row does not count.
 *  \param[in] fold  [rows] 0 .. RC_STUDY_FOLDS - 1.  A part without values is left out of the mean
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_study_figure(const double *value, const int *fold, int64_t rows, uint64_t seed,
    rc_study_figure_t *out, rc_err_t *err);

/** What choices are worth.  s is the time of the chosen class over the least. */
typedef struct rc_study_score {
    rc_study_figure_t accuracy; /**< share whose choice is the label */
    /** share with time(chosen) <= (1 + tolerance) least time */
    rc_study_figure_t within[RC_STUDY_TOLERANCES];
    /** accuracy where the label's margin exceeds the error (rc_study_is_clear) */
    rc_study_figure_t clear;
    rc_study_figure_t common;  /**< share of the label that is most frequent in the training part */
    rc_study_figure_t mean;    /**< of s */
    rc_study_figure_t geomean; /**< of s */
    double fit_s;              /**< as of the run */
    /** matrices of the first part, of all: s <= 1, s > 1, >= 1.2, >= 1.5, >= 2 */
    int64_t slow[2][RC_STUDY_SLOWDOWNS];
} rc_study_score_t;

/** \param[in] tolerance  [tolerances], 0.05 for 5 %
 *  \param[in] predicted  1: within a tolerance is a choice where the label's predicted time is
 *    within it of the least predicted one; needs predicted times
 *  \return RC_OK, RC_EINVAL (no predicted times, too many tolerances), RC_ENOMEM */
rc_status_t rc_study_score(const rc_dataset_t *d, const rc_study_run_t *r, const double *tolerance,
    int tolerances, int predicted, uint64_t seed, rc_study_score_t *out, rc_err_t *err);

/** Relative mean error of predicted times: the mean of |predicted - measured| / measured.
 *  \param[in]  rate  1: of rates, that is of 1 / time
 *  \param[out] out   [classes + 1]: each class, then all terms
 *  \return RC_OK, RC_EINVAL (no predicted times), RC_ENOMEM */
rc_status_t rc_study_rme(const rc_dataset_t *d, const rc_study_run_t *r, int rate, uint64_t seed,
    rc_study_figure_t *out, rc_err_t *err);

/** 1: the two least times of a row differ by more than two standard errors of their ratio, which
 *  are estimated from the halves of the times; 0 also where these are not known. */
int rc_study_is_clear(const rc_dataset_t *d, int64_t row);

#endif
