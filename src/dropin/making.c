/* Plans are made by one thread beside the program's, one at a time, from a copy of the pattern: the
 * program may free or change its own meanwhile. */
#include "config.h"
#include "dropin/dropin.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double rc_making_now(const rc_dropin_t *d)
{
    struct timespec t;
    if (d->engine && d->engine->now)
        return d->engine->now();
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - d->loaded;
}

static void make(const rc_dropin_t *d, rc_making_job_t *job)
{
    double start = rc_making_now(d);
    if (job->named.kernel[0]) { /* of this copy of the job */
        job->how.kernel = job->named.kernel;
        job->how.order = job->named.order;
    }
    job->plan = d->engine->make(job->copy, &job->how, &job->made);
    job->copy = NULL;
    job->seconds = rc_making_now(d) - start - job->made.waited;
    job->done = 1;
}

void rc_making_bury(rc_dropin_t *d)
{
    rc_held_t *dead = d->dead;
    d->dead = NULL;
    if (!dead)
        return;
    (void)pthread_mutex_unlock(&d->lock);
    while (dead) {
        rc_held_t *next = dead->next;
        d->engine->plan_free(dead->plan);
        free(dead);
        dead = next;
    }
    (void)pthread_mutex_lock(&d->lock);
}

/* What the engine asks for once.  The lock is held before and afterwards, not meanwhile. */
static void prepare(rc_dropin_t *d)
{
    if (d->prepared != RC_PREPARED_ASKED)
        return;
    (void)pthread_mutex_unlock(&d->lock);
    d->engine->prepare(d->prepared_on);
    (void)pthread_mutex_lock(&d->lock);
    d->prepared = RC_PREPARED;
}

static void *work(void *arg)
{
    rc_dropin_t *d = arg;
    rc_dropin_enter(); /* products of its own, timing candidates, are cuSPARSE's */
    (void)pthread_mutex_lock(&d->lock);
    while (!d->stop) {
        uint64_t said = d->said;
        rc_making_bury(d);
        prepare(d);
        rc_past_write(d);
        if (d->stop || d->said != said)
            continue;
        if (!d->job.known || d->job.done) {
            (void)pthread_cond_wait(&d->wake, &d->lock);
            continue;
        }
        rc_making_job_t job = d->job;
        (void)pthread_mutex_unlock(&d->lock);
        make(d, &job);
        (void)pthread_mutex_lock(&d->lock);
        d->job = job;
    }
    (void)pthread_mutex_unlock(&d->lock);
    return NULL;
}

int rc_making_wake(rc_dropin_t *d)
{
    if (!d->settings.wait && !d->working && !d->stop)
        d->working = pthread_create(&d->worker, NULL, work, d) == 0;
    d->said++;
    (void)pthread_cond_signal(&d->wake);
    return d->working;
}

int rc_making_prepare(rc_dropin_t *d, int device)
{
    if (d->prepared == RC_PREPARED_NOT) {
        d->prepared = RC_PREPARED_ASKED;
        d->prepared_on = device;
        if (!rc_making_wake(d)) {
            d->engine->prepare(device); /* with the lock: patterns stay where they are */
            d->prepared = RC_PREPARED;
        }
    }
    return d->prepared == RC_PREPARED;
}

static void stay_off(rc_known_t *known, rc_why_t why)
{
    known->stage = RC_STAGE_OFF;
    known->off = why;
}

/* There will be none, or none that is better than what there is. */
static void give_up(rc_known_t *known, int tuned, rc_why_t why)
{
    if (!tuned)
        stay_off(known, why);
    else if (known->held)
        known->held->tuned = 1;
}

static rc_making_t how_of(rc_dropin_t *d, const rc_known_t *known, int tuned)
{
    const rc_settings_t *s = &d->settings;
    double left = s->seconds - d->account.spent;
    double most = rc_worth_most(d, known, tuned);
    most = most < left ? most : left;
    most = most < 1 ? most : 1;
    /* plans that are kept whatever the times say need none */
    return (rc_making_t){.ns = tuned ? (int64_t)(1e9 * most) + 1 : 0,
        .memory = s->memory - d->bytes,
        .turn = s->always ? d->made : 0,
        .sums = known->sums};
}

