#include "config.h"
#include "cmd/ticker.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct rc_ticker {
    const char *command;
    const char *what;
    const _Atomic int64_t *done;
    int64_t all;
    int64_t started_ns;
    int is_terminal;
    rc_log_t log;
    pthread_t thread;
    pthread_mutex_t lock; /* of stopping */
    pthread_cond_t wake;
    int stopping;
};

static void show(const rc_ticker_t *t)
{
    char text[256];
    char elapsed[32];
    char left[32];
    double s = (double)(rc_clock_ns() - t->started_ns) * 1e-9;
    int64_t done = atomic_load_explicit(t->done, memory_order_relaxed);
    rc_text_seconds(s, elapsed, sizeof elapsed);
    if (done > 0 && done <= t->all) {
        rc_text_seconds(s * (double)(t->all - done) / (double)done, left, sizeof left);
        snprintf(text, sizeof text, "%.80s: %.0f %% of %" PRId64 " rows, %s, about %s left",
            t->what, 100.0 * (double)done / (double)t->all, t->all, elapsed, left);
    } else
        snprintf(text, sizeof text, "%.80s: %" PRId64 " rows, %s so far", t->what, t->all, elapsed);
    if (t->is_terminal) {
        fprintf(t->log.stream, "\r\033[K%s", text);
        fflush(t->log.stream);
    } else
        rc_log(&t->log, RC_LOG_INFO, t->command, "%s", text);
}

static void *run(void *arg)
{
    rc_ticker_t *t = arg;
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    pthread_mutex_lock(&t->lock);
    for (at.tv_sec++; !t->stopping; at.tv_sec += t->is_terminal ? 1 : 5) {
        while (!t->stopping && pthread_cond_timedwait(&t->wake, &t->lock, &at) == 0)
            continue;
        if (!t->stopping)
            show(t);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

rc_ticker_t *rc_ticker_start(
    FILE *out, const char *command, const char *what, const _Atomic int64_t *done, int64_t all)
{
    rc_ticker_t *t = rc_alloc0(1, sizeof *t, "a report of progress", NULL);
    if (!t)
        return NULL;
    t->command = command;
    t->what = what;
    t->done = done;
    t->all = all;
    t->started_ns = rc_clock_ns();
    t->is_terminal = isatty(fileno(out));
    t->log = (rc_log_t){.stream = out, .level = RC_LOG_INFO, .rank = -1};
    if (pthread_mutex_init(&t->lock, NULL) != 0) {
        free(t);
        return NULL;
    }
    if (pthread_cond_init(&t->wake, NULL) != 0) {
        pthread_mutex_destroy(&t->lock);
        free(t);
        return NULL;
    }
    if (pthread_create(&t->thread, NULL, run, t) != 0) {
        pthread_cond_destroy(&t->wake);
        pthread_mutex_destroy(&t->lock);
        free(t);
        return NULL;
    }
    return t;
}

void rc_ticker_stop(rc_ticker_t *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->stopping = 1;
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    if (t->is_terminal) {
        fprintf(t->log.stream, "\r\033[K");
        fflush(t->log.stream);
    }
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
