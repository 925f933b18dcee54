/** \file analysis/loss.h  Losses that a network is trained with, one row at a time: value and
 *  gradient with respect to the outputs.  All are functions without state; what they need to know
 *  is in the rc_loss_t.  Checked against finite differences in tests/unit/test_net.c. */
#ifndef RC_ANALYSIS_LOSS_H
#define RC_ANALYSIS_LOSS_H

typedef struct rc_loss rc_loss_t;

/** Loss of one row.
 *  \param[in]  out     [classes] outputs of the network
 *  \param[in]  target  [classes]
 *  \param[out] grad    [classes] derivative by each output; NULL: not wanted
 *  \return the loss, >= 0 */
typedef double rc_loss_fn(
    const rc_loss_t *self, int classes, const double *out, const double *target, double *grad);

/** A loss with its constants. */
struct rc_loss {
    const char *name;
    rc_loss_fn *row;
    int baseline;       /**< of rc_loss_ratio, rc_loss_regret, rc_loss_level */
    double temperature; /**< of rc_loss_regret: log time differences of this size are told apart */
    double scale;       /**< of rc_loss_ratio, rc_loss_regret: size of a log ratio that counts 1 */
    double mix;         /**< of rc_loss_regret: share of rc_loss_ratio that is added */
};

/** Mean over the classes of |exp(out - target) - 1|; both are log ns.  So it is the mean absolute
 *  percentage error of the times, over 100 (Mehrabi et al., section V).  Beyond out - target = 1,
 *  2.7 times the time, it goes on along its tangent: a network that is far off at the start would
 *  otherwise see gradients of e^5 and more.  At out = target the derivative is taken as 0. */
rc_loss_fn rc_loss_mape;

/** Mean over the classes of (out - target)^2; both are log ns.  The start of a fit with
 *  rc_loss_mape. */
rc_loss_fn rc_loss_square;

/** Cross entropy of softmax(out) against a target distribution: 1 at the best class. */
rc_loss_fn rc_loss_entropy;

/** (out - target)^2 of the baseline alone, which is log ns with RC_OUTPUT_LOG_RATIO. */
rc_loss_fn rc_loss_level;

/** Log ratios to the baseline: mean over the other classes of huber((out - target) / scale), where
 *  huber(e) = e^2 / 2 up to |e| = 1 and |e| - 1/2 beyond.  targets and outputs:
 *  RC_OUTPUT_LOG_RATIO; the baseline's do not enter. */
rc_loss_fn rc_loss_ratio;

/** Expected regret of a soft choice: sum over the classes of softmax(-ratio / temperature) times
 *  the true log ratio to the best class, over `scale`; and `mix` times rc_loss_ratio, which keeps
 *  the outputs log ratios.  targets and outputs: RC_OUTPUT_LOG_RATIO; the baseline's ratio is 0. */
rc_loss_fn rc_loss_regret;

#endif
