#include "config.h"
#include "store/guard.h"
#include "base/error.h"
#include "store/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int rc_guard_is_hdf5(int fd)
{
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char found[sizeof signature];
    return pread(fd, found, sizeof found, 0) == (ssize_t)sizeof found &&
           memcmp(found, signature, sizeof found) == 0;
}

rc_status_t rc_guard_look(const char *path, int *unsealed, rc_err_t *err)
{
    struct stat s;
    rc_seal_t seal;
    rc_err_t why = {0};
    *unsealed = 0;
    /* what cannot be opened is left to the opening, which says more of it; a pipe would wait */
    int fd = stat(path, &s) == 0 && S_ISREG(s.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return RC_OK;
    rc_status_t st = rc_seal_find(fd, path, &seal, &why);
    if (st == RC_OK)
        *unsealed = !seal.present && rc_guard_is_hdf5(fd);
    close(fd);
    if (st == RC_OK || st == RC_ESTORE)
        return RC_OK;
    if (err)
        *err = why;
    return st;
}

/* Of the child: a crash ends it at once, whoever else wanted to handle it. */
static void become_guarded(pid_t parent, int seconds)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU};
    const struct rlimit none = {0, 0};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &none);
    if (seconds > 0) {
        const struct rlimit time = {(rlim_t)seconds, (rlim_t)seconds + 1};
        (void)setrlimit(RLIMIT_CPU, &time);
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before it was asked for */
        raise(SIGKILL);
}

static int is_asked(int number)
{
    return number == SIGPIPE || number == SIGINT || number == SIGTERM || number == SIGHUP;
}

rc_status_t rc_guard_fork(const char *path, int seconds, int *child, int *code, rc_err_t *err)
{
    int status = 0;
    pid_t parent = getpid();
    (void)fflush(NULL); /* or both would print what is in the buffers */
    pid_t pid = fork();
    if (pid < 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot start a process to read it in", path);
    *child = pid == 0;
    if (pid == 0) {
        become_guarded(parent, seconds);
        return RC_OK;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return rc_fail_errno(err, RC_EIO, errno, "%s: cannot wait for the process that reads it", path);
    /* a reader that nobody listens to any more, or that was asked to end, says nothing of the file */
    if (WIFSIGNALED(status) && is_asked(WTERMSIG(status))) {
        (void)signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    if (WIFSIGNALED(status))
        return rc_fail(err, RC_ESTORE,
            "%s: has no seal, and the process that read it died (%s): the file is damaged; use a copy of it",
            path, strsignal(WTERMSIG(status)));
    *code = WEXITSTATUS(status);
    return RC_OK;
}
