/* The value at a place of a format (format/places.h). */
#ifndef RC_TESTS_UNIT_PLACED_H
#define RC_TESTS_UNIT_PLACED_H

#include "format/places.h"

/* 0: padding.  Places are those of rc_places_bytes(a). */
static inline double placed(const rc_csr_t *a, const void *entry, int64_t at)
{
    int64_t place = rc_place_at(entry, rc_places_bytes(a), at);
    assert_true(place >= 0 && place <= a->nnz);
    return place == 0 ? 0 : a->val[place - 1];
}

#endif
