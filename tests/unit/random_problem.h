/* A random matrix under a random schedule, for the tests of formats. */
#ifndef RC_TESTS_UNIT_RANDOM_PROBLEM_H
#define RC_TESTS_UNIT_RANDOM_PROBLEM_H

#include "base/rng.h"
#include "kernels/kernel.h"

typedef struct random_problem {
    rc_csr_t a;
    rc_schedule_t schedule;
    rc_problem_t problem; /* of both; K 1, the output in original order */
} random_problem_t;

/* Slots in any order, some rows left out, some pads, any density, either precision.  Does not move
 * afterwards; free with random_problem_free. */
void random_problem(rc_rng_t *rng, int64_t rows, int64_t cols, random_problem_t *e);
void random_problem_free(random_problem_t *e);

/* Make some neighbouring rows alike, so that they may be joined. */
void repeat_rows(random_problem_t *e);

#endif
