/** \file order/bandk.h  Band-k, the order of CSR-k (Lane and Booth 2022). */
#ifndef RC_ORDER_BANDK_H
#define RC_ORDER_BANDK_H

#include "order/policy.h"

typedef struct rc_bandk_rule {
    int64_t srs;  /**< rows of a super-row at most, >= 1 */
    int64_t ssrs; /**< super-rows of a super-super-row at most; 0: there are none (CSR-2) */
    int band;     /**< 1: coarsening `band`, 0: `heavy` */
} rc_bandk_rule_t;

/** Build the schedule: rows, columns, groups `sr_ptr` and, with ssrs, `ssr_ptr`.  Definition: top
 *  of policy_bandk.c.
 *  \param[in]  a       square, of at most INT32_MAX entries
 *  \param[out] stages  the coarsest graph, values are edge weights, 1 on the diagonal; zeroed by
 *                      the caller; NULL: nobody looks; free with rc_order_stages_free, whatever the
 *                      outcome
 *  \param[out] out     free with rc_schedule_free
 *  \return RC_OK, RC_ENOTSUP (too many entries), RC_ENOMEM.  Local; the result does not depend on
 *          threads. */
rc_status_t rc_bandk(const rc_csr_t *a, const rc_bandk_rule_t *rule, int threads,
    rc_order_stages_t *stages, rc_schedule_t *out, rc_err_t *err);

#endif
