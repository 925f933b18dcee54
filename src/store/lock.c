#include "config.h"
#include "store/lock.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "store/held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct rc_lock {
    int fd;
    char *path;
};

static rc_status_t busy(const char *path, rc_err_t *err)
{
    char holder[160] = "";
    FILE *f = rc_open_stream(path, RC_OPEN_READ, NULL);
    if (f) {
        size_t n = fread(holder, 1, sizeof holder - 1, f);
        holder[n] = '\0';
        holder[strcspn(holder, "\n")] = '\0';
        fclose(f);
    }
    return rc_fail(err, RC_EBUSY, "%s: held by %s; wait for it, or end it", path,
        holder[0] ? holder : "another process");
}

/* RC_OK: taken; RC_EBUSY: try again; other: give up */
static rc_status_t try_once(const char *path, int *fd_out, rc_err_t *err)
{
    int fd;
    rc_status_t st = rc_open_file(path, RC_OPEN_KEEP, 0666, &fd, err);
    if (st < 0)
        return st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int why = errno;
        close(fd);
        if (why == EWOULDBLOCK || why == EINTR)
            return RC_EBUSY;
        return rc_fail_errno(err, RC_EIO, why,
            "%s: the file system has no locks; put the store where flock() works", path);
    }
    if (!rc_held_is(fd, path)) { /* its last holder removed it */
        close(fd);
        return RC_EBUSY;
    }
    *fd_out = fd;
    return RC_OK;
}

rc_status_t rc_lock_take(
    const char *dir, const char *name, int64_t wait_ns, rc_lock_t **out, rc_err_t *err)
{
    static const int64_t pause_ns = 50 * INT64_C(1000000);
    rc_str_t path = {0};
    int64_t until = rc_clock_ns() + wait_ns;
    int fd = -1;
    rc_lock_t *l = rc_alloc0(1, sizeof *l, "a lock", err);
    rc_str_addf(&path, "%s/%s", dir, name);
    if (!l || path.failed) {
        rc_str_free(&path);
        free(l);
        return rc_fail(err, RC_ENOMEM, "no memory for a lock");
    }
    for (;;) {
        rc_status_t st = rc_open_folder(dir, err);
        if (st < 0) {
            free(l);
            rc_str_free(&path);
            return st;
        }
        st = try_once(path.text, &fd, err);
        if (st == RC_OK)
            break;
        if (st == RC_EIO && access(dir, F_OK) != 0 && rc_clock_ns() < until)
            continue; /* the folder was removed between the two calls */
        if (st != RC_EBUSY || rc_clock_ns() >= until) {
            if (st == RC_EBUSY)
                busy(path.text, err);
            free(l);
            rc_str_free(&path);
            return st;
        }
        rc_sleep_ns(pause_ns);
    }
    char host[128] = "?";
    char stamp[21];
    char text[192];
    (void)gethostname(host, sizeof host - 1);
    rc_utc_text(rc_utc_ns(), stamp);
    int n =
        snprintf(text, sizeof text, "process %ld on %s since %s\n", (long)getpid(), host, stamp);
    /* only for the message to others: a lock without its text still locks */
    if (ftruncate(fd, 0) == 0 && write(fd, text, (size_t)n) != n)
        (void)ftruncate(fd, 0);
    l->fd = fd;
    l->path = path.text;
    *out = l;
    return RC_OK;
}

void rc_lock_release(rc_lock_t *l)
{
    if (!l)
        return;
    unlink(l->path);
    close(l->fd);
    free(l->path);
    free(l);
}
