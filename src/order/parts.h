/** \file order/parts.h  Parts of the rows of a large matrix that are ordered each by itself, so
 *  that threads share them out and each stays in a cache; inner header of the room. */
#ifndef RC_ORDER_PARTS_H
#define RC_ORDER_PARTS_H

#include "order/policy.h"

#include <stdatomic.h>
#include <stdint.h>

/** How many parts: one for every `size` rows, 16 at most, and one of no rows.  They never depend on
 *  threads. */
static inline int64_t rc_parts_of(int64_t rows, int64_t size)
{
    const int64_t most = 16;
    int64_t parts = rows / size + (rows % size != 0);
    return parts < 1 ? 1 : parts < most ? parts : most;
}

/** First row of part k, or the end of the last one (k = parts). */
static inline int64_t rc_part_begin(int64_t rows, int64_t parts, int64_t k)
{
    return rows / parts * k + rows % parts * k / parts;
}

/** The rows in the order `auto`, by which parts are cut.
 *  \param[out] out  free with rc_schedule_free
 *  \return as the order */
rc_status_t rc_parts_number(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err);

/** Build parts until none is left: the next one is (*next)++.  Several do so at once, each with
 *  memory of its own. */
typedef rc_status_t rc_parts_take_fn(void *of, _Atomic int64_t *next, rc_err_t *err);

/** Share parts out among threads.  Where one fails, the others end their part and begin no other.
 *  \return as `take` */
rc_status_t rc_parts_share(
    int64_t parts, int threads, rc_parts_take_fn *take, void *of, rc_err_t *err);

#endif
