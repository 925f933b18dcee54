/** \file base/infer.h  Tests of hypotheses, many of them at once.  All local. */
#ifndef RC_BASE_INFER_H
#define RC_BASE_INFER_H

#include "rowcast.h"

/** Probability that a standard normal variable is at least |z| away from 0 (both sides). */
double rc_normal_p(double z);

/** Wilcoxon's signed-rank test that x is symmetric about 0: both sides, normal approximation with
 *  mid-ranks for ties and zeros left out (Wilcoxon 1945); 1 when all are zero.
 *  \param[in,out] x  [n] finite; sorted by absolute value.  Cost O(n log n). */
double rc_signed_rank_p(double *x, int64_t n);

/** Smirnov's one-sided test of two samples (1939, the limit of large ones): the probability that
 *  the distribution function of x is above that of y by so much somewhere, while both are drawn
 *  from one distribution; 1 for an empty one.
 *  \param[in] x  [n] ascending  \param[in] y  [m] ascending.  Cost O(n + m). */
double rc_smirnov_p(const double *x, int64_t n, const double *y, int64_t m);

/** False-discovery rates after Benjamini and Hochberg (1995): q[i] is the smallest rate at which
 *  hypothesis i is rejected when all with q <= that rate are.  NaN in p is left out and NaN in q.
 *  \param[out] q  [n]
 *  \return RC_OK or RC_ENOMEM.  Cost O(n log n). */
rc_status_t rc_fdr(const double *p, int64_t n, double *q, rc_err_t *err);

#endif
