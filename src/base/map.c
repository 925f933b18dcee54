#include "config.h"
#include "base/map.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng_hash.h"

#include <stdlib.h>
#include <string.h>

struct rc_map_slot {
    rc_digest_t key;
    int64_t value;
    int used;
};

size_t rc_map_slot(rc_digest_t key, size_t capacity)
{
    return (size_t)rc_rng_mix(key.lo + rc_rng_golden(key.hi)) & (capacity - 1);
}

static struct rc_map_slot *find(struct rc_map_slot *slot, size_t capacity, rc_digest_t key)
{
    size_t i = rc_map_slot(key, capacity);
    while (slot[i].used && (slot[i].key.lo != key.lo || slot[i].key.hi != key.hi))
        i = (i + 1) & (capacity - 1);
    return &slot[i];
}

static rc_status_t make_room(rc_map_t *m, rc_err_t *err)
{
    if (m->capacity && m->count + 1 <= m->capacity - m->capacity / 4)
        return RC_OK;
    size_t capacity = m->capacity ? 2 * m->capacity : 64;
    struct rc_map_slot *slot = rc_alloc0(capacity, sizeof *slot, "a map", err);
    RC_PASS(slot ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < m->capacity; i++)
        if (m->slot[i].used)
            *find(slot, capacity, m->slot[i].key) = m->slot[i];
    free(m->slot);
    m->slot = slot;
    m->capacity = capacity;
    return RC_OK;
}

rc_status_t rc_map_set(rc_map_t *m, rc_digest_t key, int64_t value, rc_err_t *err)
{
    RC_PASS(make_room(m, err));
    struct rc_map_slot *s = find(m->slot, m->capacity, key);
    m->count += !s->used;
    *s = (struct rc_map_slot){key, value, 1};
    return RC_OK;
}

int64_t rc_map_get(const rc_map_t *m, rc_digest_t key, int64_t missing)
{
    if (!m->capacity)
        return missing;
    const struct rc_map_slot *s = find(m->slot, m->capacity, key);
    return s->used ? s->value : missing;
}

size_t rc_map_bytes(const rc_map_t *m)
{
    return m->capacity * sizeof *m->slot;
}

void rc_map_free(rc_map_t *m)
{
    free(m->slot);
    *m = (rc_map_t){0};
}

rc_digest_t rc_map_text(const char *text)
{
    return rc_digest(text, strlen(text));
}
