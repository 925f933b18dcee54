/* Matrices and dense operands as an application has them, and the product in fp64, for tests of plans. */
#ifndef RC_TESTS_UNIT_PLAN_FIXTURE_H
#define RC_TESTS_UNIT_PLAN_FIXTURE_H

#include "base/rng.h"
#include "plan/plan.h"
#include "plan_types.h"

enum { MOST = 200, USUAL = 48, WIDEST = 20, PAD = 3 };

typedef struct input {
    rc_precision_t exact; /* values are some of this type too, but for that of fp32; make() leaves it */
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int32_t ptr32[MOST + 1];
    int64_t ptr64[MOST + 1];
    int32_t col[MOST * MOST];
    double val64[MOST * MOST];
    double stored[RC_TYPES][2 * MOST * MOST]; /* the same in each type */
} input_t;

/* The values of a matrix in a type; that it multiplies by is val64, so `exact` is to be that type or one
 * of fewer bits. */
void *values_in(input_t *in, rc_precision_t type);

int64_t below(rc_rng_t *rng, int64_t bound);

/* A random matrix, mostly of up to USUAL rows and columns, else of up to MOST: long rows are cut
 * beyond 128 entries; columns of a row in order, or in any. */
void make(rc_rng_t *rng, int sorted, input_t *in);
void new_values(rc_rng_t *rng, input_t *in);
/* The same entries with rows and columns exchanged, columns of a row in order. */
void transpose(const input_t *in, input_t *out);
rc_plan_matrix_t matrix_of(const input_t *in, int ptr_bytes, rc_precision_t type);

/* A dense operand. */
typedef struct dense {
    double f64[(MOST + PAD) * (MOST + PAD)];  /* its values */
    double data[(MOST + PAD) * (MOST + PAD)]; /* in the precision of the problem */
    int64_t ld;
} dense_t;

void fill(rc_rng_t *rng, const rc_plan_problem_t *p, dense_t *d);

/* Random B and C for a product at K, with leading dimensions of their own where the problem has none. */
void fill_product(rc_rng_t *rng, const rc_plan_problem_t *p, const input_t *in, int64_t k, dense_t *b, dense_t *c);
void *data_of(dense_t *d);
size_t data_bytes(const rc_plan_problem_t *p);
rc_operands_t operands(const rc_plan_problem_t *p, dense_t *b, dense_t *c);

/* Compare every value of C, those between the lines included, with alpha A B + beta of what it was, in
 * fp64, with what the type of the plan allows.  `before` is changed. */
void compare_product(const char *label, const rc_plan_problem_t *p, const input_t *in, int64_t k, double alpha,
    double beta,
    const dense_t *b, const dense_t *c, dense_t *before);

/* The same of either product of a plan.
 * \param[in] in  what that product multiplies by: the matrix of the plan or its transpose */
typedef rc_status_t run_fn(rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);
run_fn execute_host; /* rc_plan_execute and rc_plan_execute_transposed of a plan on the host */
run_fn execute_host_transposed;
void check_run(rc_rng_t *rng, rc_plan_t *plan, run_fn *run, const rc_plan_problem_t *p, const input_t *in, int64_t k);

/* A K that the problem asks for: each of a list in turn, or one of a range. */
int64_t some_k(rc_rng_t *rng, const rc_plan_problem_t *p, int i);

/* Run a plan at K on the host and compare all of its output. */
void check_product(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *in, int64_t k);

#endif
