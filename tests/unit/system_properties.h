/* What holds of any system that renumbers a square matrix, wherever it is. */
#ifndef RC_TESTS_UNIT_SYSTEM_PROPERTIES_H
#define RC_TESTS_UNIT_SYSTEM_PROPERTIES_H

#include "device/executor.h"
#include "given_fixture.h"

/* Where systems are. */
typedef struct system_where {
    rc_executor_t *x; /* whose memory matrices and vectors are in */
    int on_device;
    rc_status_t (*order)(
        const rc_plan_matrix_t *a, const rc_system_options_t *options, rc_system_t **out, rc_err_t *err);
} system_where_t;

/* Orders that a system takes, ends with NULL. */
extern const char *const system_orders[];

/* A square matrix in any form. */
given_t square_any(rc_rng_t *rng);

/* Order, matrix, new values, blocks and products of a matrix under an order. */
void check_system(rc_rng_t *rng, const system_where_t *w, given_t *g, const char *order);

#endif
