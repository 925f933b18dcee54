#include "config.h"
#include "sweep/prepare.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct rc_prepare {
    const rc_worker_t *w;
    pthread_t *thread; /* [threads] */
    int threads;
    pthread_mutex_t mutex; /* of everything below */
    pthread_cond_t changed;
    int stop;       /* no more are wanted */
    int exhausted;  /* the queue has no more */
    int asking;     /* a preparer is taking an item */
    int preparing;  /* jobs that are being prepared */
    int behind;     /* jobs that were ready before they had features, and have none yet */
    int ready;      /* jobs in the list */
    int measuring;  /* 1: the measuring thread has a job */
    int alone;      /* 1: a suspect is in hand */
    int64_t limit;  /* of preparing + ready, ... */
    double limit_s; /* ... and of their time */
    double ahead_s; /* estimated time of what is preparing or ready */
    int64_t bytes;  /* of host memory that the jobs in hand are taken to hold */
    int free_threads;
    rc_job_t *first; /* the list, longest ready first */
    rc_job_t *last;
    rc_status_t failed; /* of a preparer: the rank can do no more */
    rc_err_t err;
};

/* ------------------------------------------------------------ under the mutex */

static int is_over(const rc_prepare_t *p)
{
    return p->stop || p->exhausted || p->failed < 0;
}

static int is_full(const rc_prepare_t *p)
{
    int ahead = p->preparing + p->ready;
    return p->asking || p->alone || ahead >= p->limit || (ahead > 0 && p->ahead_s > p->limit_s);
}

static int in_hand(const rc_prepare_t *p)
{
    return p->preparing + p->ready + p->measuring + p->behind;
}

/* Loading and ordering it keeps all threads busy by itself: then one after the other is ready
 * before two side by side are, and the device has something to measure in half the time. */
static int is_large(const rc_job_t *j)
{
    static const int64_t bytes = INT64_C(1) << 30;
    return j->bytes >= bytes;
}

/* A suspect waits until nothing else is in hand; so does what alone exceeds the memory limit.  A
 * large matrix waits for at least half of the threads. */
static int may_enter(const rc_prepare_t *p, const rc_job_t *j)
{
    if (in_hand(p) == 0)
        return 1;
    if (is_large(j) && p->free_threads < (p->w->threads + 1) / 2)
        return 0;
    if (j->item->host_bytes < 0)
        return 0; /* nobody knows yet how large it will be */
    return !j->item->suspect && j->bytes <= p->w->memory_limit - p->bytes;
}

/* After a failure; to be drained is none. */
static void fail(rc_prepare_t *p, rc_status_t st, const rc_err_t *err)
{
    if (p->failed < 0 || st >= 0 || st == RC_EINTR)
        return;
    p->failed = st;
    p->err = *err;
}

/* All without preparers.  While the device has nothing to measure, one matrix gets half of the
 * threads that are free; else one thread for each is the fastest for all, but for large ones. */
static int threads_for_next(const rc_prepare_t *p, const rc_job_t *j)
{
    if (p->threads == 0)
        return p->w->threads;
    if (is_large(j))
        return p->free_threads > 1 ? p->free_threads : 1;
    int most = p->limit == 1 ? p->free_threads : p->free_threads / 2;
    return p->ready > 0 || most < 1 ? 1 : most;
}

static void enter(rc_prepare_t *p, rc_job_t *j)
{
    j->threads = threads_for_next(p, j);
    p->free_threads -= j->threads;
    p->preparing++;
    p->ahead_s += j->item->cost_s;
    p->bytes += j->bytes;
    p->alone = j->item->suspect;
}

static void leave(rc_prepare_t *p, const rc_job_t *j)
{
    p->bytes -= j->bytes;
    if (j->item->suspect)
        p->alone = 0;
}

static void push(rc_prepare_t *p, rc_job_t *j)
{
    int64_t bytes = rc_job_bytes(j);
    p->bytes += bytes - j->bytes;
    j->bytes = bytes;
    j->next = NULL;
    if (p->last)
        p->last->next = j;
    else
        p->first = j;
    p->last = j;
    p->ready++;
}

static rc_job_t *pop(rc_prepare_t *p)
{
    rc_job_t *j = p->first;
    p->first = j->next;
    p->last = p->first ? p->last : NULL;
    p->ready--;
    p->ahead_s -= j->item->cost_s;
    p->measuring = 1;
    return j;
}

/* A rank that hoards lengthens the end of the sweep: it takes no more ahead than half of what is
 * left for each, neither in number nor in time.  By number alone the first to ask, which is rank 0,
 * would take the longest of all, since these are dealt out first. */
static void set_limit(rc_prepare_t *p, const rc_share_t *share)
{
    int64_t most = share->items / 2;
    p->limit = most < 1 ? 1 : most < p->w->ahead ? most : p->w->ahead;
    p->limit_s = share->cost_s / 2;
}

