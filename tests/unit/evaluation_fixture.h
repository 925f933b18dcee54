/* What the tests of an evaluation share: made rows, predictions of them, and comparing figures. */
#ifndef RC_TESTS_EVALUATION_FIXTURE_H
#define RC_TESTS_EVALUATION_FIXTURE_H

#include "analysis/evaluation.h"
#include "made_data.h"

enum { SEED = 5 }; /* of the bootstrap */

/* 60 matrices with three K each, 4 classes. */
extern const made_spec_t plain;

/* Equal but for rounding. */
int near(double a, double b);

/* Made rows; drop them again. */
rc_dataset_t *make(const made_spec_t *spec);
void drop(rc_dataset_t *d);

/* Room for `each` predictions of every row, in the order of the rows. */
rc_predictions_t room(const rc_dataset_t *d, int each, int times);

/* A selector that is often right: noise on the measured times, the smallest is chosen. */
rc_predictions_t guess(const rc_dataset_t *d, double noise, uint64_t seed);

/* rc_evaluate, which must succeed. */
rc_evaluation_t evaluate(const rc_dataset_t *d, const rc_predictions_t *p, int single);

void check_same_figure(const rc_figure_t *a, const rc_figure_t *b, double tolerance);

#endif
