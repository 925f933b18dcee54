/* Random matrices for the tests of row orders, and the orders themselves. */
#ifndef RC_TESTS_ORDER_MATRIX_H
#define RC_TESTS_ORDER_MATRIX_H

#include "base/rng.h"
#include "rowcast.h"

#include <stddef.h>

/* Matrix from rows x cols flags; every array on the heap, free with free_matrix. */
void matrix_from_flags(const unsigned char *flag, int64_t rows, int64_t cols, rc_csr_t *out);
void free_matrix(rc_csr_t *a);

/* A random matrix: up to most_rows rows (at times none) of one of several shapes: sparse, dense,
 * single column, repeated rows, empty rows, dense columns, dense rows, bands. */
void random_matrix(rc_rng_t *r, int64_t most_rows, rc_csr_t *out);

/* A random geometry out of a list of usual and extreme ones. */
rc_geometry_t random_geometry(rc_rng_t *r);

/* The order that this text names; fails the test where there is none. */
rc_schedule_t order_of(const char *text, const rc_csr_t *a, int threads);

/* A text that names no order, with its status and words of its message. */
typedef struct refused_order {
    const char *text;
    rc_status_t status;
    const char *says;
} refused_order_t;

void expect_refused(const refused_order_t *bad, size_t count);

#endif
