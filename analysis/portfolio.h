/** \file analysis/portfolio.h  Which classes are worth having: the oracle over a growing set of
 *  classes (Mehrabi et al. 2021, figure 10).  Local. */
#ifndef RC_ANALYSIS_PORTFOLIO_H
#define RC_ANALYSIS_PORTFOLIO_H

#include "analysis/dataset.h"

/** Greedy portfolio over some rows: each step adds the class with which the oracle's geometric mean
 *  time is smallest; the first of equals.
 *  \param[in]  row      [n], n >= 1
 *  \param[out] geomean  [classes] speedup over the baseline of the oracle over the first i + 1
 *  \param[out] added    [classes] the class that step i adds
 *  \return RC_OK, RC_ENOMEM.  Cost O(classes^2 * n). */
rc_status_t rc_greedy_portfolio(const rc_dataset_t *d, const int64_t *row, int64_t n,
    double *geomean, int *added, rc_err_t *err);

#endif
