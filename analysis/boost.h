/** \file analysis/boost.h  Boosted regression trees, fitted by XGBoost (Chen and Guestrin 2016,
 *  doi:10.1145/2939672.2939785) through its C API; what comes out is a forest of model/forest.h,
 *  and no handle of the library stays behind.
 *
 *  A fit runs on the calling thread alone, and writes nothing to
 *  stdout or stderr.  XGBoost keeps errors, settings and random numbers per thread, so fits of
 *  different threads may run at once as long as each has its own call; sampling, which would draw
 * from the random numbers of the thread, is not used.  The result depends on the arguments only. */
#ifndef RC_ANALYSIS_BOOST_H
#define RC_ANALYSIS_BOOST_H

#include "model/forest.h"

/** Rows to learn from, or to be predicted; borrowed. */
typedef struct rc_boost_rows {
    int64_t count;
    int inputs;
    const float *x; /**< [count * inputs], finite: the inputs as forests see them */
    const float
        *label; /**< [count], for a classifier the class; not read for rows to be predicted */
    const float *weight; /**< [count] > 0; NULL: all 1 */
} rc_boost_rows_t;

/** How trees are grown.  All members count: there are no defaults. */
typedef struct rc_boost_options {
    const char *objective;  /**< "reg:squarederror", "multi:softprob", ... */
    const char *method;     /**< of finding splits: "hist", "exact", ...; "auto": the library's */
    int outputs;            /**< 1; or the classes of a classifier, a tree for each in a round */
    int rounds;             /**< >= 1 */
    int stride;             /**< >= 1: watched rows are predicted after so many rounds each time */
    int depth;              /**< of a tree at most, >= 1 */
    double rate;            /**< shrinkage of each tree, in (0, 1] */
    double lambda;          /**< L2 penalty on leaves, >= 0 */
    double leaf_weight_min; /**< least sum of second derivatives in a leaf, >= 0 */
    double base;            /**< what the outputs start from */
} rc_boost_options_t;

enum { RC_BOOST_ROWS_MIN = 20 }; /**< trainers with it refuse fewer rows */

/** What trees split on, by round. */
typedef struct rc_boost_splits {
    double *count; /**< [rounds * inputs] splits of all outputs, owned by the caller */
    double *gain;  /**< [rounds * inputs] sum of their gains */
    int depth;     /**< of the deepest leaf, in splits */
} rc_boost_splits_t;

/** Fit.
 *  \param[in]  watch   rows that are predicted every `stride` rounds; NULL: none
 *  \param[out] margin  [rounds / stride * watch->count * outputs]: their outputs, before any
 *                      squashing to probabilities, as XGBoost predicts them; NULL: none
 *  \param[out] splits  NULL: not wanted
 *  \param[out] out     free with rc_forest_free; rounds * outputs trees; NULL: not wanted
 *  \return RC_OK, RC_EINVAL (what XGBoost refuses, in its words), RC_EFORMAT (a model that this
 *          code cannot read), RC_ENOMEM.  Cost: O(rounds * outputs * depth * count * inputs). */
rc_status_t rc_boost_fit(const rc_boost_options_t *o, const rc_boost_rows_t *train,
    const rc_boost_rows_t *watch, float *margin, rc_boost_splits_t *splits, rc_forest_t **out,
    rc_err_t *err);

#endif
