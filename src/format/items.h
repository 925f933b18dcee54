/** \file format/items.h  The rows that a product stores, in the order in which it takes them: the
 *  slots of the schedule, then, with the output in original order, the rows that it leaves out. */
#ifndef RC_FORMAT_ITEMS_H
#define RC_FORMAT_ITEMS_H

#include "format/problem.h"

typedef struct rc_items {
    const rc_problem_t *p; /**< borrowed */
    int32_t *absent;       /**< [absents] rows without a slot, increasing */
    int64_t absents;
    int64_t *order; /**< [count] NULL: as above; set by rc_items_sort */
    int64_t count;  /**< slots, pads included, and absents */
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

/** Sort groups of consecutive items by their longest row, longest first, within windows: slices of
 *  sell.h then need less padding, and the rows of a group are still side by side.  The order of
 *  equal groups stays, and the last group of a window stays last where it is not whole.
 *  (SELL-C-sigma with groups, Kreutzer et al. 2014, doi:10.1137/130930352, section 3)
 *  \param[in] group    items, >= 1  \param[in] window  items, a multiple of `group`
 *  \param[in] longest  a row of more entries counts as empty, for it is kept apart
 *  \return RC_OK, RC_ENOMEM.  Cost O(count log window). */
rc_status_t rc_items_sort(
    rc_items_t *items, int64_t group, int64_t window, int64_t longest, rc_err_t *err);

/** \param[in] i  below items->count */
rc_item_t rc_item_at(const rc_items_t *items, int64_t i);

/** The entries of a row as columns of 2 or 4 bytes and places of rc_places_bytes, from element
 *  `to` on, `step` elements apart. */
void rc_item_copy(const rc_problem_t *p, const rc_item_t *it, int64_t col_bytes, int64_t to,
    int64_t step, void *col, void *entry);

#endif
