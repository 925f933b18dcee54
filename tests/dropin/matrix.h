/** \file tests/dropin/matrix.h  A sparse matrix of a program of cuSPARSE, in both memories. */
#ifndef RC_TESTS_DROPIN_MATRIX_H
#define RC_TESTS_DROPIN_MATRIX_H

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
/** Each part -1 .. 1, rounded to a type, which may have one. */
number_t rng_number(rng_t *r, cudaDataType type);

/** A matrix in both memories.  Of CSC the arrays are those of its columns: rows and cols, too, are then those of A'. */
typedef struct matrix {
    cusparseFormat_t format; /**< CSR, CSC or COO, row by row */
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int wide_ptr; /**< 1: 64 bits */
    int wide_idx;
    int base;          /**< of indices on the device; those on the host are from 0 */
    cudaDataType type; /**< of values, B and C */
    int64_t *ptr; /**< host */
    int64_t *idx;
    number_t *val;
    void *d_ptr; /**< device; of COO [nnz] rows */
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

/** The pattern with other values. */
cusparseSpMatDescr_t matrix_descr_of(const matrix_t *m, void *values, cudaDataType type);
/** The line of each entry.  \return free() */
int64_t *matrix_lines(const matrix_t *m);

/** Zeros; ends the program where there are none. */
void *host_new(size_t n, size_t bytes);
/** To the device, in a type. */
void put_values(void *to, const number_t *from, int64_t n, cudaDataType type, void *stream);
/** Count what failed. */
void checked(cusparseStatus_t st, const char *what);
/** Whether cuSPARSE reported an error since the start; the first is printed.  Products of 16 bits that it does not support
 *  are no errors, nor those of CSC, COO or A'. */
int product_failures(void);

#endif