/* ---------------------------------------------------------------- preparers */

/* Take an item and wait until it may enter.  Called and left with the mutex held; NULL: no more. */
static rc_job_t *next_job(rc_prepare_t *p)
{
    const rc_worker_t *w = p->w;
    rc_err_t err = {0};
    rc_job_t *j = NULL;
    int64_t item = -1;
    rc_share_t share = {0, 0};
    p->asking = 1;
    pthread_mutex_unlock(&p->mutex);
    rc_status_t st = rc_queue_next(w->queue, &item, &share, &err);
    if (st == RC_OK && item >= 0) {
        j = rc_job_new(w, item, 1, &err);
        st = j ? RC_OK : RC_ENOMEM;
    }
    pthread_mutex_lock(&p->mutex);
    fail(p, st, &err);
    p->exhausted = p->exhausted || item < 0;
    if (j) {
        set_limit(p, &share);
        j->bytes = j->item->host_bytes < 0 ? 0 : j->item->host_bytes;
        while (!p->stop && p->failed == RC_OK && !may_enter(p, j))
            pthread_cond_wait(&p->changed, &p->mutex);
        if (p->stop || p->failed < 0) {
            (void)rc_queue_put_back(w->queue, j->number, NULL);
            rc_job_free(j);
            j = NULL;
        } else
            enter(p, j);
    }
    p->asking = 0;
    pthread_cond_broadcast(&p->changed);
    return j;
}

/* The last hand lets go of a job.  Called and left with the mutex held.  \return as rc_job_end */
static rc_status_t let_go(rc_prepare_t *p, rc_job_t *j, rc_err_t *err)
{
    if (--j->hands > 0)
        return RC_OK;
    pthread_mutex_unlock(&p->mutex);
    rc_status_t st = rc_job_end(j, j->outcome, err);
    pthread_mutex_lock(&p->mutex);
    leave(p, j);
    rc_job_free(j);
    pthread_cond_broadcast(&p->changed);
    return st;
}

/* Features of a job that is measured meanwhile.  Half of its threads make the next matrix, which
 * the device will wait for; nothing waits for features.  Called and left with the mutex held. */
static void featurise_behind(rc_prepare_t *p, rc_job_t *j)
{
    rc_err_t err = {0};
    int given = j->threads > 1 ? (j->threads + 1) / 2 : 0; /* as many as a large matrix waits for */
    int kept = j->threads - given;
    j->threads = kept;
    p->free_threads += given;
    p->behind++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    rc_status_t st = rc_job_featurise(j, &err);
    pthread_mutex_lock(&p->mutex);
    fail(p, st, &err);
    st = let_go(p, j, &err);
    fail(p, st, &err);
    p->free_threads += kept;
    p->behind--;
    pthread_cond_broadcast(&p->changed);
}

/* Called and left with the mutex held.  Without preparers: on CPUs, while nobody on the node is
 * timing. */
static void prepare_one(rc_prepare_t *p, rc_job_t *j)
{
    const rc_worker_t *w = p->w;
    rc_err_t err = {0};
    int threads = j->threads;
    int takes_lock = p->threads == 0 && w->device->executor.kind == RC_DEVICE_CPU;
    /* of a suspect one thing at a time is in flight */
    j->behind = p->threads > 0 && !j->item->suspect;
    pthread_mutex_unlock(&p->mutex);
    rc_status_t st = takes_lock ? rc_node_lock_enter(w->node_lock, 0, w->queue) : RC_OK;
    if (st == RC_OK)
        st = rc_job_prepare(j, &err);
    if (takes_lock)
        rc_node_lock_release(w->node_lock);
    if (st < 0 || !j->ready)
        st = rc_job_end(j, st, &err);
    pthread_mutex_lock(&p->mutex);
    p->preparing--;
    if (st == RC_OK && j->ready) {
        j->hands = 1 + j->behind;
        push(p, j);
        if (j->behind) {
            featurise_behind(p, j);
            return;
        }
    } else {
        fail(p, st, &err);
        p->ahead_s -= j->item->cost_s;
        leave(p, j);
        rc_job_free(j);
    }
    p->free_threads += threads;
    pthread_cond_broadcast(&p->changed);
}

