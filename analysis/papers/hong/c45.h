/** \file analysis/papers/hong/c45.h  A classification tree by C4.5 (Quinlan 1993) as Weka's J48
 *  3.8 builds it from numbers: binary splits by gain ratio among the inputs of at least average
 *  gain, collapsing, pessimistic pruning with subtree raising.  All local. */
#ifndef RC_ANALYSIS_PAPERS_HONG_C45_H
#define RC_ANALYSIS_PAPERS_HONG_C45_H

#include "kernels/tuning/rs_tuning.h"

/** Asked with rc_tree_predict. */
typedef struct rc_c45 {
    rc_question_t *node; /**< [nodes] the root first */
    int32_t nodes;
    int32_t inputs;
} rc_c45_t;

/** Samples, borrowed. */
typedef struct rc_c45_samples {
    const double *x;      /**< [n * inputs] finite */
    const int32_t *label; /**< [n] 0 .. classes - 1 */
    int64_t n;
    int32_t inputs;
    int32_t classes;
} rc_c45_samples_t;

typedef struct rc_c45_options {
    int64_t least;     /**< samples of a side of a split: 2 */
    double confidence; /**< of the estimate of errors, up to 0.5: 0.25; 0: no pruning */
} rc_c45_options_t;

/** -M 2 -C 0.25 */
#define RC_C45_OPTIONS                                                                             \
    {                                                                                              \
        .least = 2, .confidence = 0.25                                                             \
    }

/** Fit.
 *  \param[out] out  free with rc_c45_free
 *  \return RC_OK, RC_EINVAL (no samples, a label or option out of range, a value that is not
 *    finite), RC_ENOMEM.  Cost O(inputs n log n) a level. */
rc_status_t rc_c45_fit(
    const rc_c45_samples_t *s, const rc_c45_options_t *options, rc_c45_t *out, rc_err_t *err);

void rc_c45_free(rc_c45_t *t);

/** Errors to be added to `wrong` of `all` samples: Quinlan's estimate at a confidence. */
double rc_c45_extra_errors(double all, double wrong, double confidence);

#endif
