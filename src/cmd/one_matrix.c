#include "config.h"
#include "cmd/one_matrix.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "base/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

rc_status_t rc_one_matrix_policy(const char *policy, int *orders, rc_err_t *err)
{
    rc_policy_spec_t spec;
    rc_status_t st = rc_policy_spec_parse(policy, &spec, err);
    if (st == RC_ENOENT || st == RC_ERANGE)
        st = err->status = RC_EINVAL; /* a wrong word on the command line */
    *orders = strcmp(policy, "csr") != 0;
    return st;
}

rc_status_t rc_one_matrix_work(const rc_one_matrix_work_t *work, rc_call_t *call, rc_err_t *err)
{
    const rc_one_matrix_options_t *o = call->options;
    rc_one_matrix_t m = {.command = call->name,
        .word = call->operand[0],
        .geometry = {(int32_t)o->nw, (int32_t)o->nt, (int32_t)o->line},
        .threads = rc_thread_count((int)o->threads),
        .format = call->format};
    int orders = 0;
    call->words_are_right = 1;
    rc_status_t st = work->check(call->options, &orders, err);
    if (st == RC_OK)
        st = rc_command_load(m.word, m.threads, o->memory, orders, &m.a, &m.info, err);
    if (st == RC_OK)
        st = rc_command_name_file(m.word, work->work(&m, call->options, err), err);
    rc_csr_free(&m.a);
    return st;
}

/* ----------------------------------------------------------------- an order */

/* Says how many of the rows are placed, which stays 0 where that is not known: the time alone is
 * shown then. */
typedef struct ticker {
    const char *command;
    const char *what;
    _Atomic int64_t done;
    int64_t all;
    int64_t started_ns;
    int is_terminal;
    rc_log_t log;
    int stop; /* an eventfd, which ends the ticks */
} ticker_t;

static void show(const ticker_t *t)
{
    char text[256];
    double s = (double)(rc_clock_ns() - t->started_ns) * 1e-9;
    int64_t done = atomic_load_explicit(&t->done, memory_order_relaxed);
    rc_text_t elapsed = rc_text_seconds(s);
    if (done > 0 && done <= t->all) {
        snprintf(text, sizeof text, "%.80s: %.0f %% of %" PRId64 " rows, %s, about %s left",
            t->what, 100.0 * (double)done / (double)t->all, t->all, elapsed.text,
            rc_text_seconds(s * (double)(t->all - done) / (double)done).text);
    } else
        snprintf(
            text, sizeof text, "%.80s: %" PRId64 " rows, %s so far", t->what, t->all, elapsed.text);
    if (t->is_terminal) {
        fprintf(t->log.stream, "\r\033[K%s", text);
        fflush(t->log.stream);
    } else
        rc_log(&t->log, RC_LOG_INFO, t->command, "%s", text);
}

static void *run(void *arg)
{
    ticker_t *t = arg;
    struct pollfd stop = {.fd = t->stop, .events = POLLIN};
    int ms = 1000;
    int n;
    while ((n = poll(&stop, 1, ms)) == 0 || (n < 0 && errno == EINTR)) {
        show(t);
        ms = t->is_terminal ? 1000 : 5000;
    }
    return NULL;
}

static void stop(ticker_t *t, pthread_t thread)
{
    (void)eventfd_write(t->stop, 1);
    pthread_join(thread, NULL);
    if (t->is_terminal) {
        fprintf(t->log.stream, "\r\033[K");
        fflush(t->log.stream);
    }
}

rc_status_t rc_one_matrix_order(const rc_policy_spec_t *policy, const rc_one_matrix_t *m,
    rc_facts_t *facts, rc_schedule_t *out, double *seconds, rc_err_t *err)
{
    char name[RC_POLICY_TEXT];
    pthread_t thread;
    ticker_t t = {.command = m->command,
        .what = name,
        .all = m->a.rows,
        .started_ns = rc_clock_ns(),
        .is_terminal = isatty(STDERR_FILENO),
        .log = {.stream = stderr, .level = RC_LOG_INFO, .rank = -1},
        .stop = eventfd(0, EFD_CLOEXEC)};
    const rc_order_watch_t watch = {.placed = &t.done, .facts = facts};
    rc_policy_spec_text(policy, name);
    int ticks = t.stop >= 0 && pthread_create(&thread, NULL, run, &t) == 0;
    int64_t start = rc_clock_ns();
    rc_status_t st = rc_policy_build(policy, &m->a, &m->geometry, m->threads, &watch, out, err);
    *seconds = 1e-9 * (double)(rc_clock_ns() - start);
    if (ticks)
        stop(&t, thread);
    if (t.stop >= 0)
        close(t.stop);
    return st;
}
