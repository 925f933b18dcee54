/** \file sparse/tally.h  Counts of columns of a few rows, in memory that follows their entries and
 *  not the width of the matrix; inner header of the room. */
#ifndef RC_SPARSE_TALLY_H
#define RC_SPARSE_TALLY_H

#include "rowcast.h"

typedef struct rc_tally_slot {
    int32_t col; /**< -1: none */
    int32_t count;
} rc_tally_slot_t;

/** Open addressing; zero-initialise, free with rc_tally_free. */
typedef struct rc_tally {
    rc_tally_slot_t *slot; /**< [2^bits] in use now */
    int bits;
    int64_t room; /**< slots that there is memory for */
} rc_tally_t;

/** Forget all counts and make room for up to `columns` distinct ones.
 *  \return RC_OK, RC_ENOMEM.  Cost O(columns). */
rc_status_t rc_tally_reset(rc_tally_t *t, int64_t columns, rc_err_t *err);

void rc_tally_free(rc_tally_t *t);

/** Where column c is, or where it would be. */
static inline rc_tally_slot_t *rc_tally_at(const rc_tally_t *t, int32_t c)
{
    const uint64_t last = (UINT64_C(1) << t->bits) - 1;
    uint64_t i = ((uint64_t)(uint32_t)c * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - t->bits);
    while (t->slot[i].col != c && t->slot[i].col >= 0)
        i = (i + 1) & last;
    return &t->slot[i];
}

/** Count column c once more.  \return how often it has been counted now */
static inline int32_t rc_tally_add(rc_tally_t *t, int32_t c)
{
    rc_tally_slot_t *s = rc_tally_at(t, c);
    if (s->col < 0)
        *s = (rc_tally_slot_t){c, 0};
    return ++s->count;
}

#endif
