/** \file table/ranges.h  The matrices of a store by their number of entries: Nisa et al. 2018,
 *  Table I.  Local. */
#ifndef RC_TABLE_RANGES_H
#define RC_TABLE_RANGES_H

#include "base/expr.h"
#include "table/view.h"

enum { RC_RANGES = 8 };

/** Range i holds matrices with rc_range_edges[i] <= nnz < rc_range_edges[i + 1]; the last has no
 *  end. */
extern const int64_t rc_range_edges[RC_RANGES];
extern const char *const rc_range_names[RC_RANGES];

/** Means over the matrices of a range; NaN where there are none. */
typedef struct rc_range {
    int64_t matrices;
    double rows;
    double cols;
    double density; /**< share, not % */
    double nnz_mu;
    double nnz_sigma; /**< of those with the features nisa */
    int64_t sigmas;   /**< how many these are */
} rc_range_t;

/** \param[in]  where  matrices with a newest result of spmv that matches, in whatever state; NULL:
 *  with any of these
 *  \param[out] real   [RC_RANGES] of matrices from files;  \param[out] all  [RC_RANGES] of these
 *      and generated ones
 *  \return RC_OK, RC_ENOENT, RC_ESTORE, RC_ENOMEM.  A store without the features has no
 *      nnz_sigma. */
rc_status_t rc_ranges_make(const char *store, const rc_view_t *v, const rc_expr_t *where,
    rc_range_t *real, rc_range_t *all, rc_err_t *err);

#endif
