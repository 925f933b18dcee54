/* The stack of a rowcast that dies of a signal of its own: preloaded, it appends to the file
 * STACK_LOG who died of what, and where, and then lets the program's own handler have the signal. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { depth = 64, signals = 5 };
static const int fatal[signals] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction theirs[signals];
static int installed;

static int index_of(int number)
{
    for (int i = 0; i < signals; i++)
        if (fatal[i] == number)
            return i;
    return -1;
}

static void on_death(int number)
{
    void *frame[depth];
    char line[300];
    int fd = open(getenv("STACK_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0) {
        int n = snprintf(line, sizeof line, "process %ld died of signal %d (%s)\n", (long)getpid(),
            number, program_invocation_name);
        (void)!write(fd, line, (size_t)n);
        backtrace_symbols_fd(frame, backtrace(frame, depth), fd);
        close(fd);
    }
    void (*handler)(int) = theirs[index_of(number)].sa_handler;
    signal(number, SIG_DFL);
    int plain = !(theirs[index_of(number)].sa_flags & (int)SA_SIGINFO);
    if (plain && handler != SIG_DFL && handler != SIG_IGN)
        handler(number);
    raise(number); /* blocked until this handler returns */
}

/* The program's handlers of these signals come after this one. */
int sigaction(int number, const struct sigaction *act, struct sigaction *old)
{
    int i = index_of(number);
    if (!installed || i < 0)
        return ((int (*)(int, const struct sigaction *, struct sigaction *))dlsym(
            RTLD_NEXT, "sigaction"))(number, act, old);
    if (old)
        *old = theirs[i];
    if (act)
        theirs[i] = *act;
    return 0;
}

__attribute__((constructor)) static void install(void)
{
    void *frame[depth];
    struct sigaction a;
    const char *name = program_invocation_short_name;
    if (!getenv("STACK_LOG") || !strstr(name, "rowcast"))
        return;
    (void)backtrace(frame, depth); /* loads what it needs */
    memset(&a, 0, sizeof a);
    a.sa_handler = on_death;
    a.sa_flags = (int)SA_RESETHAND;
    for (int i = 0; i < signals; i++)
        if (sigaction(fatal[i], &a, NULL) == 0)
            theirs[i].sa_handler = SIG_DFL;
    installed = 1;
}
