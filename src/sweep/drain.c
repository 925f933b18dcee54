#include "config.h"
#include "sweep/drain.h"
#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* A signal handler has no argument of ours: these two are the only mutable variables of the program
 * that are not passed. */
static volatile sig_atomic_t asked;
static rc_journal_t *volatile black_box;

static void on_request(int number)
{
    asked = number;
}

static void on_fatal(int number)
{
    rc_journal_t *j = black_box;
    black_box = NULL;
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

rc_status_t rc_drain_install(rc_err_t *err)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    rc_status_t st = install(SIGTERM, on_request, SA_RESTART, err);
    if (st == RC_OK)
        st = install(SIGUSR1, on_request, SA_RESTART, err);
    if (st == RC_OK)
        st = install(SIGINT, on_request, SA_RESTART | (int)SA_RESETHAND, err);
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
    black_box = j;
}
