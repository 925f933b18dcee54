/* Ways of a product that need nothing of its pattern: kernels on the program's arrays.  There is
 * nothing to make and nothing to check, so all that one costs is its loading and its trial. */
#include "config.h"
#include "dropin/dropin.h"

#include <stdlib.h>
#include <string.h>

/* The way of a number.  NULL: no memory, or it would be slow. */
static rc_held_t *held_new(rc_dropin_t *d, const rc_asked_t *p, int way)
{
    rc_made_t made = {.bytes = 0};
    rc_held_t *held = calloc(1, sizeof *held);
    if (!held)
        return NULL;
    double start = rc_making_now(d);
    void *plan = d->engine->direct(p, way, &made);
    d->account.spent += rc_making_now(d) - start;
    if (!plan) {
        free(held);
        return NULL;
    }
    *held = (rc_held_t){.plan = plan, .users = 1, .direct = 1, .made = made};
    d->bytes += made.bytes;
    if (made.bytes == 0 || d->bytes <= d->settings.memory)
        return held;
    rc_known_leave(d, held);
    return NULL;
}

/* A row that is much longer than others would make some kernels slow.  \return 1: it is known */
static int look(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p)
{
    if (known->looked || d->settings.always)
        return 1;
    if (!known->sum && !rc_making_prepare(d, known->key.device))
        return 0;
    if (!known->sum) {
        double start = rc_making_now(d);
        known->sum = d->engine->look(p);
        d->account.spent += rc_making_now(d) - start;
    }
    if (!known->sum) { /* it may be any */
        known->longest = INT64_MAX;
        known->looked = 1;
        return 1;
    }
    if (!d->engine->looked(known->sum, &known->longest))
        return 0;
    d->engine->sum_free(known->sum);
    known->sum = NULL;
    known->looked = 1;
    return 1;
}

/* Seconds that the next way takes before it runs. */
static double making_of(const rc_dropin_t *d, const rc_known_t *known, const rc_asked_t *p)
{
    return known->ways < d->engine->directs(p) && !d->settings.always
               ? d->engine->direct_s(p, known->ways)
               : 0;
}

static rc_held_t *next_way(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *asked)
{
    rc_asked_t with = *asked;
    const rc_asked_t *p = &with;
    with.longest = known->longest;
    with.library_ns = rc_times_median(&known->reference);
    int count = d->engine->directs(p);
    int first = d->settings.always && count > 0 ? (int)(d->made++ % (uint64_t)count) : 0;
    rc_held_t *held = NULL;
    /* the account has seen what the first takes; a later one that takes more has its own call */
    const double seen = making_of(d, known, p);
    while (!held && known->ways < count && making_of(d, known, p) <= seen)
        held = held_new(d, p, (first + known->ways++) % count);
    return held;
}

/* The pace of the program without a plan is known first. */
static int is_time(rc_dropin_t *d, const rc_known_t *known, const rc_asked_t *p)
{
    if (d->settings.always)
        return known->turns >= 1;
    return known->turns >= rc_worth_patience(d) && known->reference.count >= RC_ENOUGH &&
           known->pace.before > 0 && rc_worth_is_time(known) &&
           rc_worth_way(d, known, making_of(d, known, p));
}

void rc_ways_watch(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p)
{
    if (!is_time(d, known, p) || !look(d, known, p))
        return;
    int slower = known->ways > 0;
    rc_held_t *held = next_way(d, known, p);
    if (!held && known->ways < d->engine->directs(p))
        return;
    if (!held) {
        known->stage = RC_STAGE_OFF;
        known->off = slower ? RC_WHY_SLOWER : RC_WHY_NO_PLAN;
        return;
    }
    known->held = held;
    memcpy(known->text, held->made.text, sizeof known->text);
    if (known->begun_at == 0)
        known->begun_at = known->calls;
    rc_trial_plan(known);
}

void rc_ways_improve(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p)
{
    if (d->settings.always || known->next || (known->kept_ns == 0 && known->ours.count < RC_ENOUGH))
        return;
    int more = known->ways < d->engine->directs(p) && rc_worth_is_time(known) &&
               rc_worth_trial(d, known, making_of(d, known, p));
    rc_held_t *next = more ? next_way(d, known, p) : NULL;
    if (next)
        rc_trial_better(d, known, next);
    else if (known->kept_ns == 0)
        rc_trial_again(d, known);
}

rc_why_t rc_ways_capture(rc_dropin_t *d, const rc_asked_t *p, int device)
{
    rc_known_t *known = rc_known_kept(d, p, device);
    if (!known)
        return RC_WHY_CAPTURE;
    known->last = d->calls;
    return d->engine->run(known->held->plan, p, RC_CHECK_NOT, 0) == 0 ? RC_WHY_PLAN
                                                                      : RC_WHY_CAPTURE;
}
