/* Times of products in the program's stream, and what they decide.  Who is compared takes turns, so
 * that both have the same neighbours. */
#include "config.h"
#include "dropin/dropin.h"

#include <string.h>

double rc_times_median(const rc_times_t *t)
{
    double sorted[RC_TIMES];
    for (int i = 0; i < t->count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > t->ns[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = t->ns[i];
    }
    return t->count > 0 ? sorted[t->count / 2] : 0;
}

void rc_times_free(rc_dropin_t *d, rc_times_t *t)
{
    for (int i = 0; i < RC_TIMES; i++)
        if (t->mark[i])
            d->engine->marks_free(t->mark[i]);
}

/* A call that is between its marks goes on with the first of them. */
static void restart(rc_times_t *t)
{
    if (t->marked < RC_TIMES) {
        void *open = t->mark[t->marked];
        t->mark[t->marked] = t->mark[0];
        t->mark[0] = open;
    }
    t->count = 0;
    t->marked = 0;
}

/* What is known is left out; the stream has not got to the others. */
static void leave_out(rc_times_t *t)
{
    for (; t->count > 0; t->count--, t->marked--) {
        void *mark = t->mark[0];
        memmove(t->mark, t->mark + 1, (RC_TIMES - 1) * sizeof *t->mark);
        t->mark[RC_TIMES - 1] = mark;
    }
}

void rc_times_renew(rc_known_t *known)
{
    if (known->reference.count > 0)
        known->product_ns = rc_times_median(&known->reference);
    restart(&known->reference);
}

static void take(rc_dropin_t *d, rc_times_t *t)
{
    while (t->count < t->marked) {
        double ns = d->engine->between(t->mark[t->count]);
        if (ns == 0)
            return;
        if (ns > 0)
            t->ns[t->count++] = ns;
        else { /* no time: the last one takes its place */
            void *mark = t->mark[t->count];
            t->mark[t->count] = t->mark[--t->marked];
            t->mark[t->marked] = mark;
        }
    }
}

void rc_trial_take(rc_dropin_t *d, rc_known_t *known)
{
    take(d, &known->reference);
    take(d, &known->ours);
    take(d, &known->better);
}

int rc_times_begin(rc_dropin_t *d, rc_known_t *known, rc_times_t *t, void *stream)
{
    if (t->marked >= RC_TIMES)
        return 0;
    if (!t->mark[t->marked])
        t->mark[t->marked] = d->engine->marks();
    if (!t->mark[t->marked] || d->engine->mark(t->mark[t->marked], 0, stream) < 0)
        return 0;
    known->busy = 1;
    return 1;
}

void rc_times_end(rc_dropin_t *d, rc_known_t *known, rc_times_t *t, void *stream)
{
    known->busy = 0;
    if (d->engine->mark(t->mark[t->marked], 1, stream) >= 0)
        t->marked++;
}

/* -------------------------------------------------------------------- trials */

void rc_trial_plan(rc_known_t *known)
{
    known->stage = RC_STAGE_TRYING;
    known->turns = 0;
    rc_times_renew(known); /* first products are slower than later ones */
    restart(&known->ours);
}

void rc_trial_better(rc_dropin_t *d, rc_known_t *known, rc_held_t *next)
{
    rc_worth_settle(d, known);
    known->kept_ns = 0;
    known->next = next;
    known->next_turns = 0;
    restart(&known->ours);
    restart(&known->better);
}

void rc_trial_again(rc_dropin_t *d, rc_known_t *known)
{
    rc_worth_settle(d, known);
    known->kept_ns = rc_times_median(&known->ours);
    restart(&known->ours);
}

double rc_trial_kept(const rc_known_t *known)
{
    double now = rc_times_median(&known->ours);
    return now > known->kept_ns ? now : known->kept_ns;
}

/* 1: what is tried is not to multiply until its times are there, or the first of them: a program
 * may be a thousand calls ahead of its stream, and it may be slow. */
static int awaits(const rc_times_t *tried)
{
    return tried->marked >= RC_TIMES || (tried->marked > 0 && tried->count == 0);
}

rc_why_t rc_trial_turn(const rc_dropin_t *d, const rc_known_t *known)
{
    if (d->settings.always)
        return RC_WHY_PLAN;
    int theirs = known->reference.marked < RC_TIMES && known->turns % 2 == 1;
    return theirs || awaits(&known->ours) ? RC_WHY_TRYING : RC_WHY_PLAN;
}

rc_held_t *rc_trial_held(rc_known_t *known, rc_times_t **times)
{
    int64_t turn = known->next_turns;
    int again = known->kept_ns > 0 && (known->turns % RC_AGAIN == 0 || known->ours.count > 0);
    *times = NULL;
    if (!known->next) {
        if ((known->stage == RC_STAGE_TRYING && known->turns > 0) || again)
            *times = &known->ours;
        return known->held;
    }
    known->next_turns++;
    int next = turn % 2 == 0 && !awaits(&known->better);
    if (turn > 0) /* the first call of a plan loads its kernels */
        *times = next ? &known->better : &known->ours;
    return next ? known->next : known->held;
}

/* 1: all of some times are above all of others: a first one by much, later ones by a tenth. */
static int clearly_slower(const rc_times_t *a, const rc_times_t *b)
{
    double by = a->count < RC_ENOUGH ? 2 : 1.1;
    if (a->count == 0 || b->count < RC_ENOUGH)
        return 0;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->ns[i] <= by * b->ns[j])
                return 0;
    return 1;
}

