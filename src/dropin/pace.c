/* Where the host of a program is the bound, a faster product wins nothing, and what a plan takes of
 * the host makes the program slower.  The program's own pace tells: seconds from one call of a
 * pattern to the next, before its plan and with it.  A host that runs ahead of its stream has a
 * pace that says nothing; it is known by a stream that is never idle when it asks. */
#include "config.h"
#include "dropin/dropin.h"

#include <string.h>

static const double slower = 1.02; /* of the pace */
static const int idle_part = 4;    /* calls of which one has found the stream idle */

static double median(const double *s)
{
    double sorted[RC_PACES];
    memcpy(sorted, s, sizeof sorted);
    for (int i = 1; i < RC_PACES; i++)
        for (int j = i; j > 0 && sorted[j - 1] > sorted[j]; j--) {
            double x = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = x;
        }
    return sorted[RC_PACES / 2];
}

static void restart(rc_pace_t *p)
{
    p->calls = p->idle = 0;
    p->last = 0;
}

void rc_pace_call(rc_dropin_t *d, rc_known_t *known, void *stream)
{
    rc_pace_t *p = &known->pace;
    int with = known->stage == RC_STAGE_ON && !known->next;
    if (d->settings.always || p->judged || (!with && known->stage != RC_STAGE_WATCHING))
        return;
    if (with != p->with)
        restart(p);
    p->with = with;
    double now = rc_making_now(d);
    if (p->last > 0)
        p->seconds[p->calls++ % RC_PACES] = now - p->last;
    p->last = now;
    if (!with && p->calls >= RC_PACES)
        p->before = median(p->seconds);
    if (with)
        p->idle += d->engine->idle(stream) > 0;
}

int rc_pace_suffers(rc_known_t *known)
{
    rc_pace_t *p = &known->pace;
    if (p->judged || !p->with || p->calls < 3 * RC_PACES)
        return 0;
    p->judged = 1;
    return p->before > 0 && p->idle * idle_part >= p->calls &&
           median(p->seconds) > slower * p->before;
}
