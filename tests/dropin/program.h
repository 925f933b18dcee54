/** \file tests/dropin/program.h  A sparse product as a program of cuSPARSE has it, with an independent result. */
#ifndef RC_TESTS_DROPIN_PROGRAM_H
#define RC_TESTS_DROPIN_PROGRAM_H

#include "values.h"

#include <cusparse.h>
#include <stdint.h>

/** Random numbers of a seed. */
typedef struct rng {
    uint64_t state;
} rng_t;
uint64_t rng_next(rng_t *r);
/** 0 .. n - 1 */
int64_t rng_below(rng_t *r, int64_t n);
/** -1 .. 1 */
double rng_value(rng_t *r);

/** A matrix in both memories. */
typedef struct matrix {
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int wide_ptr; /**< 1: 64 bits */
    int wide_idx;
    int base;          /**< of indices on the device; those on the host are from 0 */
    cudaDataType type; /**< of values, B and C */
    int64_t *ptr; /**< host */
    int64_t *idx;
    double *val;
    void *d_ptr; /**< device */
    void *d_idx;
    void *d_val;
    cusparseSpMatDescr_t descr; /**< kept; NULL: each product makes one */
    void *buffer; /**< of preprocessing, kept for the products after it; NULL: not preprocessed */
} matrix_t;

/** Random pattern and values of at most `size` rows and columns, >= 1 entry. */
void matrix_new(matrix_t *m, rng_t *r, int64_t size, void *stream);
void matrix_free(matrix_t *m);
/** Other columns, and sometimes rows of other lengths, in the same arrays; nnz stays. */
void matrix_change_pattern(matrix_t *m, rng_t *r, void *stream);
void matrix_change_values(matrix_t *m, rng_t *r, void *stream);
/** A new descriptor that was never preprocessed, where one is kept that was. */
void matrix_renew(matrix_t *m);
cusparseSpMatDescr_t matrix_descr(const matrix_t *m);

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
    int turned[2]; /**< 1: L and B, where C is sampled, are there transposed */
    int c_sums; /**< 1: C has the type of sums */
    double alpha;
    double beta;
    int preprocess;
    cusparseSpMMAlg_t alg;
    cusparseSpMVAlg_t vector_alg;
} product_t;

product_t product_random(rng_t *r);

/** Run it through cuSPARSE's interface and compare with sums in fp64 on the host.
 *  \return 1: every value is within the error bound of its precision */
int product_check(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, rng_t *r);

/** Whether cuSPARSE reported an error since the start; the first is printed.  Products of 16 bits that it does not support
 *  are no errors. */
int product_failures(void);

#endif
