/* Random selectors, whole and valid, for tests of model files and choices. */
#ifndef RC_TESTS_MODEL_FIXTURE_H
#define RC_TESTS_MODEL_FIXTURE_H

#include "base/rng.h"
#include "model/model.h"

/* What a made model is like; zero is a default. */
typedef struct model_shape {
    rc_task_t task;
    rc_output_t output;
    int matrix_inputs; /* 1: only the features that need no walk, no k, no value_bytes */
    int no_setup;
    int fp32_only;
    int nets; /* averaged networks; 0: 1 */
} model_shape_t;

/* A model on the features of mehrabi, k and value_bytes, with one or more random networks of one
 * hidden layer; classes csr, dcsr, lpt, warp, the baseline csr is class 1.  Free with
 * rc_model_free. */
rc_model_t *model_make(uint64_t seed, const model_shape_t *shape);

/* A raw value as an input may have it: ordinary, 0, tiny, huge, or negative. */
double model_random_value(rc_rng_t *r);

/* Whether two arrays are the same bits. */
int same_bits(const double *a, const double *b, int n);

#endif
