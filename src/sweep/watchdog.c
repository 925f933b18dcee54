#include "config.h"
#include "sweep/watchdog.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

typedef struct watched {
    int64_t job;
    int64_t since_ns;
    rc_phase_t phase;
    char name[160];
} watched_t;

struct rc_watchdog {
    pthread_t thread;
    int stop; /* an eventfd, which ends the thread */
    const rc_log_t *log;
    int64_t limit_ns;
    pthread_mutex_t mutex; /* of all below */
    watched_t *job;
    size_t jobs;
    size_t capacity;
};

static watched_t *find(rc_watchdog_t *w, int64_t job)
{
    for (size_t i = 0; i < w->jobs; i++)
        if (w->job[i].job == job)
            return &w->job[i];
    return NULL;
}

/* The job that is longest in its phase; NULL for none.  The caller holds the mutex. */
static const watched_t *oldest(const rc_watchdog_t *w)
{
    const watched_t *first = NULL;
    for (size_t i = 0; i < w->jobs; i++)
        if (!first || w->job[i].since_ns < first->since_ns)
            first = &w->job[i];
    return first;
}

/* SIGALRM is among the fatal signals of drain.c: the journal gets a last word, and there is no
 * core. */
static void end_rank(const rc_watchdog_t *w, const watched_t *j)
{
    rc_log(w->log, RC_LOG_ERROR, "sweep",
        "%s: no end of the phase '%s' within %s (--hang-limit): this rank ends; run the same "
        "command again, what hangs twice gets the status crashed",
        j->name, rc_phase_name(j->phase), rc_text_seconds((double)w->limit_ns * 1e-9).text);
    kill(getpid(), SIGALRM);
}

static void *watch(void *user)
{
    static const int64_t ns_per_ms = 1000000;
    static const int64_t longest_ms = 60000;
    rc_watchdog_t *w = user;
    struct pollfd stop = {.fd = w->stop, .events = POLLIN};
    int n;
    do {
        pthread_mutex_lock(&w->mutex);
        const watched_t *j = oldest(w);
        int64_t left = j ? j->since_ns + w->limit_ns - rc_clock_ns() : w->limit_ns;
        if (left <= 0)
            end_rank(w, j);
        pthread_mutex_unlock(&w->mutex);
        int64_t ms = left / ns_per_ms + 1;
        n = left > 0 ? poll(&stop, 1, (int)(ms < longest_ms ? ms : longest_ms)) : 1;
    } while (n == 0 || (n < 0 && errno == EINTR));
    return NULL;
}

static void dispose(rc_watchdog_t *w)
{
    if (w->stop >= 0)
        close(w->stop);
    pthread_mutex_destroy(&w->mutex);
    free(w->job);
    free(w);
}

rc_status_t rc_watchdog_start(
    double limit_s, const rc_log_t *log, rc_watchdog_t **out, rc_err_t *err)
{
    *out = NULL;
    if (limit_s <= 0)
        return RC_OK;
    rc_watchdog_t *w = rc_alloc0(1, sizeof *w, "the watchdog", err);
    RC_PASS(w ? RC_OK : RC_ENOMEM);
    w->log = log;
    w->limit_ns = (int64_t)(limit_s * 1e9);
    w->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    w->stop = eventfd(0, EFD_CLOEXEC);
    int code = w->stop < 0 ? errno : pthread_create(&w->thread, NULL, watch, w);
    if (code != 0) {
        dispose(w);
        return rc_fail_errno(err, RC_ENOMEM, code, "the watchdog's thread cannot be started");
    }
    *out = w;
    return RC_OK;
}

void rc_watchdog_stop(rc_watchdog_t *w)
{
    if (!w)
        return;
    (void)eventfd_write(w->stop, 1);
    pthread_join(w->thread, NULL);
    dispose(w);
}

rc_status_t rc_watchdog_begin(
    rc_watchdog_t *w, int64_t job, const char *name, rc_phase_t phase, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (!w)
        return RC_OK;
    pthread_mutex_lock(&w->mutex);
    watched_t *j = find(w, job);
    if (!j) {
        st = rc_grow(
            (void **)&w->job, &w->capacity, w->jobs + 1, sizeof *w->job, "watched jobs", err);
        if (st == RC_OK)
            j = &w->job[w->jobs++];
    }
    if (j) {
        *j = (watched_t){.job = job, .since_ns = rc_clock_ns(), .phase = phase};
        snprintf(j->name, sizeof j->name, "%s", name);
    }
    pthread_mutex_unlock(&w->mutex);
    return st;
}

void rc_watchdog_end(rc_watchdog_t *w, int64_t job)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->mutex);
    watched_t *j = find(w, job);
    if (j)
        *j = w->job[--w->jobs];
    pthread_mutex_unlock(&w->mutex);
}
