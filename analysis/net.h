/** \file analysis/net.h  Training of fully connected networks: forward and backward with BLAS, Adam
 *  (Kingma and Ba 2015), an L2 penalty, seeded mini-batches, early stopping on a validation part.
 *
 *  A network here and a rc_net_t of the model compute the same function: max(0, .) between layers,
 *  linear outputs.  While it is trained its outputs are offset[c] + size[c] * (last layer), which
 *  is folded into the last layer in the end; so a loss sees outputs in its own units and every
 *  class learns at the same rate. */
#ifndef RC_ANALYSIS_NET_H
#define RC_ANALYSIS_NET_H

#include "analysis/loss.h"
#include "analysis/trainer.h"
#include "model/network.h"

enum { RC_NET_LAYERS_MAX = 8 };

/** Layer sizes: inputs, hidden ..., outputs. */
typedef struct rc_net_shape {
    int layers; /**< 1 to RC_NET_LAYERS_MAX */
    int size[RC_NET_LAYERS_MAX + 1];
} rc_net_shape_t;

/** Shape from text.
 *  \param[in] hidden  "64,32"; "" none
 *  \return RC_OK, RC_EINVAL (no list of sizes from 1 to 4096, or too many) */
rc_status_t rc_net_shape(
    const char *hidden, int inputs, int outputs, rc_net_shape_t *out, rc_err_t *err);

/** What is learnt.  Everything is borrowed. */
typedef struct rc_net_data {
    int64_t rows;
    const double *x;      /**< [rows * inputs], standardised */
    const double *target; /**< [rows * outputs], as the loss takes it */
    const double *weight; /**< [rows], >= 0 */
    const double *offset; /**< [outputs] */
    const double *size;   /**< [outputs], > 0 */
} rc_net_data_t;

/** How networks are trained. */
typedef struct rc_net_rule {
    double l2;    /**< factor of the sum of squares of all weights, without biases */
    int epochs;   /**< at most, >= 1 */
    int patience; /**< stop after so many epochs without a better one */
    int batch;    /**< rows per step, >= 1 */
    double rate;  /**< of Adam at the start; falls along half a cosine to a hundredth */
    int steady;   /**< 1: the rate stays */
} rc_net_rule_t;

/** How one of them is.  Borrowed. */
typedef struct rc_net_job {
    uint64_t seed;         /**< of initial weights and batches */
    const int *validation; /**< [rows] 1: the row is not trained on but decides when to stop */
    const rc_loss_t *loss;
    const rc_loss_t *warm; /**< the loss of the first tenth of the epochs; NULL: `loss` */
    const rc_net_rule_t *rule;
} rc_net_job_t;

/** What became of it. */
typedef struct rc_net_result {
    double *param;     /**< [rc_net_params] of the best epoch, offset and size folded in; free() */
    double validation; /**< weighted mean loss of the validation part at the best epoch */
    double train;      /**< of the rest, there */
    int best_epoch;    /**< from 1 */
    int epochs;        /**< that were run */
} rc_net_result_t;

/** Parameters of a network: per layer weight [in * out] by input, then bias [out]. */
size_t rc_net_params(const rc_net_shape_t *shape);

/** Weighted mean loss over all rows of the data plus the penalty, and its derivative.
 *  \param[out] grad  [rc_net_params] */
rc_status_t rc_net_gradient(const rc_net_shape_t *shape, const double *param,
    const rc_net_data_t *data, const rc_loss_t *loss, double l2, double *value, double *grad,
    rc_err_t *err);

/** Train several networks of one shape on the same data, each by one thread.  The results depend on
 *  the jobs alone, not on `threads`: BLAS is held to one thread meanwhile.
 *  \param[in]  jobs      >= 1
 *  \param[in]  options   its threads and progress
 *  \param[out] result    [jobs]; free each `param`, also after an error (NULL of a job that failed)
 *  \return RC_OK, RC_EINVAL (a part without rows or weight; a loss that is not a number), RC_ENOMEM
 *  Cost O(jobs * epochs * rows * params). */
rc_status_t rc_net_train(const rc_net_shape_t *shape, const rc_net_data_t *data,
    const rc_net_job_t *job, int jobs, const rc_fit_options_t *options, const char *what,
    rc_net_result_t *result, rc_err_t *err);

/** Which BLAS multiplies, with the processor whose kernels it takes: a fit depends on them. */
const char *rc_net_blas(void);

/** Copy parameters into a net of a model of the same shape, or of one with more outputs.
 *  \param[in] cls     of its outputs the first that is copied to
 *  \param[in] factor  of the outputs */
void rc_net_export(
    const rc_net_shape_t *shape, const double *param, int cls, double factor, rc_net_t *to);

#endif
