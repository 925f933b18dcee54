#include "config.h"
#include "base/room.h"
#include "base/alloc.h"

#include <stdlib.h>

typedef void *alloc_fn(size_t count, size_t size, const char *what, rc_err_t *err);

static void *take(rc_room_t *r, alloc_fn *alloc, size_t count, size_t size)
{
    if (!r->failed)
        r->failed = RC_GROW(r->array, r->capacity, r->count + 1, r->what, r->err) < 0;
    void *p = r->failed ? NULL : alloc(count, size, r->what, r->err);
    if (p)
        r->array[r->count++] = p;
    else
        r->failed = 1;
    return p;
}

void *rc_room_take(rc_room_t *r, size_t count, size_t size)
{
    return take(r, rc_alloc, count, size);
}

void *rc_room_take0(rc_room_t *r, size_t count, size_t size)
{
    return take(r, rc_alloc0, count, size);
}

void *rc_room_take_aligned(rc_room_t *r, size_t count, size_t size)
{
    return take(r, rc_alloc_aligned, count, size);
}

rc_status_t rc_room_status(const rc_room_t *r)
{
    return r->failed ? RC_ENOMEM : RC_OK;
}

void rc_room_free(rc_room_t *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->array[i]);
    free(r->array);
    *r = (rc_room_t){.what = r->what};
}
