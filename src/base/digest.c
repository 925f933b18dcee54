#include "config.h"
#include "base/digest.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

rc_hasher_t *rc_hasher_new(rc_err_t *err)
{
    rc_hasher_t *h = XXH3_createState();
    if (h && XXH3_128bits_reset(h) == XXH_OK)
        return h;
    rc_hasher_free(h);
    rc_fail(err, RC_ENOMEM, "no memory for a digest");
    return NULL;
}

void rc_hasher_add(rc_hasher_t *h, const void *data, size_t bytes)
{
    /* fails only for a NULL block, which has no bytes to add */
    if (bytes)
        XXH3_128bits_update(h, data, bytes);
}

rc_digest_t rc_hasher_digest(const rc_hasher_t *h)
{
    XXH128_hash_t x = XXH3_128bits_digest(h);
    return (rc_digest_t){.hi = x.high64, .lo = x.low64};
}

void rc_hasher_free(rc_hasher_t *h)
{
    XXH3_freeState(h);
}

rc_digest_t rc_digest(const void *data, size_t bytes)
{
    XXH128_hash_t x = XXH3_128bits(data, bytes);
    return (rc_digest_t){.hi = x.high64, .lo = x.low64};
}

rc_hex_t rc_digest_hex(rc_digest_t d)
{
    rc_hex_t hex;
    snprintf(hex.text, sizeof hex.text, "%016" PRIx64 "%016" PRIx64, d.hi, d.lo);
    return hex;
}

void rc_digest_shorten(const char *text, char *to, size_t size)
{
    size_t n = strlen(text);
    if (n < size) {
        memcpy(to, text, n + 1);
        return;
    }
    size_t kept = size - RC_DIGEST_HEX - 2;
    while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80) /* within a character */
        kept--;
    snprintf(to, size, "%.*s~%s", (int)kept, text, rc_digest_hex(rc_digest(text, n)).text);
}

rc_status_t rc_digest_parse(const char *hex, rc_digest_t *out)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t part[2] = {0, 0};
    if (strlen(hex) != RC_DIGEST_HEX)
        return RC_EFORMAT;
    for (int i = 0; i < RC_DIGEST_HEX; i++) {
        const char *at = strchr(digits, hex[i]);
        if (!at)
            return RC_EFORMAT;
        part[i / 16] = part[i / 16] << 4 | (uint64_t)(at - digits);
    }
    *out = (rc_digest_t){.hi = part[0], .lo = part[1]};
    return RC_OK;
}

int rc_digest_is_known_as(rc_digest_t a, rc_digest_t b)
{
    return (a.hi || a.lo) && a.hi == b.hi && a.lo == b.lo;
}

int rc_digest_compare(const void *a, const void *b)
{
    const rc_digest_t *x = a;
    const rc_digest_t *y = b;
    if (x->hi != y->hi)
        return x->hi < y->hi ? -1 : 1;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    return 0;
}