void rc_making_begin(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p, int tuned)
{
    const rc_settings_t *s = &d->settings;
    rc_making_job_t job = {
        .known = known, .tuned = tuned, .changes = known->changes, .resets = d->resets};
    if (d->job.known)
        return; /* one at a time: this pattern's turn comes */
    rc_known_make_memory(d);
    if (d->account.spent >= s->seconds || d->bytes >= s->memory) {
        give_up(known, tuned, RC_WHY_BUDGET);
        return;
    }
    job.how = how_of(d, known, tuned);
    if (known->choice && !tuned)
        job.named = *known->choice;
    job.held = s->wait || rc_making_wake(d) ? calloc(1, sizeof *job.held) : NULL;
    job.copy = job.held ? d->engine->copy(p) : NULL;
    if (!job.copy) {
        free(job.held);
        give_up(known, tuned, RC_WHY_NO_PLAN);
        return;
    }
    d->made++;
    if (known->begun_at == 0)
        known->begun_at = known->calls;
    if (tuned)
        known->held->tuned = 1;
    else {
        known->stage = RC_STAGE_MAKING;
        known->turns = 0;
    }
    if (s->wait)
        make(d, &job);
    d->job = job;
    (void)pthread_cond_signal(&d->wake);
}

/* There is no plan: what an earlier run chose may not be there any more, a pattern may be another
 * one. */
static void without(rc_dropin_t *d, rc_known_t *known, const rc_making_job_t *job)
{
    free(job->held);
    if (job->made.changed)
        rc_known_changed(d, known);
    else if (job->named.kernel[0] && known->choice) {
        free(known->choice);
        known->choice = NULL;
        known->stage = RC_STAGE_WATCHING;
    } else
        give_up(known, job->tuned, RC_WHY_NO_PLAN);
}

static void with(rc_dropin_t *d, rc_known_t *known, const rc_making_job_t *job)
{
    *job->held = (rc_held_t){.plan = job->plan, .users = 1, .made = job->made};
    d->bytes += job->made.bytes;
    if (job->tuned) {
        if (known->stage == RC_STAGE_ON && known->held && known->changes == job->changes)
            rc_trial_better(d, known, job->held);
        else
            rc_known_leave(d, job->held); /* its pattern changed meanwhile */
        return;
    }
    job->held->tuned = job->named.kernel[0] && job->named.tuned;
    d->from_cache += job->named.kernel[0] != '\0';
    known->held = job->held;
    rc_trial_plan(known);
}

void rc_making_end(rc_dropin_t *d, rc_known_t *known)
{
    const rc_making_job_t job = d->job;
    if (job.known != known || !job.done)
        return;
    d->job = (rc_making_job_t){0};
    d->account.spent += job.seconds;
    known->make_seconds += job.seconds;
    if (job.resets != d->resets) { /* it is gone, and so is its copy */
        free(job.held);
        if (known->stage == RC_STAGE_MAKING)
            known->stage = RC_STAGE_WATCHING;
        return;
    }
    if (job.plan) /* one that there is not says nothing of what others take */
        rc_worth_learn(d, known, job.tuned, job.seconds);
    if (!job.tuned)
        memcpy(known->text, job.made.text, sizeof known->text);
    if (job.plan)
        with(d, known, &job);
    else
        without(d, known, &job);
}

void rc_making_stop(rc_dropin_t *d)
{
    (void)pthread_mutex_lock(&d->lock);
    int working = d->working && !d->forked;
    d->stop = 1;
    d->working = 0;
    (void)pthread_cond_signal(&d->wake);
    (void)pthread_mutex_unlock(&d->lock);
    if (working)
        (void)pthread_join(d->worker, NULL);
}
