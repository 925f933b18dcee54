/** \file measure/verify_private.h  A reference as the two halves of the verification share it:
 *  reference.c computes it, verify.c checks against it. */
#ifndef RC_MEASURE_VERIFY_PRIVATE_H
#define RC_MEASURE_VERIFY_PRIVATE_H

#include "base/alloc.h"
#include "measure/verify.h"

struct rc_reference {
    rc_pool_t pool; /**< of its arrays */
    const rc_operation_t *op;
    rc_reference_matrix_t m; /**< of the group in hand */
    int parts;               /**< of a value: what follows is of each part where it says so */
    rc_digest_t digest;
    rc_digest_t order; /* of the group */
    int64_t nnz;
    rc_columns_t columns;
    const int32_t *place; /**< of the group, while the reference is computed */
    uint64_t seed;
    int64_t verify_rows; /**< as asked for */
    int64_t verify_cols;
    int64_t out_rows;
    int64_t out_cols; /**< of the tile */
    double *sign;     /**< [out_cols] */
    double *sum;      /**< [out_rows * parts] A (B x); NULL: no product */
    double *bound;    /**< [out_rows * parts] of |C x - sum|; negative: a value of the row may be
                         infinite, so its sum says nothing */
    int64_t rows;     /**< sampled */
    int64_t *row;     /**< [rows] increasing */
    int64_t cols;
    int64_t *col;       /**< [cols] increasing, within the tile */
    rc_exact_t *sample; /**< [rows * cols * parts] of value (row[i / cols], col[i % cols]) */
};

/** The matrix of a reference by one part of its values. */
rc_reference_matrix_t rc_reference_part(const rc_reference_t *ref, int part);

/** 1 when row r of the output has no terms, so that it must be zero. */
int rc_reference_row_is_empty(const rc_reference_t *ref, int64_t r);

#endif
