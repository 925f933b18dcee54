/** \file store/inflight.h  What is in flight while a journal is read from its start.  A rank loads,
 *  featurises and orders one thing of a matrix at a time, so its next step says that the one before
 *  is over; prepared cases of a matrix stay in flight together, for one can spoil the memory of
 *  another.  Matrices that are in hand at once are kept apart by their job number.  Local; private
 *  to src/store. */
#ifndef RC_STORE_INFLIGHT_H
#define RC_STORE_INFLIGHT_H

#include "store/journal.h"

/** A case or a catalogue row that was begun. */
typedef struct rc_inflight_item {
    rc_rec_begin_t begin;
    int lost; /**< 1: the device failed under it: only its result ends it */
} rc_inflight_item_t;

/** Zero-initialise; free with rc_inflight_free. */
typedef struct rc_inflight {
    rc_inflight_item_t *item; /**< [count] */
    size_t count;
    size_t capacity;
    int32_t signal; /**< that the rank died of, as far as it could tell; 0 unknown */
    int asked;      /**< 1: a signal had asked the rank to end before */
} rc_inflight_t;

/** Take note of the next record of the journal.
 *  \param[in] what  what it says (rc_rec_get)
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_inflight_track(
    rc_inflight_t *f, const rc_record_t *r, const rc_rec_t *what, rc_err_t *err);

void rc_inflight_free(rc_inflight_t *f);

#endif
