/* Which results are compared with which: the one rule of all tables (src/table/README.md).  Alone
 * for librowcast, which has no HDF5. */
#include "config.h"
#include "base/error.h"
#include "base/map.h"

#include <stddef.h>

/* The last baseline of what results have in common: of a run and card, of a card, of any, and of
 * those that are the newest of their case. */
enum { OF_SESSION, OF_CARD, OF_ANY, NEWEST };

static rc_digest_t key_of(const rc_store_timed_t *t, int kind, int64_t card)
{
    const rc_digest_t group = rc_digest(t, offsetof(rc_store_timed_t, run));
    const int64_t key[] = {(int64_t)group.hi, (int64_t)group.lo, kind,
        kind == OF_SESSION ? t->run : 0, kind <= OF_CARD ? card : 0};
    return rc_digest(key, sizeof key);
}

static rc_status_t keep(rc_map_t *last, const rc_store_timed_t *t, int64_t i, rc_err_t *err)
{
    for (int kind = OF_SESSION; kind <= (t->newest ? NEWEST : OF_ANY); kind++)
        RC_PASS(rc_map_set(last, key_of(t, kind, t->card), i, err));
    return RC_OK;
}

static int64_t partner_of(const rc_map_t *last, const rc_store_timed_t *t)
{
    const int64_t own = rc_map_get(last, key_of(t, OF_SESSION, t->card), RC_PARTNER_NONE);
    if (own >= 0 || rc_map_get(last, key_of(t, NEWEST, -1), -1) < 0)
        return own;
    if (t->card < 0)
        return rc_map_get(last, key_of(t, OF_ANY, -1), RC_PARTNER_APART);
    const int64_t unknown = rc_map_get(last, key_of(t, OF_CARD, -1), RC_PARTNER_APART);
    const int64_t same = rc_map_get(last, key_of(t, OF_CARD, t->card), RC_PARTNER_APART);
    return same > unknown ? same : unknown;
}

rc_status_t rc_store_partners(
    const rc_store_timed_t *result, int64_t count, int64_t *partner, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t last = {0};
    if (!result || !partner)
        return rc_fail(
            err, RC_EINVAL, "%s: expected one, found NULL", result ? "partner" : "result");
    if (count < 0)
        return rc_fail(err, RC_EINVAL, "count: expected 0 or more, found %lld", (long long)count);
    for (int64_t i = 0; st == RC_OK && i < count; i++)
        st = result[i].baseline ? keep(&last, &result[i], i, err) : RC_OK;
    for (int64_t i = 0; st == RC_OK && i < count; i++)
        partner[i] = partner_of(&last, &result[i]);
    rc_map_free(&last);
    return st;
}
