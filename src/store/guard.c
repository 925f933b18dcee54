#include "config.h"
#include "store/guard.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "base/threads.h"
#include "store/h5.h"
#include "store/replace.h"
#include "store/seal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

rc_status_t rc_guard_closed(int fd, const char *path, rc_err_t *err)
{
    enum { version = 8, flags = 11, from = 3, open_to_write = 1 | 4 };
    unsigned char head[12];
    if (pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head || head[version] < from ||
        !(head[flags] & open_to_write))
        return RC_OK;
    return rc_fail(err, RC_ESTORE,
        "%s: a program that writes it has it open, or died: 'h5clear --status' on a copy of it, "
        "then 'rowcast archive --unsealed' of that",
        path);
}

rc_status_t rc_guard_look(const char *path, int *unsealed, rc_err_t *err)
{
    rc_seal_t seal;
    rc_err_t why = {0};
    int fd;
    *unsealed = 0;
    char *file = NULL;
    if (rc_replace_readable(path, &file, err) < 0)
        return RC_ENOMEM;
    /* what cannot be opened is left to the opening, which says more of it */
    rc_status_t opened = rc_open_file(file, RC_OPEN_GIVEN, 0, &fd, NULL);
    free(file);
    if (opened < 0)
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

rc_status_t rc_guard_check(const char *path, int *unsealed, rc_err_t *err)
{
    static const int32_t sealed_from = 2; /* every store of this major version was sealed when it
                                             was written */
    rc_h5_t h = {.file = -1};
    rc_h5_about_t about = {0};
    int found = 0;
    rc_status_t st = rc_guard_look(path, &found, err);
    if (unsealed)
        *unsealed = found;
    if (st < 0 || !found)
        return st;
    st = rc_h5_open(path, 0, &h, err);
    if (st == RC_OK)
        st = rc_h5_closed(rc_h5_about(&h, &about, err), &h, err);
    if (st == RC_OK && about.major >= sealed_from)
        st = rc_fail(err, RC_ESTORE,
            "%s: has no seal: another program opened it for writing, or it was cut short; "
            "'rowcast archive --unsealed %s COPY' makes a sealed copy, which can take its place",
            path, path);
    return st;
}

/* Of the child: a crash ends it at once, whoever else wanted to handle it. */
static void become_guarded(pid_t parent, int cpu_s)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU};
    const struct rlimit none = {0, 0};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &none);
    if (cpu_s > 0) {
        const struct rlimit time = {(rlim_t)cpu_s, (rlim_t)cpu_s + 1};
        (void)setrlimit(RLIMIT_CPU, &time);
    }
    rc_thread_fresh(); /* commands come here before they start a team */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before it was asked for */
        raise(SIGKILL);
}

rc_status_t rc_guard_idle(int *seconds, rc_err_t *err)
{
    enum { by_default = 60, most = 86400 };
    const char *text = getenv("ROWCAST_UNSEALED_SECONDS");
    int64_t given = by_default;
    if (text && text[0] && rc_parse_int(text, 0, most, "", &given, NULL) < 0)
        return rc_fail(err, RC_EINVAL,
            "ROWCAST_UNSEALED_SECONDS: expected 0 to %d seconds, found '%.40s'", (int)most, text);
    *seconds = (int)given;
    return RC_OK;
}

/* ------------------------------------------------------------------ the watch */

static int is_one_of(const struct stat *s, const rc_guard_limits_t *l)
{
    struct stat t;
    for (int i = 0; i < l->files && l->file[i]; i++)
        if (stat(l->file[i], &t) == 0 && t.st_dev == s->st_dev && t.st_ino == s->st_ino)
            return 1;
    return 0;
}

/* Whether a process has one of the files open. */
static int is_reading(pid_t pid, const rc_guard_limits_t *l)
{
    char name[64];
    int found = 0;
    snprintf(name, sizeof name, "/proc/%ld/fd", (long)pid);
    DIR *d = opendir(name);
    const struct dirent *e;
    while (d && !found && (e = readdir(d)) != NULL) {
        struct stat s;
        found = e->d_name[0] != '.' && fstatat(dirfd(d), e->d_name, &s, 0) == 0 && is_one_of(&s, l);
    }
    if (d)
        closedir(d);
    return found;
}

