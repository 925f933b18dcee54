/** \file analysis/papers/hong/nonnegative.h  Linear least squares without negative coefficients. */
#ifndef RC_ANALYSIS_PAPERS_HONG_NONNEGATIVE_H
#define RC_ANALYSIS_PAPERS_HONG_NONNEGATIVE_H

#include "rowcast.h"

enum { RC_NONNEGATIVE_MAX = 32 /**< inputs */ };

/** Minimise sum_i (sum_j coef[j] x[i][j] - y[i])^2 over coef >= 0, by turns through the
 *  coefficients until none moves.
 *  \param[in]  x       [rows * inputs], finite
 *  \param[in]  inputs  at most RC_NONNEGATIVE_MAX
 *  \param[out] coef    [inputs] 0 for an input that is 0 in every row
 *  Cost O(rows inputs^2), then O(inputs^2) a turn. */
void rc_nonnegative(const double *x, int64_t rows, int inputs, const double *y, double *coef);

#endif
