/* Complex matrices and operands, and their products by parts, for tests of plans. */
#ifndef RC_TESTS_COMPLEX_FIXTURE_H
#define RC_TESTS_COMPLEX_FIXTURE_H

#include "base/rng.h"
#include "rowcast_plan.h"

enum { MOST = 24, ENTRIES = MOST * MOST, PAD = 3, VALUES = MOST * (MOST + PAD) };

/* A number by its parts. */
typedef struct number {
    double part[2];
} number_t;

static const number_t one = {{1, 0}};
static const number_t zero = {{0, 0}};

number_t number_get(rc_precision_t type, const void *from, int64_t i);
void number_put(rc_precision_t type, void *to, int64_t i, number_t x);

/* Below 1 in size, of a type; its imaginary part is 0 where that is real. */
number_t random_number(rc_rng_t *rng, rc_precision_t type);

int64_t below(rc_rng_t *rng, int64_t bound);

/* A matrix by rows, as it is given, and operands. */
typedef struct input {
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int64_t ptr[MOST + 1];
    int32_t col[ENTRIES];
    int32_t row[ENTRIES];
    number_t val[ENTRIES]; /* by rows, as the plan multiplies by them */
    rc_plan_form_t form;
    int64_t given_ptr[ENTRIES + 1];
    int32_t given_col[ENTRIES];
    int64_t place[ENTRIES]; /* of an entry by rows in what is given */
    rc_precision_t type;    /* of what is given */
    double given[2 * ENTRIES];
} input_t;

/* A matrix for a plan of `type`, its values in a type that becomes it; rows without entries are among them. */
void make(rc_rng_t *rng, rc_precision_t type, rc_plan_form_t form, input_t *in);

/* Others, in the type of what is given, that `exact` has too. */
void new_values(rc_rng_t *rng, input_t *in, rc_precision_t exact);

rc_plan_matrix_t matrix_of(const input_t *in);

/* A value, what its parts may be off by, and whether parts are finite, from sums in the order of the entries. */
typedef struct sum {
    long double part[2];
    long double mag;
    int64_t terms;
} sum_t;

/* alpha s + beta c. */
sum_t sum_end(const sum_t *s, number_t alpha, number_t beta, number_t c);

/* A value of a type is that of a sum, as far as roundings may be off; fails with the text. */
void same(rc_precision_t type, const sum_t *want, number_t found, const char *what);

typedef struct operand {
    int64_t rows;
    int64_t cols;
    int64_t ld;
    int by_row;
    double data[2 * VALUES];
} operand_t;

int64_t at(const operand_t *o, int64_t r, int64_t j);

/* Those of a run: inputs, output, and what that held before. */
typedef struct operands {
    operand_t in[2];
    operand_t out;
    operand_t before;
} operands_t;

extern operands_t now;

/* Random ones for k columns. */
void operands_make(rc_rng_t *rng, const rc_plan_problem_t *p, const input_t *a, int64_t k);

/* The product without factors at a place of the output. */
sum_t expected(rc_op_t op, rc_precision_t type, const input_t *a, int64_t r, int64_t j);

rc_status_t execute(rc_plan_t *plan, int64_t k, number_t alpha, number_t beta, rc_err_t *err);

/* What a run left, value by value. */
void check(const rc_plan_problem_t *p, const input_t *a, number_t alpha, number_t beta, const char *what);

/* A run, and that. */
void run_and_check(rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *a, int64_t k, number_t alpha,
    number_t beta, const char *what);

#endif
