/** \file sparse/similarity.h  How alike rows are, as sets of columns (Jiang et al. 2020, section
 *  3.2).  All local. */
#ifndef RC_SPARSE_SIMILARITY_H
#define RC_SPARSE_SIMILARITY_H

#include "base/rng_hash.h"
#include "rowcast.h"

/** Columns that two rows share.
 *  \param[in] x  [nx] increasing; y  [ny] increasing
 *  Cost O(nx + ny). */
int64_t rc_common_columns(const int32_t *x, int64_t nx, const int32_t *y, int64_t ny);

/** Jaccard similarity of sets of nx and ny members that share `common`: one division of integers in
 *  fp64, 0 for two empty sets. */
RC_HOST_DEVICE static inline double rc_jaccard(int64_t nx, int64_t ny, int64_t common)
{
    int64_t both = nx + ny - common;
    return both > 0 ? (double)common / (double)both : 0;
}

/** No sets of nx and ny members, one of them not empty, are more similar: division keeps the order
 *  when it rounds. */
RC_HOST_DEVICE static inline double rc_jaccard_most(int64_t nx, int64_t ny)
{
    return nx < ny ? (double)nx / (double)ny : (double)ny / (double)nx;
}

/** Jaccard similarity of two rows of a matrix. */
double rc_row_similarity(const rc_csr_t *a, int64_t x, int64_t y);

/** Average similarity of an order: mean Jaccard similarity of neighbours among its rows that have
 *  entries; 0 for fewer than two.
 *  \param[in]  order    rows, pads are skipped; a renumbering of columns changes nothing and is not
 *                       looked at; NULL: the original order
 *  \param[in]  threads  >= 1; the result does not depend on it: terms are added in slot order
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + slots), memory 12 bytes a slot. */
rc_status_t rc_mean_similarity(
    const rc_csr_t *a, const rc_schedule_t *order, int threads, double *out, rc_err_t *err);

#endif
