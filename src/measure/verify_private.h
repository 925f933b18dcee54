/** \file measure/verify_private.h  A reference as the two halves of the verification share it:
 *  reference.c computes it, verify.c checks against it. */
#ifndef RC_MEASURE_VERIFY_PRIVATE_H
#define RC_MEASURE_VERIFY_PRIVATE_H

#include "measure/verify.h"

/** Value (row[i / cols], col[i % cols]) of the sample. */
typedef struct rc_sample {
    double ref;
    double mag; /**< sum |a||b| */
} rc_sample_t;

struct rc_reference {
    const rc_csr_t *a; /**< of the group in hand */
    rc_digest_t digest;
    int64_t nnz;
    rc_columns_t columns;
    rc_precision_t precision;
    uint64_t seed;
    int64_t verify_rows; /**< as asked for */
    int64_t verify_cols;
    int threads;
    double eps;    /**< spacing of 1 */
    double tiny;   /**< smallest subnormal */
    double most;   /**< half of the largest number */
    double *sign;  /**< [width] of the columns */
    double *sum;   /**< [rows] A (B x) */
    double *bound; /**< [rows] of |C x - sum|; negative: the row says nothing */
    int64_t rows;  /**< sampled */
    int64_t *row;  /**< [rows] increasing */
    int64_t cols;
    int64_t *col;         /**< [cols] increasing, within the tile */
    rc_sample_t *sample;  /**< [rows * cols] */
    int64_t capacity;     /**< rows of C that the scratch is for */
    double *c_sum;        /**< [capacity] */
    unsigned char *found; /**< [capacity] */
};

/** The bound of a value of a row of `len` entries with sum |a||b| = mag. */
double rc_reference_bound(const rc_reference_t *ref, double mag, int64_t len);

/** 1 when sum |a||b| = mag lets a value be compared. */
int rc_reference_comparable(const rc_reference_t *ref, double mag);

#endif
