#include "config.h"
#include "sweep/node_lock.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

struct rc_node_lock {
    int enabled;
    int room; /* held shared or exclusively while inside */
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

rc_status_t rc_node_lock_open(int enabled, const char *what, rc_node_lock_t **out, rc_err_t *err)
{
    rc_node_lock_t *t = rc_alloc0(1, sizeof *t, "a lock", err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    t->room = t->gate = -1;
    t->enabled = enabled;
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

static rc_status_t take(int fd, int how, rc_queue_t *q)
{
    static const int64_t pause_ns = 3000000;
    /* where the node has no locks at all, ranks time side by side */
    while (flock(fd, how | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
        if (rc_queue_draining(q))
            return RC_EINTR;
        rc_sleep_ns(pause_ns);
    }
    return RC_OK;
}

rc_status_t rc_node_lock_enter(rc_node_lock_t *t, int alone, rc_queue_t *q)
{
    if (!t->enabled)
        return RC_OK;
    rc_node_lock_release(t);
    rc_status_t st = take(t->gate, LOCK_EX, q);
    if (st == RC_OK)
        st = take(t->room, alone ? LOCK_EX : LOCK_SH, q);
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
