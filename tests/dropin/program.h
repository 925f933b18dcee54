/** \file tests/dropin/program.h  A sparse product as a program of cuSPARSE has it, with an independent result. */
#ifndef RC_TESTS_DROPIN_PROGRAM_H
#define RC_TESTS_DROPIN_PROGRAM_H

#include "matrix.h"

/** C = alpha A B + beta C, y = alpha A x + beta y, or C = alpha (L B) .* spy(C) + beta C. */
typedef enum product_op { PRODUCT_MATRIX, PRODUCT_VECTOR, PRODUCT_SAMPLED } product_op_t;

/** One product. */
typedef struct product {
    product_op_t op;
    int captured; /**< 1: in a graph, which runs once */
    int device_scalars; /**< 1: alpha and beta are on the device */
    int64_t k;
    int b_rows; /**< 1: row-major */
    int c_rows; /**< of L, where C is sampled */
    cusparseOperation_t op_a; /**< of A that is not sampled */
    int turned[2]; /**< 1: L, where C is sampled, and B of K columns are there transposed */
    int c_sums; /**< 1: C has the type of sums */
    number_t alpha;
    number_t beta;
    int preprocess;
    cusparseSpMMAlg_t alg;
    cusparseSpMVAlg_t vector_alg;
} product_t;

product_t product_random(rng_t *r, const matrix_t *m);

/** Run it through cuSPARSE's interface and compare with sums in fp64 on the host.
 *  \return 1: every value is within the error bound of its precision */
int product_check(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, rng_t *r);

#endif
