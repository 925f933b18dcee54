/** \file order/steps.h  Steps on the host that orders through columns share; inner header of the
 *  room. */
#ifndef RC_ORDER_STEPS_H
#define RC_ORDER_STEPS_H

#include "order/local.h"
#include "order/policy.h"

/** *p = min(*p, x), safe among threads of a team. */
static inline void rc_local_min(uint32_t *p, uint32_t x)
{
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (x < old &&
           !__atomic_compare_exchange_n(p, &old, x, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/** A schedule of all rows by a key, equal keys by row number.
 *  \param[in] key  [keys][rows], >= 0; the last one counts most */
rc_status_t rc_schedule_by_keys(const rc_order_input_t *in, const int32_t *const *key, int keys,
    rc_schedule_t *out, rc_err_t *err);

/** key[r] = the smallest column of row r, or, where it has no entry, the number of columns. */
void rc_first_columns(const rc_order_input_t *in, int32_t *key);

/** One round of label propagation, as policy_labels.c defines it.
 *  \param[in,out] label  [rows]
 *  \param[out] column    [cols], scratch */
void rc_vote_round(const rc_order_input_t *in, int round, uint32_t *column, uint32_t *label);

/** That many rounds, from labels that are row numbers.
 *  \param[out] label  [rows]
 *  \return RC_OK, RC_ENOMEM (4 bytes a column) */
rc_status_t rc_vote(const rc_order_input_t *in, int rounds, uint32_t *label, rc_err_t *err);

#endif
