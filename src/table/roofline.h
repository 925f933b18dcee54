/** \file table/roofline.h  How near the fastest kernels come to what memory allows, as figure 1 of
 *  Hong et al. 2018 shows it.  The bound of a product counts A in CSR with indices of 4 bytes, B
 *  and C once each at the bandwidth of memory; matrices that the caches hold can exceed it.
 *  Local. */
#ifndef RC_TABLE_ROOFLINE_H
#define RC_TABLE_ROOFLINE_H

#include "table/segmented.h"

/** Flops a ns (Gflop/s) of 2 K nnz over (4 + z) nnz + 4 (rows + 1) + z K (rows + cols) bytes, z
 *  those of a value.
 *  \param[in] k  1 for a product with a vector  \param[in] gbs  bytes a ns */
double rc_roofline_bound(
    int64_t rows, int64_t cols, int64_t nnz, int64_t k, int64_t value_bytes, double gbs);

/** The matrices of a setting; the fastest result of each counts. */
typedef struct rc_roofline {
    rc_setting_t setting;
    rc_segmented_set_t set;
    int64_t matrices;
    double gflops; /**< geomean */
    double bound;  /**< geomean */
    double most;   /**< the highest bound */
    double share;  /**< geomean of rate over bound */
    double median; /**< of the same */
    int64_t near;  /**< matrices from 0.8 of the bound on */
    int64_t over;  /**< beyond the bound: from the caches */
} rc_roofline_t;

/** \param[in] gbs  bytes a ns of memory  \param[out] out  [*count] by setting, set; free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_roofline_make(const rc_view_t *v, const rc_expr_t *where, double gbs,
    rc_roofline_t **out, int *count, rc_err_t *err);

#endif
