/** \file base/digest.h  128-bit digests (XXH3): identity of matrices and cases, journal checksums.
 *  Not cryptographic. */
#ifndef RC_BASE_DIGEST_H
#define RC_BASE_DIGEST_H

#include "rowcast.h"

typedef struct rc_digest {
    uint64_t hi;
    uint64_t lo;
} rc_digest_t;

enum { RC_DIGEST_HEX = 32 };

/** A digest in the making; a state of xxhash. */
typedef struct XXH3_state_s rc_hasher_t;

/** New hasher, or NULL with err set; free with rc_hasher_free. */
rc_hasher_t *rc_hasher_new(rc_err_t *err);
void rc_hasher_add(rc_hasher_t *h, const void *data, size_t bytes);
rc_digest_t rc_hasher_digest(const rc_hasher_t *h);
void rc_hasher_free(rc_hasher_t *h);

/** Digest of one block. */
rc_digest_t rc_digest(const void *data, size_t bytes);

/** Lower-case hexadecimal digits; as an argument rc_digest_hex(d).text. */
typedef struct rc_hex {
    char text[RC_DIGEST_HEX + 1];
} rc_hex_t;
rc_hex_t rc_digest_hex(rc_digest_t d);

/** Parse what rc_digest_hex wrote; returns RC_EFORMAT otherwise. */
rc_status_t rc_digest_parse(const char *hex, rc_digest_t *out);

/** Copy a text; of one that does not fit the beginning, '~' and its digest, so that two stay two.
 *  \param[in] size  of `to`, above RC_DIGEST_HEX + 2 */
void rc_digest_shorten(const char *text, char *to, size_t size);

/** 1 when two digests are the same and not zero, which stands for an unknown one. */
int rc_digest_is_known_as(rc_digest_t a, rc_digest_t b);

/** Order by (hi, lo); for qsort and bsearch. */
int rc_digest_compare(const void *a, const void *b);

#endif
