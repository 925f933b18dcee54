#include "config.h"
#include "sweep/node_lock.h"
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

enum { SIGN = 512 };

struct rc_node_lock {
    int enabled;
    char sign[SIGN]; /* "process N, sweep of STORE" */
    const rc_log_t *log;
    int room; /* held shared or exclusively while inside; has the sign of who came in last */
    int gate; /* passed by everyone; who waits for the room alone holds it, so as not to starve */
};

/* In a folder that all jobs of the node see: TMPDIR is often one per job. */
static int open_lock(const char *what, const char *name, rc_err_t *err)
{
    static const char *const folders[] = {"/dev/shm", "/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s/rowcast-%ld%s%.80s.%s", folders[i], (long)getuid(),
            what ? "." : "", what ? what : "", name);
        int fd;
        if (rc_open_file(path, RC_OPEN_KEEP, 0600, &fd, NULL) == RC_OK)
            return fd;
    }
    rc_fail_errno(err, RC_EIO, errno,
        "no lock can be made in /dev/shm or /tmp; --timing shared goes without");
    return -1;
}

rc_status_t rc_node_lock_open(int enabled, const char *what, const char *store, const rc_log_t *log,
    rc_node_lock_t **out, rc_err_t *err)
{
    rc_node_lock_t *t = rc_alloc0(1, sizeof *t, "a lock", err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    t->room = t->gate = -1;
    t->enabled = enabled;
    t->log = log;
    snprintf(t->sign, sizeof t->sign, "process %ld, sweep of %s", (long)getpid(), store);
    if (enabled) {
        t->room = open_lock(what, "room", err);
        t->gate = t->room < 0 ? -1 : open_lock(what, "gate", err);
        if (t->gate < 0) {
            rc_node_lock_close(t);
            return RC_EIO;
        }
    }
    *out = t;
    return RC_OK;
}

/* Ranks of one sweep wait for each other as a matter of course. */
static void say(const rc_node_lock_t *t, double waited_s)
{
    char sign[SIGN] = "";
    if (waited_s == 0)
        return;
    ssize_t n = pread(t->room, sign, sizeof sign - 1, 0);
    const char *sweep = n > 0 ? strchr(sign, ',') : NULL;
    if (sweep && strcmp(sweep, strchr(t->sign, ',')) == 0)
        return;
    rc_log(t->log, RC_LOG_INFO, "sweep", "waited for %s so far: %s measures on this node",
        rc_text_seconds(waited_s).text, sign[0] ? sign : "another sweep");
}

static rc_status_t take(const rc_node_lock_t *t, int fd, int how, rc_wait_t *wait, rc_queue_t *q)
{
    static const int64_t pause_ns = 3000000;
    /* where the node has no locks at all, ranks time side by side */
    while (flock(fd, how | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
        if (rc_queue_draining(q))
            return RC_EINTR;
        say(t, rc_wait_due(wait, rc_clock_ns()));
        rc_sleep_ns(pause_ns);
    }
    return RC_OK;
}

rc_status_t rc_node_lock_enter(rc_node_lock_t *t, int alone, rc_queue_t *q)
{
    if (!t->enabled)
        return RC_OK;
    rc_node_lock_release(t);
    rc_wait_t wait = {0};
    rc_status_t st = take(t, t->gate, LOCK_EX, &wait, q);
    if (st == RC_OK)
        st = take(t, t->room, alone ? LOCK_EX : LOCK_SH, &wait, q);
    if (st == RC_OK)
        (void)rc_write_at(t->room, "", t->sign, sizeof t->sign, 0, NULL); /* nobody needs it */
    flock(t->gate, LOCK_UN);
    return st;
}

void rc_node_lock_release(rc_node_lock_t *t)
{
    if (t->enabled)
        flock(t->room, LOCK_UN);
}

void rc_node_lock_close(rc_node_lock_t *t)
{
    if (!t)
        return;
    if (t->room >= 0)
        close(t->room);
    if (t->gate >= 0)
        close(t->gate);
    free(t);
}
