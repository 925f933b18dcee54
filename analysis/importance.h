/** \file analysis/importance.h  How much the inputs of a model count, as its training record keeps
 *  it: member "importance" of rc_model_t.training.  Local. */
#ifndef RC_ANALYSIS_IMPORTANCE_H
#define RC_ANALYSIS_IMPORTANCE_H

#include "base/alloc.h"
#include "base/str.h"
#include "model/model.h"

/** Of each input, [inputs]; each array sums to 1, or is all 0. */
typedef struct rc_importance {
    rc_pool_t memory;
    double *weight;       /**< splits on it, of the model */
    double *gain;         /**< mean gain of its splits, of the model */
    double *folds_weight; /**< means over the fits of a cross-validation inside of the training
                               part */
    double *folds_gain;
} rc_importance_t;

/** All 0.  Free with rc_importance_free, also after an error.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_importance_new(int inputs, rc_importance_t *out, rc_err_t *err);
void rc_importance_free(rc_importance_t *i);

/** From the splits on each input and the sum of their gains.
 *  \param[in]     factor  what is added is times this
 *  \param[in,out] weight, gain  [inputs] are added to */
void rc_importance_add(int inputs, const double *splits, const double *gains, double factor,
    double *weight, double *gain);

/** Into the training record.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_importance_record(rc_model_t *m, const rc_importance_t *i, rc_err_t *err);

/** Read it back; the arrays are in the order of m->input.
 *  \return RC_OK, RC_EINVAL (the model has none, or a broken one), RC_ENOMEM */
rc_status_t rc_importance_read(const rc_model_t *m, rc_importance_t *out, rc_err_t *err);

/** The features of largest folds_weight, of equals the first, in the order of the model's inputs.
 *  \param[in]  count  at least 1
 *  \param[out] list   "nnz,nnz_mu,..." to be a feature list of a data set; free with rc_str_free
 *  \return RC_OK, RC_EINVAL (more than the model has features, or as rc_importance_read),
 *      RC_ENOMEM */
rc_status_t rc_importance_top(const rc_model_t *m, int count, rc_str_t *list, rc_err_t *err);

/** The rank of input i of n by falling weight, from 0; of equals the first is ahead. */
int rc_importance_rank(const double *weight, int n, int i);

#endif
