/* Data sets whose rule is known, without a store. */
#ifndef RC_TESTS_MADE_DATA_H
#define RC_TESTS_MADE_DATA_H

#include "analysis/dataset.h"

typedef struct made_spec {
    int matrices;
    int groups;
    int kinds;  /* of matrices; the first has no name */
    int ks;     /* rows per matrix: 8, 16, 32 ..., the last is K = n */
    int inputs; /* the last one is k */
    int classes;
    double noise; /* standard deviation of the log of a time */
    uint64_t seed;
} made_spec_t;

/* Class 0 is the baseline "c0"; class c takes exp(0.5 tanh(3 z)) times as long, z in [-1, 1) being
 * the log of input c - 1 (mod inputs - 1) over 3; the time of class 0 grows with K and with the
 * inputs.  NULL without memory; free with rc_dataset_free and free(). */
rc_dataset_t *made_data(const made_spec_t *spec);

#endif