static void *preparer(void *argument)
{
    rc_prepare_t *p = argument;
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        while (!is_over(p) && is_full(p))
            pthread_cond_wait(&p->changed, &p->mutex);
        if (is_over(p))
            break;
        rc_job_t *j = next_job(p);
        if (j)
            prepare_one(p, j);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* -------------------------------------------------------- the measuring thread */

/* Wait for a change, but not for long: a request to drain changes nothing here. */
static void wait_briefly(rc_prepare_t *p)
{
    static const int64_t longest_ns = 20000000;
    struct timespec until;
    int64_t at = rc_clock_ns() + longest_ns;
    until.tv_sec = (time_t)(at / 1000000000);
    until.tv_nsec = (long)(at % 1000000000);
    (void)pthread_cond_timedwait(&p->changed, &p->mutex, &until);
}

rc_status_t rc_prepare_take(rc_prepare_t *p, rc_job_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    *out = NULL;
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        if (p->failed < 0) {
            st = p->failed;
            if (err)
                *err = p->err;
            break;
        }
        if (rc_queue_draining(p->w->queue)) {
            st = rc_fail(err, RC_EINTR, "drained");
            break;
        }
        if (p->first) {
            *out = pop(p);
            pthread_cond_broadcast(&p->changed);
            break;
        }
        if (p->exhausted && !p->asking && p->preparing + p->behind == 0)
            break;
        rc_job_t *j = p->threads == 0 ? next_job(p) : NULL;
        if (j)
            prepare_one(p, j);
        else if (p->threads > 0)
            wait_briefly(p);
    }
    pthread_mutex_unlock(&p->mutex);
    return st;
}

rc_status_t rc_prepare_keep(rc_prepare_t *p, rc_job_t *j, rc_err_t *err)
{
    pthread_mutex_lock(&p->mutex);
    p->measuring = 0;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    return rc_ledger_settled(p->w->ledger, RC_REC_SETTLED, j->number, 0, err);
}

rc_status_t rc_prepare_done(rc_prepare_t *p, rc_job_t *j, rc_status_t st, rc_err_t *err)
{
    rc_status_t ended = RC_OK;
    /* its features may take long: what was measured is not in flight meanwhile, a kill then is not
     * its fault */
    if (j->behind && (st == RC_OK || st == RC_EINTR || st == RC_EDEVICE))
        ended =
            rc_ledger_settled(p->w->ledger, RC_REC_SETTLED, j->number, 0, st == RC_OK ? err : NULL);
    pthread_mutex_lock(&p->mutex);
    p->measuring = 0;
    j->outcome = st == RC_OK ? ended : st;
    rc_status_t gone = let_go(p, j, err);
    if (ended == RC_OK)
        ended = gone;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    return st < 0 ? st : ended;
}

/* ------------------------------------------------------------- opening, closing */

static rc_status_t make_locks(rc_prepare_t *p, rc_err_t *err)
{
    pthread_condattr_t attributes;
    int bad = pthread_condattr_init(&attributes);
    if (!bad) {
        /* the clock of rc_clock_ns */
        bad = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) != 0 ||
              pthread_cond_init(&p->changed, &attributes) != 0;
        pthread_condattr_destroy(&attributes);
    }
    p->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    return bad ? rc_fail(err, RC_ENOMEM, "no memory for the locks of the preparers") : RC_OK;
}

rc_status_t rc_prepare_open(const rc_worker_t *w, rc_prepare_t **out, rc_err_t *err)
{
    rc_prepare_t *p = rc_alloc0(1, sizeof *p, "the preparers", err);
    RC_PASS(p ? RC_OK : RC_ENOMEM);
    p->w = w;
    p->limit = 1;
    p->free_threads = w->threads;
    p->thread = rc_alloc((size_t)w->preparers, sizeof *p->thread, "the preparers", err);
    rc_status_t st = p->thread ? make_locks(p, err) : RC_ENOMEM;
    if (st < 0) {
        free(p->thread);
        free(p);
        return st;
    }
    pthread_mutex_lock(&p->mutex); /* the first of them already asks how many there are */
    /* fewer than wanted do the work too */
    while (
        p->threads < w->preparers && pthread_create(&p->thread[p->threads], NULL, preparer, p) == 0)
        p->threads++;
    pthread_mutex_unlock(&p->mutex);
    if (p->threads < w->preparers)
        rc_log(w->log, RC_LOG_WARN, "sweep", "only %d of %d threads that prepare could be started",
            p->threads, w->preparers);
    *out = p;
    return RC_OK;
}

int rc_prepare_idle(rc_prepare_t *p)
{
    pthread_mutex_lock(&p->mutex);
    int idle = p->free_threads; /* below 0: one for each of many small matrices */
    pthread_mutex_unlock(&p->mutex);
    return idle > 0 ? idle : 0;
}

void rc_prepare_close(rc_prepare_t *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->mutex);
    p->stop = 1;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    for (int i = 0; i < p->threads; i++)
        pthread_join(p->thread[i], NULL);
    while (p->first) {
        rc_job_t *j = pop(p);
        (void)rc_job_end(j, RC_EINTR, NULL);
        rc_job_free(j);
    }
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->mutex);
    free(p->thread);
    free(p);
}
