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

/** The columns of row r, as far as they count, take the smaller of their number and x. */
static inline void rc_row_lower(const rc_csr_t *a, int64_t r, uint32_t x, uint32_t *column)
{
    int length = rc_local_length(a->row_ptr[r], a->row_ptr[r + 1]);
    for (int e = 0; e < length; e++)
        rc_local_min(&column[a->col_idx[a->row_ptr[r] + e]], x);
}

/** The smallest number of them; RC_LOCAL_NONE: there are none.  Others may lower them meanwhile. */
static inline uint32_t rc_row_least(const rc_csr_t *a, int64_t r, const uint32_t *column)
{
    int length = rc_local_length(a->row_ptr[r], a->row_ptr[r + 1]);
    uint32_t least = RC_LOCAL_NONE;
    for (int e = 0; e < length; e++) {
        uint32_t x = __atomic_load_n(&column[a->col_idx[a->row_ptr[r] + e]], __ATOMIC_RELAXED);
        least = x < least ? x : least;
    }
    return least;
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
