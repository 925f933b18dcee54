/** \file rowcast_rows.h  What is made of the rows of a matrix without a plan: extreme terms of a
 *  product, and the softmax of scores.
 *
 *  librowcast_plan has what this header declares, for arrays of the host, and librowcast_cuda, too.
 *  For those of a GPU rowcast_cuda.h has the same. */
#ifndef ROWCAST_ROWS_H
#define ROWCAST_ROWS_H

#include "rowcast_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Of the terms of a row: the largest, or the least. */
typedef enum rc_extreme { RC_EXTREME_MAX = 0, RC_EXTREME_MIN = 1 } rc_extreme_t;

/** What is asked of the terms A(i, j) B(j, c) of each row i and column c, one for each entry.
 *  Zero-initialise. */
typedef struct rc_extremes {
    rc_extreme_t kind; /**< which is looked for */
    int64_t k;         /**< columns of B */
    const void *b;     /**< [cols x k] of the type of the values, row by row */
    int64_t ldb;       /**< its leading dimension, in values */
    void *out;         /**< [rows x k] the extremes, of that type; NULL: not wanted */
    int64_t *entry; /**< [rows x k] the first entry that has it, from 0; nnz: there is none (0) */
} rc_extremes_t;

/** The extreme terms of each row.  Terms of 16 bits are compared in 32; NaN is beyond all others.
 *  \param[in] a  CSR of the host, whose pattern rc_pattern_read_host took; entries in any order
 *  \param[in] threads  as of rc_plan_options_t
 *  \return RC_OK; RC_EINVAL, RC_ERANGE; RC_ENOTSUP (complex values).  Cost O(nnz k) */
RC_API rc_status_t rc_extremes_host(
    const rc_plan_matrix_t *a, const rc_extremes_t *x, int threads, rc_err_t *err);

/** A softmax of scores over the entries of each row, as attention has it, or its gradient.  The
 *  score of entry (i, j) is row[i] + col[j] + entry, times the slope where that is not above 0.
 *  Zero-initialise. */
typedef struct rc_softmax {
    const void *row;      /**< [rows] of the type of the matrix; NULL: zeros */
    const void *col;      /**< [cols] likewise */
    const void *entry;    /**< [nnz] likewise */
    double slope;         /**< of a leaky ReLU; 1: none */
    void *out;            /**< [nnz] the softmax: computed, or given where a gradient is */
    const void *gradient; /**< [nnz] of the softmax; NULL: the softmax is asked for */
    void *of_entry;       /**< [nnz] the gradient of row[i] + col[j] + entry */
    void *of_row;         /**< [rows] its sums; NULL: not wanted */
} rc_softmax_t;

/** The softmax of each row, or its gradient.  Those of 16 bits are computed in 32.
 *  \param[in] a  CSR of the host, whose pattern rc_pattern_read_host took; entries in any order,
 *                without values
 *  \param[in] threads  as of rc_plan_options_t
 *  \return RC_OK; RC_EINVAL, RC_ERANGE; RC_ENOTSUP (a complex type).  Cost O(nnz + rows) */
RC_API rc_status_t rc_softmax_host(
    const rc_plan_matrix_t *a, const rc_softmax_t *x, int threads, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
