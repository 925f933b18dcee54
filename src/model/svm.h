/** \file model/svm.h  A support vector machine with a Gaussian kernel, one against one: the state
 *  of the predictor kind "svm".  Trainers fill it. */
#ifndef RC_MODEL_SVM_H
#define RC_MODEL_SVM_H

#include "base/alloc.h"
#include "model/predictor.h"

/** K(u, v) = exp(-gamma |u - v|^2).  For the pair (a, b), a < b, of the `present` classes, in the
 *  order (0,1), (0,2), ..., the decision is the sum over the vectors of both classes of coefficient
 *  times K, minus rho; positive votes for a, else for b.  The output of a class is its votes plus
 *  the sum of its decisions squashed to under half a vote (d / (1 + |d|) / (2 pairs + 2)), so that
 *  ties of votes are decided by margins.  Classes that were never best in training get -1. */
typedef struct rc_svm {
    rc_pool_t memory;
    int inputs;
    int outputs;
    int present;    /**< classes that occur, >= 1 */
    int vectors;    /**< sum of counts */
    int32_t *label; /**< [present] class of each, all different */
    int32_t *count; /**< [present] vectors of each */
    double gamma;   /**< > 0 */
    double *vector; /**< [vectors * inputs], by class */
    double *coef;   /**< [(present - 1) * vectors], as LIBSVM's sv_coef */
    double *rho;    /**< [present (present - 1) / 2] */
} rc_svm_t;

extern const rc_predictor_kind_t rc_predictor_svm;

/** A machine with arrays of these sizes, all zero; free with rc_svm_free.
 *  NULL with err set when a size is out of range or there is no memory. */
rc_svm_t *rc_svm_new(int inputs, int outputs, int present, int vectors, rc_err_t *err);

/** Free one; NULL is allowed. */
void rc_svm_free(void *state);

#endif
