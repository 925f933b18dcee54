/** \file base/room.h  The memory of one piece of work: arrays that are taken one by one, and given
 *  back together. */
#ifndef RC_BASE_ROOM_H
#define RC_BASE_ROOM_H

#include "rowcast.h"

/** Zero-initialise but for the first two; free with rc_room_free. */
typedef struct rc_room {
    const char *what; /**< what the memory is for, in messages */
    rc_err_t *err;    /**< told of the first array that there is no memory for; may be NULL */
    void **array;     /**< [count] */
    size_t count;
    size_t capacity;
    int failed; /**< stays set, so that one look at the end is enough */
} rc_room_t;

/** count * size bytes, as rc_alloc has them.  \return NULL: it has failed, now or before */
void *rc_room_take(rc_room_t *r, size_t count, size_t size);

/** As rc_room_take, zeroed. */
void *rc_room_take0(rc_room_t *r, size_t count, size_t size);

/** As rc_room_take, aligned to 64 bytes. */
void *rc_room_take_aligned(rc_room_t *r, size_t count, size_t size);

/** RC_OK, or RC_ENOMEM when an array was not to be had. */
rc_status_t rc_room_status(const rc_room_t *r);

void rc_room_free(rc_room_t *r);

#endif
