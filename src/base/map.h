/** \file base/map.h  A hash map from pairs of 64-bit numbers to integers, and from texts through
 *  their digests. */
#ifndef RC_BASE_MAP_H
#define RC_BASE_MAP_H

#include "base/digest.h"

/** Zero-initialise; free with rc_map_free. */
typedef struct rc_map {
    struct rc_map_slot *slot;
    size_t capacity; /**< a power of two, 0 while empty */
    size_t count;
} rc_map_t;

/** Where a key is looked for first, of `capacity` slots (a power of two).  Keys may be digests or
 *  small numbers: their bits are mixed here. */
size_t rc_map_slot(rc_digest_t key, size_t capacity);

/** Set the value of a key, replacing an earlier one.  \return RC_OK or RC_ENOMEM */
rc_status_t rc_map_set(rc_map_t *m, rc_digest_t key, int64_t value, rc_err_t *err);

/** Value of a key, or `missing`. */
int64_t rc_map_get(const rc_map_t *m, rc_digest_t key, int64_t missing);

/** Bytes of `capacity` slots, for who sends them. */
size_t rc_map_bytes(const rc_map_t *m);

/** Forget everything, free the memory. */
void rc_map_free(rc_map_t *m);

/** Key of a text. */
rc_digest_t rc_map_text(const char *text);

#endif
