/* Predictors with random numbers in them.  All return NULL when there is no memory. */
#ifndef RC_TESTS_RANDOM_PREDICTOR_H
#define RC_TESTS_RANDOM_PREDICTOR_H

#include "base/rng.h"
#include "model/forest.h"
#include "model/network.h"
#include "model/svm.h"

/* size  [layers + 1] */
rc_network_t *random_network(rc_rng_t *r, int nets, int layers, const int *size);

/* `trees` trees in all, dealt out over the outputs at random, each of at most `depth` levels of
 * inner nodes, a level splitting with probability `split`.  Leaf values are multiples of 1/1024, so
 * that their sums are exact; thresholds are floats. */
rc_forest_t *random_forest(
    rc_rng_t *r, int inputs, int outputs, int trees, int depth, double split);

/* present <= outputs classes with up to `most` vectors each. */
rc_svm_t *random_svm(rc_rng_t *r, int inputs, int outputs, int present, int most);

/* A state of some kind: sizes at random, small. */
typedef struct random_state {
    const rc_predictor_kind_t *kind;
    int inputs;
    int outputs;
    void *state;
} random_state_t;
random_state_t random_predictor(rc_rng_t *r, const rc_predictor_kind_t *kind);

/* About [-2, 2); one in eight is a small multiple of 1/4, often equal to a threshold, or within
 * 1e-11 of one, which is equal as a float. */
void random_inputs(rc_rng_t *r, int n, double *x);

#endif
