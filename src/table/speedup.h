/** \file table/speedup.h  The tables of the papers from a view: speedup per policy (Mehrabi Table
 * I), share of wins (figure 9), greedy portfolio (figure 10).
 *
 *  Rows are compared within a *setting*: kernel, K, precision, layout, row order of C, cache mode,
 *  geometry, device.  K = n (k == n_col) is one setting for all matrices: rows whose k equals n_col
 *  while no other matrix was run with that k.  Only newest, verified rows with status ok
 *  enter, of the newest versions of policy and kernel, and only matrices whose `csr` row is ok; the
 * geometric mean stands beside every mean.  Local. */
#ifndef RC_TABLE_SPEEDUP_H
#define RC_TABLE_SPEEDUP_H

#include "base/expr.h"
#include "table/view.h"

/** Policies per setting; further ones are left out. */
enum { RC_SUMMARY_POLICIES_MAX = 64 };

/** Speedup of one policy over the matrices of a setting. */
typedef struct rc_speedup {
    const char *policy; /**< borrowed from the view; "oracle" for the last one of a setting */
    int64_t matrices;   /**< that have both csr and this policy ok */
    int64_t wins;       /**< matrices on which it is the fastest (ties: to the first) */
    int64_t over5;      /**< matrices on which it gains more than 5 % */
    double max;
    double mean;
    double geomean;
    double median;
    double min;
} rc_speedup_t;

/** A step of the greedy portfolio: the oracle when it may choose among the policies so far. */
typedef struct rc_portfolio {
    const char *policy; /**< that this step adds; step 0 is csr */
    double geomean;     /**< of the oracle's speedup over csr */
    double mean;
} rc_portfolio_t;

/** All of one setting. */
typedef struct rc_speedup_table {
    int64_t row;               /**< a row of the view that has it: kernel, precision, ... */
    int is_n;                  /**< 1: K = n_col */
    int64_t matrices;          /**< with csr ok */
    rc_speedup_t *speedup;     /**< [policies + 1], the oracle last */
    rc_portfolio_t *portfolio; /**< [policies] */
    int policies;              /**< csr included */
} rc_speedup_table_t;

/** \param[in] where  only rows that match; NULL: all
 *  \param[out] out   [*count] in order of kernel, precision, K; free with rc_speedup_free */
rc_status_t rc_speedup_make(const rc_view_t *v, const rc_expr_t *where, rc_speedup_table_t **out,
    int *count, rc_err_t *err);
void rc_speedup_free(rc_speedup_table_t *s, int count);

#endif