/* Bytes that a process has read and written so far; -1: nobody says. */
static long long bytes_of(pid_t pid)
{
    char name[64];
    char line[128];
    long long sum = -1;
    long long n;
    snprintf(name, sizeof name, "/proc/%ld/io", (long)pid);
    FILE *f = fopen(name, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "rchar: %lld", &n) == 1 || sscanf(line, "wchar: %lld", &n) == 1 ||
            sscanf(line, "read_bytes: %lld", &n) == 1)
            sum = sum < 0 ? n : sum + n;
    if (f)
        fclose(f);
    return sum;
}

/* Wait for the other end of a pipe, which only the child has, to be closed.
 * \return 1: it has ended; 0: it got no further for as long as it may */
static int wait_for_end(pid_t pid, int pipe_end, const rc_guard_limits_t *l)
{
    enum { tick_ms = 500 };
    static const int64_t second_ns = 1000000000;
    int64_t since = rc_clock_ns();
    long long before = -1;
    for (;;) {
        struct pollfd p = {.fd = pipe_end, .events = POLLIN};
        int n = poll(&p, 1, l->idle_s > 0 ? tick_ms : -1);
        if (n > 0 || (n < 0 && errno != EINTR))
            return 1;
        if (n < 0)
            continue;
        long long now = bytes_of(pid);
        if (now < 0 || now != before || !is_reading(pid, l))
            since = rc_clock_ns();
        before = now;
        if (rc_clock_ns() - since > l->idle_s * second_ns)
            return 0;
    }
}

/* A process that waits for a disk outlives even this: it is left to its fate. */
static rc_status_t give_up(pid_t pid, int pipe_end, const char *path, int seconds, rc_err_t *err)
{
    enum { last_ms = 2000 };
    struct pollfd p = {.fd = pipe_end, .events = POLLIN};
    (void)kill(pid, SIGKILL);
    if (poll(&p, 1, last_ms) > 0)
        (void)waitpid(pid, NULL, 0);
    return rc_fail(err, RC_ESTORE,
        "%s: has no seal, and the process that read it got no further for %d s "
        "(ROWCAST_UNSEALED_SECONDS): the file is damaged, or its disk does not answer",
        path, seconds);
}

rc_status_t rc_guard_fork(
    const char *path, const rc_guard_limits_t *limits, int *child, int *code, rc_err_t *err)
{
    int status = 0;
    int alive[2]; /* the child has the end to write to as long as it lives */
    pid_t parent = getpid();
    (void)fflush(NULL); /* or both would print what is in the buffers */
    if (pipe2(alive, O_CLOEXEC) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot make a pipe", path);
    pid_t pid = fork();
    *child = pid == 0;
    if (pid != 0)
        close(alive[1]);
    if (pid <= 0)
        close(alive[0]);
    if (pid < 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot start a process to read it in", path);
    if (pid == 0) {
        become_guarded(parent, limits->cpu_s);
        return RC_OK;
    }
    int ended = wait_for_end(pid, alive[0], limits);
    rc_status_t st = ended ? RC_OK : give_up(pid, alive[0], path, limits->idle_s, err);
    close(alive[0]);
    if (st < 0)
        return st;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return rc_fail_errno(
                err, RC_EIO, errno, "%s: cannot wait for the process that reads it", path);
    /* a reader that nobody listens to any more, or that was asked to end, says nothing of the
     * file */
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (number == SIGPIPE || number == SIGINT || number == SIGTERM || number == SIGHUP) {
        (void)signal(number, SIG_DFL);
        raise(number);
    }
    if (number)
        return rc_fail(err, RC_ESTORE,
            "%s: has no seal, and the process that read it died (%s): the file is damaged; use a "
            "copy of it",
            path, strsignal(number));
    *code = WEXITSTATUS(status);
    return RC_OK;
}
