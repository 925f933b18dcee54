/** \file analysis/ridge.h  Linear least squares with a ridge, in closed form. */
#ifndef RC_ANALYSIS_RIDGE_H
#define RC_ANALYSIS_RIDGE_H

#include "rowcast.h"

/** Minimise sum_i (coef[0] + sum_j coef[1 + j] x[i][j] - y[i])^2 + penalty n sum_j coef[1 + j]^2
 *  over the rows whose y is finite, n of them; the constant is not penalised.  Normal equations and
 *  Cholesky; with a penalty > 0 it exists for any x.
 *  \param[in]  x        [rows * inputs], centred or not
 *  \param[in]  y        [rows]; NaN is missing
 *  \param[in]  penalty  > 0
 *  \param[out] coef     [inputs + 1]
 *  \return RC_OK, RC_EINVAL (no finite y, or x too large for the arithmetic), RC_ENOMEM
 *  Cost O(rows inputs^2 + inputs^3). */
rc_status_t rc_ridge(const double *x, int64_t rows, int inputs, const double *y, double penalty,
    double *coef, rc_err_t *err);

/** Value of the fit at x[inputs]. */
double rc_ridge_at(const double *coef, int inputs, const double *x);

#endif
