/* A call between its beginning and its end: what its pattern's stage does with it. */
#include "config.h"
#include "dropin/dropin.h"

rc_why_t rc_known_why(const rc_known_t *known)
{
    switch (known->stage) {
    case RC_STAGE_WATCHING:
        return RC_WHY_WATCHING;
    case RC_STAGE_MAKING:
        return RC_WHY_MAKING;
    case RC_STAGE_OFF:
        return known->off;
    default:
        return RC_WHY_PLAN;
    }
}

/* --------------------------------------------------------------------- plans */

static int trusted(rc_dropin_t *d, const rc_known_t *known, rc_trusted_t *t, uint64_t number)
{
    uint64_t equal = 0;
    uint64_t differs = 0;
    if (!t)
        return 0;
    if (t->known != known) {
        t->known = known;
        t->number = number;
        return 0;
    }
    d->engine->checks(known->held->plan, &equal, &differs);
    return known->held->users == 1 && equal >= t->number && differs < t->number;
}

/* The first run of a kernel on the program's arrays takes of the host what making would: it is
 * loaded.  \return as the engine's run */
static int run_held(rc_dropin_t *d, const rc_asked_t *p, rc_checking_t check, uint64_t number,
    const rc_held_t *held)
{
    int first = held->direct && held->runs == 0;
    double start = first ? rc_making_now(d) : 0;
    int st = d->engine->run(held->plan, p, check, number);
    if (first)
        d->account.spent += rc_making_now(d) - start;
    return st;
}

/* \return as the engine's run */
static int run_one(
    rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p, rc_checking_t check, uint64_t number)
{
    rc_times_t *times = NULL;
    rc_held_t *held = rc_trial_held(known, &times);
    int timed = times && rc_times_begin(d, known, times, p->stream);
    int st = run_held(d, p, held == known->held ? check : RC_CHECK_QUIET, number, held);
    known->busy = 0;
    if (st == 0 && timed)
        rc_times_end(d, known, times, p->stream);
    if (st == 0) {
        held->runs++;
        known->by_plan++;
        known->settled += held == known->next; /* its trial says what they bring */
    } else if (held == known->next) {
        known->held->tuned = 1;
        rc_known_leave_next(d, known);
    }
    return st;
}

/* \param[out] failed  set to 1 where a part of C was written before it failed */
static rc_why_t run_plan(
    rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p, rc_trusted_t *t, int *failed)
{
    uint64_t number = rc_known_number(d, known);
    rc_checking_t check = trusted(d, known, t, number) ? RC_CHECK_NOT
                          : t                          ? RC_CHECK_TOLD
                                                       : RC_CHECK_QUIET;
    int tries = known->next ? 2 : 1; /* the better one, then the one that it is to replace */
    int st = -1;
    for (int i = 0; i < tries && st < 0; i++)
        st = run_one(d, known, p, check, number);
    if (st == 0) {
        if (known->first_check == 0)
            known->first_check = number;
        return RC_WHY_PLAN;
    }
    /* what it refuses once it would refuse each time, at the price of a check */
    rc_known_drop(d, known);
    known->stage = RC_STAGE_OFF;
    known->off = RC_WHY_REFUSED;
    *failed = st > 0;
    return *failed ? RC_WHY_PLAN : RC_WHY_REFUSED;
}

/* -------------------------------------------------------------------- stages */

/* Plans that are kept whatever the times say. */
static void watch_always(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p)
{
    if (known->turns >= 1 && rc_known_adopt(d, known, p))
        rc_trial_plan(known);
    else if (known->turns > 1 && !known->sibling)
        rc_making_begin(d, known, p, 0);
}

/* The pattern is summed before a plan is worth it: one that changes from call to call is not what
 * it was when the plan is made, and there is none then. */
static void watch(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p)
{
    if (d->settings.always) {
        watch_always(d, known, p);
        return;
    }
    if (known->turns < rc_worth_patience(d))
        return;
    if (rc_known_adopt(d, known, p)) {
        rc_trial_plan(known);
        return;
    }
    int wanted =
        d->cache.path || (rc_worth_is_time(known) && known->reference.count > 0 &&
                             rc_worth_calls(d, known, 0.5) && rc_worth_budget(d, known, 0));
    int summed = rc_past_sum(d, known, p, wanted);
    rc_past_load(d, known);
    if (known->sibling || (!known->choice && (!summed || known->reference.count < RC_ENOUGH)))
        return;
    if (rc_worth_is_time(known) && rc_worth_calls(d, known, 1) && !rc_known_waits(d, known) &&
        rc_worth_budget(d, known, 0))
        rc_making_begin(d, known, p, 0);
}

/* One at a time: what became of it says whether others are worth it.  One that is not used any more
 * is not tried to the end. */
