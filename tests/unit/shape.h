/* Random matrices of given shapes, for the tests of kernels. */
#ifndef RC_TESTS_UNIT_SHAPE_H
#define RC_TESTS_UNIT_SHAPE_H

#include "rowcast.h"

typedef struct shape {
    const char *name;
    int64_t rows;
    int64_t cols;
    double fill;   /* share of entries */
    int dense_row; /* the middle row is full */
    int gaps;      /* every third row and every fourth column is empty */
    int rising;    /* row r has (r / rows)^2 of that share */
} shape_t;

/* Free with free_matrix. */
rc_csr_t make_matrix(const shape_t *s, uint64_t seed);
void free_matrix(rc_csr_t *a);

#endif
