/** \file kernels/items.h  The rows that a product stores, in the order in which it takes them: the
 *  slots of the schedule, then, with the output in original order, the rows that it leaves out. */
#ifndef RC_KERNELS_ITEMS_H
#define RC_KERNELS_ITEMS_H

#include "kernels/kernel.h"

typedef struct rc_items {
    const rc_problem_t *p; /**< borrowed */
    int32_t *absent;       /**< [absents] rows without a slot, increasing */
    int64_t absents;
    int64_t count; /**< slots, pads included, and absents */
} rc_items_t;

/** One row of A and where its sum goes. */
typedef struct rc_item {
    int64_t first;  /**< entry of A */
    int64_t length; /**< entries */
    int64_t row;    /**< of the output; -1: nothing is stored (a pad) */
} rc_item_t;

/** \param[out] out  free with rc_items_free, after a failure too
 *  \return RC_OK, RC_ENOMEM.  Cost O(slots + rows). */
rc_status_t rc_items_new(const rc_problem_t *p, rc_items_t *out, rc_err_t *err);
void rc_items_free(rc_items_t *items);

/** \param[in] i  below items->count */
rc_item_t rc_item_at(const rc_items_t *items, int64_t i);

/** The entries of a row as columns of 2 or 4 bytes and values of the precision.
 *  \param[out] col, val  [it->length], `step` elements apart */
void rc_item_copy(const rc_problem_t *p, const rc_item_t *it, int64_t col_bytes, int64_t step,
    void *col, void *val);

#endif
