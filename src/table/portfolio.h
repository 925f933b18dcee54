/** \file table/portfolio.h  Which columns of a table of costs are worth having together: the greedy
 *  portfolio of Mehrabi et al. 2021, figure 10.  Local. */
#ifndef RC_TABLE_PORTFOLIO_H
#define RC_TABLE_PORTFOLIO_H

#include "rowcast.h"

/** What a portfolio is chosen from. */
typedef struct rc_portfolio_costs {
    const double *cost; /**< [rows * columns], a row after the other: logarithms of times or of
                             their ratios; NaN: the row lacks the column */
    int64_t rows;
    int columns;
    int first;    /**< column that the portfolio begins with; -1: whichever is best alone */
    int most;     /**< columns at most */
    double limit; /**< it ends when the sum is at most this; -INFINITY: not before */
} rc_portfolio_costs_t;

/** A step of it. */
typedef struct rc_portfolio_step {
    int added;  /**< column */
    double sum; /**< over the rows, of the least cost among the columns so far */
} rc_portfolio_step_t;

/** Each step adds the column with which the sum over the rows of the least cost is smallest, that
 *  is the geometric mean of the times; the first of equals.
 *  \param[out] step   [columns]
 *  \param[out] count  steps made: min(columns, most), or fewer with a limit
 *  \return RC_OK, RC_ENOMEM.  Cost O(columns * steps * rows). */
rc_status_t rc_portfolio_greedy(
    const rc_portfolio_costs_t *c, rc_portfolio_step_t *step, int *count, rc_err_t *err);

#endif
