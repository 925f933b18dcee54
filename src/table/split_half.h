/** \file table/split_half.h  Choices scored on measurements that they were not made with.
 *
 *  The smallest of several noisy times is on average too small: the one that was lucky is chosen
 *  (the winner's curse).  So what was measured of a time is split into two independent halves, many
 *  times over: the choice is made on one half and scored on the other, and the scores are averaged
 *  over the splits, each in both directions.  The score is of a choice on half of the data, so it
 *  errs to the low side: the gain of the choice on all data lies between it and the plain figure.
 *
 *  A time with raw samples is split into the medians of two random halves of them.  The same rounds
 *  go to the same half for all cases, since cases that are compared were timed in turns.  A batch
 *  that other programs made late would spoil a half that the median of all bears: none counts as
 *  further above that median than the fastest is below it.  A time
 *  without is split by Gaussian thinning: with a relative standard error s and a standard normal z,
 *  log t + s z and log t - s z are independent and have twice the variance of log t, as two halves
 *  have (Leiner, Duan, Wasserman and Ramdas 2023, Data fission, doi:10.1080/01621459.2023.2270748).
 *  z is of the case's identity, so a figure is the same wherever and however often it is computed.
 *
 *  What differs between runs (clocks, placement in memory, other users) is in both halves of one
 *  run and stays in the score.  Local. */
#ifndef RC_TABLE_SPLIT_HALF_H
#define RC_TABLE_SPLIT_HALF_H

#include "table/view.h"

enum { RC_SPLITS = 32, RC_HALVES = 2 * RC_SPLITS };

/** Relative standard error that is taken where a result has none: it had fewer than 3 samples. */
extern const double rc_error_unknown;

/** What is known of a measured time. */
typedef struct rc_timed {
    double ns;             /**< median, > 0; of a row rc_view_ns */
    double rel_err;        /**< relative standard error of it; NaN: unknown */
    uint64_t seed;         /**< of the case */
    const int64_t *sample; /**< [samples] total ns of batches in the order of the rounds; NULL: none
                                are there.  Used only where their median is `ns` */
    int64_t samples;
    double batch; /**< products in a sample, over rc_view_scale */
} rc_timed_t;

/** That of row i of a view; its samples are borrowed from the view, which has them when it was read
 *  with rc_view_read_samples. */
rc_timed_t rc_timed_of(const rc_view_t *v, int64_t i);

/** 1: the two times differ by no more than two standard errors of their ratio. */
int rc_timed_tie(const rc_timed_t *a, const rc_timed_t *b);

/** Split a time.
 *  \param[out] half  [RC_HALVES] log ns; half[h] and half[h ^ 1] are independent estimates
 *  \return RC_OK, RC_ENOMEM.  Cost O(samples * (RC_SPLITS + log samples)) */
rc_status_t rc_split_half(const rc_timed_t *t, double *half, rc_err_t *err);

/** The smallest of several costs: chosen in each half, scored in the other. */
typedef struct rc_smallest {
    double least[RC_HALVES];
    double score[RC_HALVES]; /**< NaN: nothing to choose yet */
} rc_smallest_t;
rc_smallest_t rc_smallest_none(void);
/** \param[in] half  [RC_HALVES] of rc_split_half; NaN is passed over */
void rc_smallest_add(rc_smallest_t *c, const double *half);
/** Mean over the halves; NaN: nothing was added. */
double rc_smallest_score(const rc_smallest_t *c);

/** A table of logarithms of times (or of their ratios), in every half. */
typedef struct rc_halves {
    double *cost; /**< [rows][columns][RC_HALVES]; NaN: the row lacks the column */
    int64_t rows;
    int columns;
} rc_halves_t; /* zero-initialised: no rows */

/** All NaN.  Free with rc_halves_free.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_halves_make(int64_t rows, int columns, rc_halves_t *out, rc_err_t *err);
void rc_halves_free(rc_halves_t *h);

/** Set a cell to log(time / base), both of the same half; base NULL: to log(time).  `base` the
 *  same time as `t`: exactly 0.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_halves_set(rc_halves_t *h, int64_t row, int column, const rc_timed_t *t,
    const rc_timed_t *base, rc_err_t *err);

/** Mean over the halves of the cost of a cell: what a choice that is fixed is scored with. */
double rc_halves_mean(const rc_halves_t *h, int64_t row, int column);

/** The same of the choice of the smallest cost: chosen in one half, scored in the other.  Among
 *  columns [0, columns), columns <= h->columns.  NaN for a row that has none of them. */
double rc_halves_best(const rc_halves_t *h, int64_t row, int columns);

/** The same over some rows, of a choice among the first columns of a greedy portfolio
 *  (table/portfolio.h) whose members are chosen in the same half as the choice among them.
 *  \param[in]  first  as of rc_portfolio_costs_t
 *  \param[in]  row    [rows] which rows, each as often as it is there; NULL: all, in their order
 *  \param[out] cost   [columns][rows]: step after step; NaN where the row lacks all so far
 *  \return RC_OK, RC_ENOMEM.  Cost O(RC_HALVES * rows * columns^2) */
rc_status_t rc_halves_portfolio(
    const rc_halves_t *h, int first, const int64_t *row, int64_t rows, double *cost, rc_err_t *err);

#endif
