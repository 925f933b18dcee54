#include "config.h"
#include "store/lock.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct rc_lock {
    int fd;
    char *path;
    rc_owner_t me;
    rc_beat_t *beat;
};

/* A lock, the right to take it over, the right to take over that one, ... */
enum { deepest = 4 };

/* Who looks for a lock, and whom it has watched there. */
typedef struct seeker {
    rc_owner_t me;
    rc_lock_wait_t wait;
    char holder[RC_OWNER_LINE]; /* the first line of what is there */
    struct {
        char id[33];
        rc_pulse_t pulse;
    } watched[deepest];
    int told;
    rc_wait_t waited;
    int again; /* what was found may be different in a moment */
} seeker_t;

/* What a lock file says; RC_ENOENT when there is none. */
typedef struct found {
    char line[RC_OWNER_LINE];
    rc_owner_t owner;
    rc_owner_state_t state;
} found_t;

/* Who left no name: a program of an older version, which holds flock(), or one that has just made
 * the file. */
static rc_owner_state_t state_of_nameless(int fd, const char *text)
{
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? RC_OWNER_ALIVE : RC_OWNER_UNKNOWN;
    return strchr(text, '\n') ? RC_OWNER_GONE : RC_OWNER_UNKNOWN;
}

static rc_status_t look(const char *path, found_t *out, rc_err_t *err)
{
    int fd;
    memset(out, 0, sizeof *out);
    rc_status_t st = rc_open_file(path, RC_OPEN_UPDATE, 0, &fd, err);
    if (st < 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
        st = rc_open_file(path, RC_OPEN_READ, 0, &fd, err);
    if (st < 0)
        return errno == ENOENT ? RC_ENOENT : st;
    ssize_t n = pread(fd, out->line, sizeof out->line - 1, 0);
    out->line[n > 0 ? n : 0] = '\0';
    if (rc_owner_get(out->line, &out->owner))
        out->state = rc_owner_state(&out->owner);
    else {
        snprintf(out->owner.id, sizeof out->owner.id, "nobody");
        out->state = state_of_nameless(fd, out->line);
    }
    out->line[strcspn(out->line, ",\n")] = '\0';
    close(fd);
    return RC_OK;
}

/* As the owner itself, but for one elsewhere what its file has shown so far. */
static rc_owner_state_t judge(seeker_t *s, const char *path, int depth, const found_t *f)
{
    rc_owner_state_t state = f->state;
    if (state != RC_OWNER_ELSEWHERE && state != RC_OWNER_UNKNOWN)
        return state;
    if (strcmp(s->watched[depth].id, f->owner.id) != 0) {
        memset(&s->watched[depth], 0, sizeof s->watched[depth]);
        snprintf(s->watched[depth].id, sizeof s->watched[depth].id, "%s", f->owner.id);
    }
    state = rc_pulse_look(&s->watched[depth].pulse, path, s->wait.silent_ns);
    if (state == RC_OWNER_ELSEWHERE && !s->told) {
        s->told = 1;
        rc_log(s->wait.log, RC_LOG_INFO, "store",
            "%s: held by %s: waiting up to %s for a sign of life of it", path, s->holder,
            rc_text_seconds((double)s->wait.silent_ns * 1e-9).text);
    }
    return state;
}

/* Make the file with this process's line. */
static rc_status_t make(const seeker_t *s, const char *path, int *fd_out, rc_err_t *err)
{
    char line[RC_OWNER_LINE];
    int fd;
    RC_PASS(rc_open_file(path, RC_OPEN_NEW, 0666, &fd, err));
    rc_status_t st = RC_OK;
    rc_owner_put(&s->me, line);
    size_t n = strlen(line);
    (void)flock(fd, LOCK_EX | LOCK_NB); /* a word for older versions, not more */
    if (write(fd, line, n) != (ssize_t)n || fsync(fd) != 0) {
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot write the name of its owner", path);
        unlink(path);
        close(fd);
        errno = EIO;
        return st;
    }
    *fd_out = fd;
    return RC_OK;
}

static rc_status_t obtain(seeker_t *s, const char *path, int depth, int *fd, rc_err_t *err);

/* The owner is gone.  Who makes the file PATH.<id of the owner> has the right to put its own line
 * in the place of the owner's: nobody else touches that as long as it is the same. */
static rc_status_t take_over(
    seeker_t *s, const char *path, int depth, const found_t *old, int *fd, rc_err_t *err)
{
    found_t now;
    if (depth + 1 == deepest)
        return RC_EBUSY;
    s->again = 1; /* unless the right to do so is somebody's */
    char *right = rc_strf("a lock", err, "%s.%s", path, old->owner.id);
    rc_status_t st = right ? obtain(s, right, depth + 1, fd, err) : RC_ENOMEM;
    if (st < 0)
        goto done;
    st = look(path, &now, err);
    if (st == RC_ENOENT || (st == RC_OK && strcmp(now.owner.id, old->owner.id) != 0))
        st = RC_EBUSY; /* another one was faster */
    else if (st == RC_OK && rename(right, path) != 0)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot be taken over", path);
    if (st < 0) {
        unlink(right);
        close(*fd);
        *fd = -1;
    }
done:
    free(right);
    return st;
}

/* RC_OK: taken; RC_EBUSY: not now; other: give up */
static rc_status_t obtain(seeker_t *s, const char *path, int depth, int *fd, rc_err_t *err)
{
    found_t f;
    rc_status_t st = make(s, path, fd, err);
    if (st == RC_OK || errno != EEXIST)
        return st;
    st = look(path, &f, err);
    s->again = st == RC_ENOENT; /* released just now, or NFS does not show it yet */
    if (st < 0)
        return st == RC_ENOENT ? RC_EBUSY : st;
    snprintf(s->holder, sizeof s->holder, "%s", f.line[0] ? f.line : "another process");
    switch (judge(s, path, depth, &f)) {
    case RC_OWNER_GONE:
        return take_over(s, path, depth, &f, fd, err);
    case RC_OWNER_ALIVE:
        break;
    case RC_OWNER_ELSEWHERE:
    case RC_OWNER_UNKNOWN:
        s->again = 1;
        break;
    }
    return RC_EBUSY;
}

static rc_status_t seek(seeker_t *s, const char *dir, const char *path, int *fd, rc_err_t *err)
{
    static const int64_t pause_ns = 50 * INT64_C(1000000);
    int64_t until = rc_clock_ns() + s->wait.busy_ns;
    int64_t last = until + 2 * s->wait.silent_ns;
    for (;;) {
        rc_status_t st = rc_open_folder(dir, err);
        if (st < 0)
            return st;
        st = obtain(s, path, 0, fd, err);
        if (st == RC_EIO && access(dir, F_OK) != 0 && rc_clock_ns() < until)
            continue; /* the folder was removed between the two calls */
        double waited_s = st == RC_EBUSY ? rc_wait_due(&s->waited, rc_clock_ns()) : 0;
        if (waited_s > 0)
            rc_log(s->wait.log, RC_LOG_INFO, "store", "%s: held by %s: waited for %s so far", path,
                s->holder, rc_text_seconds(waited_s).text);
        if (st == RC_EBUSY && rc_clock_ns() >= (s->again ? last : until))
            return rc_fail(
                err, RC_EBUSY, "%s: held by %s; wait for it, or end it", path, s->holder);
        if (st != RC_EBUSY)
            return st;
        rc_sleep_ns(pause_ns);
    }
}

rc_status_t rc_lock_take(
    const char *dir, const char *name, const rc_lock_wait_t *wait, rc_lock_t **out, rc_err_t *err)
{
    seeker_t s = {.wait = wait ? *wait : (rc_lock_wait_t){0}, .holder = "another process"};
    rc_lock_t *l = rc_alloc0(1, sizeof *l, "a lock", err);
    RC_PASS(l ? RC_OK : RC_ENOMEM);
    s.waited.every_ns = s.wait.tell_ns;
    if (!s.wait.silent_ns)
        s.wait.silent_ns = RC_OWNER_SILENT_NS;
    l->fd = -1;
    l->path = rc_strf("a lock", err, "%s/%s", dir, name);
    rc_status_t st = l->path ? rc_owner_make(&s.me, err) : RC_ENOMEM;
    if (st == RC_OK)
        st = seek(&s, dir, l->path, &l->fd, err);
    l->me = s.me;
    if (st == RC_OK)
        st = rc_beat_start(l->fd, &l->beat, err);
    if (st < 0)
        rc_lock_release(l);
    else
        *out = l;
    return st;
}

rc_status_t rc_lock_check(const rc_lock_t *l, rc_err_t *err)
{
    found_t f;
    rc_status_t st = look(l->path, &f, NULL);
    /* who took it over may have given it back already */
    if (st == RC_ENOENT)
        return rc_fail(err, RC_EIO, "%s: is gone while this process holds it", l->path);
    if (st < 0 || strcmp(f.owner.id, l->me.id) == 0)
        return RC_OK; /* where it cannot be read, the next record tells more */
    return rc_fail(err, RC_EIO, "%s: was taken over by %s, as this process gave no sign of life",
        l->path, f.line);
}

rc_owner_state_t rc_lock_state(const char *dir, const char *name)
{
    found_t f = {.state = RC_OWNER_GONE};
    char *path = rc_strf("a path", NULL, "%s/%s", dir, name);
    rc_status_t st = path ? look(path, &f, NULL) : RC_ENOMEM;
    if (st < 0)
        f.state = st == RC_ENOENT ? RC_OWNER_GONE : RC_OWNER_UNKNOWN;
    free(path);
    return f.state;
}

void rc_lock_release(rc_lock_t *l)
{
    if (!l)
        return;
    rc_beat_stop(l->beat);
    if (l->fd >= 0 && rc_lock_check(l, NULL) == RC_OK)
        unlink(l->path);
    if (l->fd >= 0)
        close(l->fd);
    free(l->path);
    free(l);
}
