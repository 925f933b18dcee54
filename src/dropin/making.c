/* Plans are made by one thread beside the program's, one at a time, from a copy of the pattern: the
 * program may free or change its own meanwhile. */
#include "config.h"
#include "dropin/dropin.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double rc_making_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make(const rc_engine_t *engine, rc_making_job_t *job)
{
    double start = rc_making_now();
    job->plan = engine->make(job->copy, &job->how, job->text, &job->bytes);
    job->copy = NULL;
    job->seconds = rc_making_now() - start;
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

static void *work(void *arg)
{
    rc_dropin_t *d = arg;
    rc_dropin_enter(); /* products of its own, timing candidates, are cuSPARSE's */
    (void)pthread_mutex_lock(&d->lock);
    while (!d->stop) {
        rc_making_bury(d);
        if (d->stop || d->dead)
            continue; /* said meanwhile */
        if (!d->job.known || d->job.done) {
            (void)pthread_cond_wait(&d->wake, &d->lock);
            continue;
        }
        rc_making_job_t job = d->job;
        (void)pthread_mutex_unlock(&d->lock);
        make(d->engine, &job);
        (void)pthread_mutex_lock(&d->lock);
        d->job = job;
    }
    (void)pthread_mutex_unlock(&d->lock);
    return NULL;
}

static void stay_off(rc_known_t *known, rc_why_t why)
{
    known->stage = RC_STAGE_OFF;
    known->off = why;
}

double rc_making_estimate(const rc_dropin_t *d, const rc_known_t *known)
{
    double each = d->entry_seconds > 0 ? d->entry_seconds : 40e-9;
    return 0.03 + each * (double)known->key.nnz;
}

/* Of two makings the newer counts as much as all before. */
static void learn(rc_dropin_t *d, const rc_known_t *known, double seconds)
{
    double each = (seconds - 0.03) / (double)known->key.nnz;
    each = each > 1e-9 ? each : 1e-9;
    d->entry_seconds = d->entry_seconds > 0 ? 0.5 * (d->entry_seconds + each) : each;
}

void rc_making_begin(rc_dropin_t *d, rc_known_t *known, const rc_spmm_t *p)
{
    const rc_settings_t *s = &d->settings;
    rc_making_job_t job = {.known = known};
    if (d->job.known && d->job.done)
        rc_making_end(d, d->job.known);
    if (d->job.known)
        return; /* one at a time: this pattern's turn comes */
    rc_known_make_memory(d);
    if (d->seconds >= s->seconds || d->bytes >= s->memory) {
        stay_off(known, RC_WHY_BUDGET);
        return;
    }
    double left = s->seconds - d->seconds;
    /* plans that are kept whatever the times say need none */
    job.how = (rc_making_t){
        s->always ? 0 : (int64_t)(1e9 * (left < 1 ? left : 1)), s->memory - d->bytes, d->made++};
    if (!s->wait && !d->working)
        d->working = !d->stop && pthread_create(&d->worker, NULL, work, d) == 0;
    job.held = s->wait || d->working ? calloc(1, sizeof *job.held) : NULL;
    job.copy = job.held ? d->engine->copy(p) : NULL;
    if (!job.copy) {
        free(job.held);
        stay_off(known, RC_WHY_NO_PLAN);
        return;
    }
    known->stage = RC_STAGE_MAKING;
    known->turns = 0;
    if (s->wait)
        make(d->engine, &job);
    d->job = job;
    (void)pthread_cond_signal(&d->wake);
}

void rc_making_end(rc_dropin_t *d, rc_known_t *known)
{
    rc_making_job_t *job = &d->job;
    if (job->known != known || !job->done)
        return;
    d->seconds += job->seconds;
    known->make_seconds += job->seconds;
    memcpy(known->text, job->text, sizeof known->text);
    learn(d, known, job->seconds);
    if (job->plan) {
        known->held = job->held;
        *known->held = (rc_held_t){.plan = job->plan, .users = 1, .bytes = job->bytes};
        memcpy(known->held->text, job->text, sizeof known->held->text);
        d->bytes += job->bytes;
    } else
        free(job->held);
    rc_known_try(known);
    if (!known->held)
        stay_off(known, RC_WHY_NO_PLAN);
    *job = (rc_making_job_t){0};
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
