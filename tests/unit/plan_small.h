/* A small matrix and a problem of two K on the host, for tests of plans. */
#ifndef RC_TESTS_UNIT_PLAN_SMALL_H
#define RC_TESTS_UNIT_PLAN_SMALL_H

#include "plan_fixture.h"

typedef struct fixture {
    rc_executor_t x;
    rc_plan_place_t place;
    rc_plan_problem_t p;
    int64_t k[2];
    input_t in;
    rc_plan_matrix_t m;
} fixture_t;

/* The one there is, as new. */
fixture_t *begin(void);

/* A plan of it; fails with the message where there is none. */
rc_plan_t *plan_of(const fixture_t *f, const rc_plan_options_t *o);

/* No plan, the status, and a text that names what is wrong. */
void refused(const fixture_t *f, const rc_plan_options_t *o, rc_status_t status, const char *text);

#endif
