#include "config.h"
#include "sweep/drain.h"
#include "base/error.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* A signal handler has no argument of ours: these are the only mutable variables of the program
 * that are not passed. */
static volatile sig_atomic_t asked;
static rc_journal_t *_Atomic black_box;
static atomic_int writers; /* handlers that may be about to use it */

static void on_request(int number)
{
    int why = errno;
    asked = number;
    atomic_fetch_add(&writers, 1);
    rc_journal_t *j = atomic_load(&black_box);
    if (j)
        rc_journal_asked(j, number);
    atomic_fetch_sub(&writers, 1);
    errno = why;
}

static void on_fatal(int number)
{
    rc_journal_t *j = atomic_exchange(&black_box, NULL);
    if (j)
        rc_journal_died(j, number);
    /* SA_RESETHAND has put the default action back: die of it, with a core when enabled */
    raise(number);
}

static rc_status_t install(int number, void (*handler)(int), int flags, rc_err_t *err)
{
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = handler;
    a.sa_flags = flags;
    sigemptyset(&a.sa_mask);
    if (sigaction(number, &a, NULL) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot install the handler of signal %d", number);
    return RC_OK;
}

rc_status_t rc_drain_listen(rc_err_t *err)
{
    RC_PASS(install(SIGTERM, on_request, SA_RESTART, err));
    RC_PASS(install(SIGUSR1, on_request, SA_RESTART, err));
    return install(SIGINT, on_request, SA_RESTART | (int)SA_RESETHAND, err);
}

rc_status_t rc_drain_install(rc_err_t *err)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    rc_status_t st = rc_drain_listen(err);
    for (size_t i = 0; st == RC_OK && i < sizeof fatal / sizeof *fatal; i++)
        st = install(fatal[i], on_fatal, (int)SA_RESETHAND, err);
    return st;
}

int rc_drain_asked(void)
{
    return asked;
}

void rc_drain_set_journal(rc_journal_t *j)
{
    atomic_store(&black_box, j);
    /* the caller may close the former one now */
    while (atomic_load(&writers) > 0)
        sched_yield();
}
