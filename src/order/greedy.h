/** \file order/greedy.h  The greedy nearest-neighbour policies: one rule each, one loop for all.
 *  Every slot takes the unplaced row closest to the row of an earlier slot; see order/nearest.h. */
#ifndef RC_ORDER_GREEDY_H
#define RC_ORDER_GREEDY_H

#include "order/nearest.h"
#include "order/policy.h"

typedef struct rc_greedy_rule {
    int by_warp;     /**< 1: slot p follows slot p - nw, the first nw slots take the rows of lowest
                          load; 0: slot p follows slot p - 1, slot 0 takes the row of lowest load */
    int within_load; /**< 1: rows of larger load first; only rows of equal load compete, slot 0
                          takes the first of them (by_warp must be 0) */
    /** RC_NEAREST_LOAD: the load nearest to that of slot p - 1; RC_NEAREST_SECOND: the
     *  row closest to slot p - nw, where there is one */
    rc_nearest_tie_t tie;
    int64_t look;  /**< 0: exact; else entries a search counts at most, see policy_greedy.c */
    int64_t parts; /**< 0 or 1: all rows compete; else only those of a part, see policy_greedy.c */
} rc_greedy_rule_t;

/** Build the schedule of a rule: no pads, every row once.
 *  \param[in] dense_lines  as of rc_nearest_create
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_greedy_build(const rc_order_input_t *in, const rc_greedy_rule_t *rule,
    int64_t dense_lines, rc_schedule_t *out, rc_err_t *err);

#endif
