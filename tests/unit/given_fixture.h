/* Random matrices in every form that an application can have, with what reading them must give. */
#ifndef RC_TESTS_UNIT_GIVEN_FIXTURE_H
#define RC_TESTS_UNIT_GIVEN_FIXTURE_H

#include "base/rng.h"
#include "base/type.h"
#include "rowcast_plan.h"

/* What is wrong with a matrix. */
enum { GIVEN_RIGHT, GIVEN_POINTER, GIVEN_COLUMN, GIVEN_TWICE, GIVEN_WRONGS };

/* How to make one. */
typedef struct given_how {
    rc_plan_form_t form;
    int ptr_bytes;   /* 4 or 8 */
    int col_bytes;   /* likewise */
    rc_precision_t type;
    int shuffled;    /* 1: entries in any order that the form has */
    int wrong;       /* where there are entries to be wrong */
    int64_t rows;
    int64_t cols;
    int64_t mean; /* entries of a row, about */
    int64_t longest; /* of one row; 0: like the others */
} given_how_t;

typedef struct given {
    rc_plan_matrix_t m;
    void *owned[3]; /* its arrays */
    int wrong;      /* 0: it is right */
    rc_csr_t a;     /* the pattern as CSR, columns ascending; of a wrong one as it was before */
    int64_t *from;  /* [nnz] entry of m that each of them is */
} given_t;

/* Any way but `wrong`, small. */
given_how_t given_any(rc_rng_t *rng);
given_t given_new(rc_rng_t *rng, const given_how_t *how);
void given_free(given_t *g);

/* New values, both parts of complex ones, in the order of the caller, which every type has, and of which any sum is exact in fp32. */
void given_values(rc_rng_t *rng, given_t *g);

/* A value like those. */
double given_value(rc_rng_t *rng);

/* C = A B, both row by row.  \param[in] b  [cols * k]  \param[out] c  [rows * k] */
void given_multiply(const given_t *g, int64_t k, const double *b, double *c);

#endif
