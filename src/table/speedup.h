/** \file table/speedup.h  The tables of the papers from a view: speedup per policy (Mehrabi Table
 *  I), share of wins (figure 9), greedy portfolio (figure 10).
 *
 *  Results are compared within a setting (table/counted.h) for one kernel, layout and geometry, and
 *  only on matrices with `csr` and another order, without which nothing is known of orders; the
 *  geometric mean stands beside every mean.  A
 *  speedup is rc_view_speedup.  What is the best of several stands there twice: plainly, and held
 *  out (table/split_half.h).  Local. */
#ifndef RC_TABLE_SPEEDUP_H
#define RC_TABLE_SPEEDUP_H

#include "base/stats.h"
#include "table/counted.h"

/** Speedup of one policy over the matrices of a setting. */
typedef struct rc_speedup {
    const char *policy; /**< borrowed from the view; "oracle" for the last one of a setting */
    int64_t wins;       /**< matrices on which it is the fastest (equals: the first) */
    int64_t clear;      /**< of these, matrices on which no other policy is within the error */
    int64_t ties;       /**< matrices on which it is the fastest, or within the error of that, and
                             not alone so (rc_timed_tie) */
    int64_t over5;      /**< matrices on which it gains more than 5 % */
    rc_stats_t gain;    /**< over the matrices that have both csr and this policy ok */
    double geomean_held_out; /**< of the oracle; NaN: a policy is no choice */
    double mean_held_out;
} rc_speedup_t;

/** A step of the greedy portfolio: the oracle when it may choose among the policies so far. */
typedef struct rc_portfolio {
    const char *policy; /**< that this step adds; step 0 is csr */
    double geomean;     /**< of the oracle's speedup over csr */
    double mean;
    double geomean_held_out; /**< policies so many and the choice among them made in one half and
                                  scored in the other, so not always of these policies */
    double mean_held_out;
} rc_portfolio_t;

/** All of one setting, kernel, layout and geometry. */
typedef struct rc_speedup_table {
    rc_setting_t setting;      /**< its matrices are those of all kernels */
    const char *kernel;        /**< borrowed from the view */
    int64_t row;               /**< a row of the view that has kernel, layout and geometry */
    int64_t first;             /**< where that is among those that count */
    int64_t matrices;          /**< with csr and another order ok */
    rc_speedup_t *speedup;     /**< [policies + 1], the oracle last */
    rc_portfolio_t *portfolio; /**< [policies] */
    int policies;              /**< csr included */
} rc_speedup_table_t;

/** \param[in] where  only rows that match; NULL: all
 *  \param[out] out   [*count] by operation, kernel, setting; free with rc_speedup_free */
rc_status_t rc_speedup_make(const rc_view_t *v, const rc_expr_t *where, rc_speedup_table_t **out,
    int *count, rc_err_t *err);
void rc_speedup_free(rc_speedup_table_t *s, int count);

#endif
