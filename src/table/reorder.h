/** \file table/reorder.h  The plans of row reordering of Jiang et al. 2020 in a store: no
 *  reordering (aspt-nr), both rounds by rule (aspt-rr), both always (aspt-forced), the faster of nr
 *  and rr, measured (aspt-tried), and cusparse.  Local. */
#ifndef RC_TABLE_REORDER_H
#define RC_TABLE_REORDER_H

#include "table/counted.h"
#include "table/side.h"

/** What competes: a plan, or the fastest of several. */
enum { RC_CONTESTANT_SIDES = 4 };
typedef struct rc_contestant {
    char name[96];
    rc_side_t side[RC_CONTESTANT_SIDES];
    int sides;
} rc_contestant_t;

/** The plan that a kernel ("name:params") in an order is: the first that has it.
 *  \param[out] out  static storage; "": none  \return RC_OK, RC_ENOMEM */
rc_status_t rc_reorder_plan_of(
    const char *kernel, const char *policy, const char **out, rc_err_t *err);

/** Parse a list of contestants: plans, sides KERNEL[@ORDER], and max(A,B) for the faster of some.
 *  \param[out] out  [*count] free with rc_contestants_free, after an error too
 *  \return RC_OK; RC_EINVAL (an empty one, a bracket too few, more than RC_CONTESTANT_SIDES in a
 *      bracket); RC_ENOMEM */
rc_status_t rc_contestants_parse(
    const char *text, rc_contestant_t **out, int *count, rc_err_t *err);
void rc_contestants_free(rc_contestant_t *c, int count);

/** The fastest of some results of one matrix in one setting that are of a contestant.
 *  \param[in] row  [n] of the view  \return a row of the view; -1: none */
int64_t rc_contestant_fastest(
    const rc_view_t *v, const int64_t *row, int64_t n, const rc_contestant_t *who);

/** The same of rows [from, to) of c, the fastest of which comes first. */
int64_t rc_contestant_first(
    const rc_counted_t *c, int64_t from, int64_t to, const rc_contestant_t *who);

#endif
