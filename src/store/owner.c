#include "config.h"
#include "store/owner.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first word of a small file; "" when there is none. */
static void read_word(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "re");
    if (!f || !fgets(out, (int)size, f))
        out[0] = '\0';
    out[strcspn(out, " \n")] = '\0';
    if (f)
        fclose(f);
}

/* State and start of a process as the kernel tells them.  \return 1; 0: there is no such word */
static int read_process(int64_t pid, char *state, int64_t *start)
{
    char path[48];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    /* fields 3 and 22; the name of the program, in brackets, may hold anything */
    const char *at = strrchr(text, ')');
    return at && sscanf(at + 1,
                     " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                     "%" SCNd64,
                     state, start) == 2;
}

static void name_machine(char *out, size_t size)
{
    char boot[48];
    char space[48] = "";
    read_word("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    if (boot[0] && space[0])
        snprintf(out, size, "%s/%s", boot, space);
    else /* nothing is known: no other process is of this one's machine */
        snprintf(out, size, "unknown");
}

rc_status_t rc_owner_make(rc_owner_t *out, rc_err_t *err)
{
    unsigned char random[16];
    char state;
    memset(out, 0, sizeof *out);
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return rc_fail_errno(err, RC_EIO, errno, "no random numbers from the system");
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(out->id + 2 * i, 3, "%02x", random[i]);
    out->pid = getpid();
    if (!read_process(out->pid, &state, &out->start))
        out->start = 0;
    if (gethostname(out->host, sizeof out->host - 1) != 0 || !out->host[0])
        snprintf(out->host, sizeof out->host, "?");
    rc_utc_text(rc_utc_ns(), out->since);
    name_machine(out->machine, sizeof out->machine);
    return RC_OK;
}

void rc_owner_put(const rc_owner_t *o, char line[RC_OWNER_LINE])
{
    snprintf(line, RC_OWNER_LINE,
        "process %" PRId64 " on %s since %s, start %" PRId64 ", machine %s, id %s\n", o->pid,
        o->host, o->since, o->start, o->machine, o->id);
}

int rc_owner_get(const char *text, rc_owner_t *out)
{
    rc_owner_t o = {0};
    int end = 0;
    int n = sscanf(text,
        "process %" SCNd64 " on %128s since %20[^,], start %" SCNd64
        ", machine %96[^,], id %32[0-9a-f]%n",
        &o.pid, o.host, o.since, &o.start, o.machine, o.id, &end);
    if (n != 6 || text[end] != '\n' || strlen(o.id) != sizeof o.id - 1)
        return 0;
    *out = o;
    return 1;
}

rc_owner_state_t rc_owner_state(const rc_owner_t *o)
{
    char machine[sizeof o->machine];
    char state = '?';
    int64_t start;
    name_machine(machine, sizeof machine);
    if (strcmp(machine, "unknown") == 0 || strcmp(machine, o->machine) != 0)
        return RC_OWNER_ELSEWHERE;
    if (!read_process(o->pid, &state, &start))
        /* /proc may hide the processes of other users */
        return kill((pid_t)o->pid, 0) == 0 || errno == EPERM ? RC_OWNER_ALIVE : RC_OWNER_GONE;
    if (o->start && start != o->start)
        return RC_OWNER_GONE; /* its number went to another process */
    return state == 'Z' || state == 'X' ? RC_OWNER_GONE : RC_OWNER_ALIVE;
}

rc_owner_state_t rc_pulse_look(rc_pulse_t *p, const char *path, int64_t silent_ns)
{
    struct stat s;
    int64_t now = rc_clock_ns();
    /* opened, not only looked at: then NFS asks its server */
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return RC_OWNER_GONE;
    int seen = fd >= 0 && fstat(fd, &s) == 0;
    if (fd >= 0)
        close(fd);
    if (!seen) { /* nobody waits for ever for what cannot be looked at; it is left alone */
        if (!p->since_ns)
            p->since_ns = now;
        return now - p->since_ns > 2 * silent_ns ? RC_OWNER_ALIVE : RC_OWNER_ELSEWHERE;
    }
    int64_t mtime_ns = (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec;
    if (!p->since_ns || !p->mtime_ns)
        *p = (rc_pulse_t){now, mtime_ns, s.st_size};
    if (p->mtime_ns != mtime_ns || p->size != s.st_size)
        return RC_OWNER_ALIVE;
    return now - p->since_ns >= silent_ns ? RC_OWNER_GONE : RC_OWNER_ELSEWHERE;
}

struct rc_beat {
    pthread_t thread;
    int fd;
    int stop; /* an eventfd, which ends the thread */
};

static void *beat(void *user)
{
    static const int ms = (int)(RC_OWNER_BEAT_NS / 1000000);
    const rc_beat_t *b = user;
    struct pollfd p = {.fd = b->stop, .events = POLLIN};
    int n;
    while ((n = poll(&p, 1, ms)) == 0 || (n < 0 && errno == EINTR))
        if (n == 0)
            (void)futimens(b->fd, NULL); /* who cannot be reached finds out by its next record */
    return NULL;
}

static int start_thread(rc_beat_t *b)
{
    sigset_t all;
    sigset_t before;
    /* signals are for the threads that work */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&b->thread, NULL, beat, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

rc_status_t rc_beat_start(int fd, rc_beat_t **out, rc_err_t *err)
{
    rc_beat_t *b = rc_alloc0(1, sizeof *b, "signs of life", err);
    RC_PASS(b ? RC_OK : RC_ENOMEM);
    b->fd = fd;
    b->stop = eventfd(0, EFD_CLOEXEC);
    if (b->stop >= 0 && start_thread(b) == 0) {
        *out = b;
        return RC_OK;
    }
    if (b->stop >= 0)
        close(b->stop);
    free(b);
    return rc_fail(err, RC_ENOMEM, "no thread can be started that gives signs of life");
}

void rc_beat_stop(rc_beat_t *b)
{
    if (!b)
        return;
    (void)eventfd_write(b->stop, 1);
    pthread_join(b->thread, NULL);
    close(b->stop);
    free(b);
}