/* Whether what is tried stays: 1, 0, or negative: not known yet. */
static int stays(const rc_times_t *tried, const rc_times_t *reference)
{
    if (clearly_slower(tried, reference))
        return 0;
    if (tried->count < RC_TIMES || reference->count < RC_TIMES)
        return -1;
    return rc_times_median(tried) <= RC_KEEP * rc_times_median(reference);
}

static void decide(rc_dropin_t *d, rc_known_t *known)
{
    int keep = d->settings.always ? 1 : stays(&known->ours, &known->reference);
    if (keep < 0)
        return;
    int direct = known->held->direct;
    if (!d->settings.always && !direct) {
        d->account.gains += rc_times_median(&known->reference) / rc_times_median(&known->ours);
        d->account.tried++;
    }
    if (keep) {
        known->stage = RC_STAGE_ON;
        d->account.fresh = 0;
        rc_past_save_later(d, known);
        return;
    }
    rc_known_drop(d, known);
    known->stage = direct ? RC_STAGE_WATCHING : RC_STAGE_OFF; /* there may be another way */
    known->turns = 0;
    known->off = RC_WHY_SLOWER;
}

/* The better plan takes the place of the other one for all its users. */
static void decide_better(rc_dropin_t *d, rc_known_t *known)
{
    rc_held_t *next = known->next;
    int keep = stays(&known->better, &known->ours);
    if (keep < 0)
        return;
    if (!next->direct) {
        d->account.better += rc_times_median(&known->ours) / rc_times_median(&known->better);
        d->account.improved++;
    }
    if (keep) {
        rc_held_t old = *known->held;
        rc_worth_settle(d, known);
        known->held->plan = next->plan;
        known->held->made = next->made;
        next->plan = old.plan;
        next->made = old.made;
        memcpy(known->ours.ns, known->better.ns, sizeof known->ours.ns);
        memcpy(known->text, known->held->made.text, sizeof known->text);
    }
    rc_known_leave_next(d, known);
    rc_past_save_later(d, known);
}

/* Beyond which a kernel that is kept is slow: as cuSPARSE was, or by so much as it was itself. */
static double slow_from(const rc_known_t *known)
{
    const double library = rc_times_median(&known->reference);
    const double itself = RC_SLOWER * known->kept_ns;
    return library > 0 && library < itself ? library : itself;
}

/* Whether the kernel that is kept has become slow: 1, 0, or negative: not known yet.  A time that
 * is as it was, or one that is far from that, says so alone. */
static int is_slow(const rc_known_t *known)
{
    const rc_times_t *t = &known->ours;
    const double from = slow_from(known);
    int some = 0;
    for (int i = 0; i < t->count; i++) {
        if (t->ns[i] > RC_FAR * known->kept_ns)
            return 1;
        some += t->ns[i] > from;
    }
    if (t->count == 0 || (some > 0 && t->count < RC_TIMES))
        return -1;
    return rc_times_median(t) > from;
}

/* One that has become slow is tried anew, as all of them are.  What it has brought since its last
 * times is known by these. */
static void decide_again(rc_dropin_t *d, rc_known_t *known)
{
    int slow = is_slow(known);
    if (slow < 0)
        return;
    rc_worth_settle(d, known);
    leave_out(&known->ours);
    if (!slow)
        return;
    rc_known_drop(d, known);
    rc_times_renew(known);
    known->stage = RC_STAGE_WATCHING;
    known->turns = 0;
    known->ways = 0;
    known->looked = 0;
}

void rc_trial_decide(rc_dropin_t *d, rc_known_t *known)
{
    if (known->kept_ns > 0)
        decide_again(d, known);
    else if (known->stage == RC_STAGE_TRYING)
        decide(d, known);
    else if (known->stage == RC_STAGE_ON && known->next)
        decide_better(d, known);
}
