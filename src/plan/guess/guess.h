/** \file plan/guess/guess.h  The kernel and order that a plan takes when nothing is timed and no
 *  model is asked: a rule that is compiled in, from sizes alone.  jobs/guess.py fits it. */
#ifndef RC_PLAN_GUESS_H
#define RC_PLAN_GUESS_H

#include "rowcast_plan.h"

#include <stdint.h>

/** A product, and of the device what decides which kernel is fast there. */
typedef struct rc_guess_problem {
    rc_op_t op;
    rc_layout_t layout;
    int value_bytes; /**< that is all it knows of the type: kernels may have no instance for it */
    int64_t k;       /**< 1 where the operation has none */
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int64_t longest;    /**< entries of the longest row */
    int64_t empty_rows; /**< how many */
    int64_t cache_bytes;
    int multiprocessors; /**< 0: not known, or no GPU */
} rc_guess_problem_t;

enum { RC_GUESS_MOST = 16 }; /**< kernels that a rule knows, at most */

/** Kernels with their parameters, the one that is expected to be fastest first. */
typedef struct rc_guess {
    int count; /**< 0: the rule does not know such a problem */
    const char *kernel[RC_GUESS_MOST];
    /** Expected logarithm of the time over that of the fastest; more than .5 counts as .5. */
    double cost[RC_GUESS_MOST];
} rc_guess_t;

/** Order the kernels.  Cost: some hundred comparisons, 1 us. */
void rc_guess_kernels(const rc_guess_problem_t *p, rc_guess_t *out);

/** 1: a row order may pay for itself, so that the order `auto` should look.  Rows of B are found in
 *  the L2 where B is small, and few rows gain little. */
int rc_guess_ordered(const rc_guess_problem_t *p);

/** What a product of ours is expected to take over one of A as a dense matrix, whose zeros are
 *  multiplied, too.  Where this was not measured it is 0: known are fp32 and values of 16 bits, K
 *  from 64 on, and 512 rows and columns or more. */
double rc_guess_over_dense(const rc_guess_problem_t *p);

/** From this ratio on the dense product is surely faster; and one at which it may be. */
extern const double rc_guess_dense_surely, rc_guess_dense_maybe;

/** What a candidate takes in all, in ns: to order and prepare, and so many products.
 *  \param[in] kernel  with parameters  \param[in] cost  of rc_guess_t; of a vendor's kernel it is
 *          not read, and a dense product costs infinity where it is not known
 *  \param[in] ordered  1: under the order `auto` */
double rc_guess_total(
    const rc_guess_problem_t *p, const char *kernel, double cost, int ordered, double reuse);

/** What a product is expected to take, in ns, where so many entries share a load of a row of B
 *  (feature/reuse.h).  Known of spmm by rows on a GPU with K from 8 on, where the rule was held
 *  against measured times; else NaN. */
double rc_guess_shared(const rc_guess_problem_t *p, double share);

#endif
