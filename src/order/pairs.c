#include "config.h"
#include "order/pairs.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

rc_status_t rc_pairs_check_memory(int64_t pairs, int64_t bytes, rc_err_t *err)
{
    int64_t available = rc_memory_available();
    if (bytes <= available)
        return RC_OK;
    return rc_fail(err, RC_ENOMEM,
        "%" PRId64 " pairs of rows take %" PRId64 " bytes, %" PRId64
        " are available; a window of a few units gives fewer",
        pairs, bytes, available);
}

/* ------------------------------------------------------------------ the set */

static void put(rc_pair_set_t *s, uint64_t pair)
{
    uint64_t i = rc_pair_slot(s, pair);
    while (s->slot[i])
        i = rc_pair_next(s, i);
    s->slot[i] = pair;
}

/* Slots with room for more: a power of two, of many one and a half of it too, so that a pair has at
 * most 13.8 bytes of them.  Small sets grow in longer steps: each puts all pairs in again. */
static int64_t slots_for(const rc_pair_set_t *s, int64_t more)
{
    enum { many = 1 << 20 };
    int64_t slots = s->slot ? s->slots : INT64_C(1) << RC_PAIR_BITS_MIN;
    while (!rc_pair_set_fits(s->count + more, slots))
        slots = slots < many                 ? 2 * slots
                : (slots & (slots - 1)) == 0 ? slots / 2 * 3
                                             : slots / 3 * 4;
    return slots;
}

static rc_status_t new_slots(int64_t slots, int64_t pairs, uint64_t **slot, rc_err_t *err)
{
    enum { large = 1 << 24 };
    if (slots >= large) {
        RC_PASS(rc_pairs_check_memory(pairs, rc_sat_mul(slots, sizeof **slot), err));
    }
    *slot = rc_alloc((size_t)slots, sizeof **slot, "pairs of rows", err); /* in large pages: each
                                                                             look is at another
                                                                             one */
    RC_PASS(*slot ? RC_OK : RC_ENOMEM);
    memset(*slot, 0, (size_t)slots * sizeof **slot);
    return RC_OK;
}

rc_status_t rc_pair_set_reserve(rc_pair_set_t *s, int64_t more, rc_err_t *err)
{
    rc_pair_set_t bigger = {.slots = slots_for(s, more), .count = s->count};
    if (s->slot && bigger.slots == s->slots)
        return RC_OK;
    RC_PASS(new_slots(bigger.slots, s->count + more, &bigger.slot, err));
    for (int64_t i = 0; s->slot && i < s->slots; i++)
        if (s->slot[i])
            put(&bigger, s->slot[i]);
    free(s->slot);
    *s = bigger;
    return RC_OK;
}

rc_status_t rc_pair_set_follow(rc_pair_set_t *s, const rc_pair_list_t *list, rc_err_t *err)
{
    enum { ahead = 16 };
    int64_t slots = slots_for(s, list->count - s->count);
    if (!s->slot || slots != s->slots) {
        rc_pair_set_free(s);
        RC_PASS(new_slots(slots, list->count, &s->slot, err));
        s->slots = slots;
    }
    for (int64_t i = s->count; i < list->count; i++) {
        if (i + ahead < list->count)
            __builtin_prefetch(s->slot + rc_pair_slot(s, list->pair[i + ahead].tie), 1);
        put(s, list->pair[i].tie);
    }
    s->count = list->count;
    return RC_OK;
}

int rc_pair_set_add(rc_pair_set_t *s, uint64_t pair)
{
    if (rc_pair_set_has(s, pair))
        return 0;
    put(s, pair);
    s->count++;
    return 1;
}

void rc_pair_set_free(rc_pair_set_t *s)
{
    free(s->slot);
    *s = (rc_pair_set_t){0};
}

/* ----------------------------------------------------------------- the list */

rc_status_t rc_pair_list_reserve(rc_pair_list_t *l, int64_t more, rc_err_t *err)
{
    enum { large = 1 << 20 };
    int64_t need = l->count + more;
    if ((uint64_t)need > l->room && need >= large)
        RC_PASS(rc_pairs_check_memory(need, rc_sat_mul(need / 2, (int64_t)sizeof *l->pair), err));
    return RC_GROW(l->pair, l->room, (size_t)need, "pairs of rows", err);
}

void rc_pair_list_free(rc_pair_list_t *l)
{
    free(l->pair);
    *l = (rc_pair_list_t){0};
}
