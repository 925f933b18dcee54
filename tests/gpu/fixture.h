/* Matrices, schedules and references for the tests of the CUDA kernels. */
#ifndef RC_TESTS_GPU_FIXTURE_H
#define RC_TESTS_GPU_FIXTURE_H

#include "kernels/kernel.h"
#include "rowcast.h"
#include "shape.h"

enum { K_MAX = 129 };

extern const shape_t shapes[];
extern const int shape_count;

/* Schedules by number: first those that no policy gives, then the policies. */
enum { SCHEDULE_IDENTITY, SCHEDULE_RANDOM, SCHEDULE_PADS, SCHEDULE_NO_EMPTY, SCHEDULE_POLICIES };
int schedule_count(void);
const char *schedule_name(int which);
/* Free with rc_schedule_free. */
rc_schedule_t make_schedule(const rc_csr_t *a, int which, rc_geometry_t geometry);

/* Value (r, j) of input number `operand`, the same for every K; of complex ones the real part. */
double input_value(int operand, int64_t r, int64_t j);

/* Part 0 or 1 of it, and of the value of entry e of a matrix. */
double input_part(int operand, int64_t r, int64_t j, int part);
double entry_part(const rc_csr_t *a, int64_t e, int part);

/* A value in a precision. */
double narrowed(rc_precision_t precision, double v);

/* The output of an operation in fp64 with alpha 1 and beta 0; free with free_reference. */
typedef struct reference {
    int64_t rows;
    int64_t cols;
    double *sum[2]; /* [rows * cols], row by row: real parts and imaginary ones */
    double *mag;    /* sum of the sizes of the terms: of products of |re| + |im| */
    int64_t *terms; /* [rows] */
} reference_t;
reference_t make_reference(const rc_csr_t *a, rc_precision_t precision, rc_op_t op, int64_t k);
void free_reference(reference_t *ref);

#endif