static int is_any_tried(const rc_dropin_t *d)
{
    for (int i = 0; i < d->count; i++)
        if (d->known[i]->next && d->calls - d->known[i]->last <= RC_KNOWN_MOST)
            return 1;
    return 0;
}

static void improve(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p)
{
    if (d->settings.always || known->held->tuned || known->next || d->job.known ||
        known->ours.count < RC_TIMES || !rc_worth_is_time(known))
        return;
    if (rc_worth_better(d, known) && !is_any_tried(d) && rc_worth_budget(d, known, 1))
        rc_making_begin(d, known, p, 1);
}

/* What is done in a stage: of products with plans, and of those without. */
typedef struct stage_work {
    void (*watch)(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p);
    void (*improve)(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p);
    rc_why_t (*capture)(rc_dropin_t *d, const rc_asked_t *p, int device);
} stage_work_t;
static const stage_work_t works[] = {
    {watch, improve, rc_graph_capture}, {rc_ways_watch, rc_ways_improve, rc_ways_capture}};

static rc_why_t advance(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p)
{
    if (d->job.known) /* of whichever pattern: its own may not come again */
        rc_making_end(d, d->job.known);
    rc_trial_take(d, known);
    if (known->held)
        rc_known_changes(d, known->held);
    if (known->next)
        rc_known_changes(d, known->next);
    rc_trial_decide(d, known);
    rc_pace_call(d, known, p->stream);
    if (rc_pace_suffers(known)) {
        rc_known_drop(d, known);
        known->stage = RC_STAGE_OFF;
        known->off = RC_WHY_HOST;
    }
    const stage_work_t *work = &works[known->key.direct];
    if (known->stage == RC_STAGE_WATCHING)
        work->watch(d, known, p);
    else if (known->stage == RC_STAGE_ON)
        work->improve(d, known, p);
    if (d->job.known == known)
        rc_making_end(d, known); /* it was made in this call */
    return known->stage == RC_STAGE_TRYING ? rc_trial_turn(d, known) : rc_known_why(known);
}

/* Whether cuSPARSE's product is one to be timed.  The first of a pattern loads kernels. */
static int is_timed(const rc_dropin_t *d, const rc_known_t *known, rc_why_t why)
{
    if (why == RC_WHY_TRYING)
        return 1;
    return why == RC_WHY_WATCHING && known->calls > 1 && known->turns >= rc_worth_patience(d);
}

static rc_turn_t begin(rc_dropin_t *d, const rc_asked_t *p, cusparseConstSpMatDescr_t descr)
{
    rc_turn_t turn = {RC_WHY_OFF, NULL, p->stream, 0, p->direct, 0};
    int device = 0;
    if (!d->engine || d->forked)
        return turn;
    if (rc_known_passes(d, p, &turn.why))
        return turn;
    uint64_t context = 0;
    int st = d->engine->stream(p->stream, &device, &context);
    turn.why = st > 0 ? RC_WHY_CAPTURE : RC_WHY_STREAM;
    rc_known_context(d, device, context);
    if (st == 1)
        turn.why = works[p->direct].capture(d, p, device);
    if (st != 0)
        return turn;
    rc_known_t *known = rc_known_find(d, p, device);
    turn.why = RC_WHY_MANY;
    if (!known || known->busy)
        return turn;
    if (d->start == 0)
        d->start = rc_making_now(d);
    known->calls++;
    known->last = d->calls;
    turn.why = advance(d, known, p);
    if (turn.why == RC_WHY_PLAN)
        turn.why =
            run_plan(d, known, p, p->direct ? NULL : rc_known_trusted(d, descr, p), &turn.failed);
    else if (is_timed(d, known, turn.why) && rc_times_begin(d, known, &known->reference, p->stream))
        turn.known = known, turn.resets = d->resets;
    known->turns++;
    return turn;
}

rc_turn_t rc_dropin_begin(rc_dropin_t *d, const rc_asked_t *p, cusparseConstSpMatDescr_t descr)
{
    rc_dropin_enter();
    (void)pthread_mutex_lock(&d->lock);
    rc_turn_t turn = begin(d, p, descr);
    if (d->settings.wait)
        rc_making_bury(d); /* there is no thread */
    (void)pthread_mutex_unlock(&d->lock);
    rc_dropin_leave();
    return turn;
}

void rc_dropin_end(rc_dropin_t *d, const rc_turn_t *turn, int done)
{
    if (!turn->known)
        return;
    (void)pthread_mutex_lock(&d->lock);
    if (done && turn->resets == d->resets) /* else its marks are gone */
        rc_times_end(d, turn->known, &turn->known->reference, turn->stream);
    turn->known->busy = 0;
    (void)pthread_mutex_unlock(&d->lock);
}
