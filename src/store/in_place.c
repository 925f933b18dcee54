#include "config.h"
#include "store/in_place.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "store/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 << 10 };

/* A reader that opened the target before the copy was beside it sees by the time of change that it
 * was written: so that time must be another one, on clocks that tick every 10 ms. */
static const int64_t tick_ns = 20000000;

typedef struct pair {
    const char *whole;
    const char *target;
    int in;
    int out;
    int64_t bytes;  /* of the whole */
    int64_t before; /* of the target */
} pair_t;

static rc_status_t open_pair(pair_t *p, rc_err_t *err)
{
    struct stat s;
    struct stat t;
    RC_PASS(rc_open_file(p->whole, RC_OPEN_READ, 0, &p->in, err));
    p->out = open(p->target, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (p->out < 0 || fstat(p->in, &s) != 0 || fstat(p->out, &t) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot be written in place", p->target);
    if (!S_ISREG(t.st_mode))
        return rc_fail(err, RC_EIO, "%s: expected a file, found something else", p->target);
    p->bytes = s.st_size;
    p->before = t.st_size;
    return RC_OK;
}

/* Room for all of it, before a byte of the target changes. */
static rc_status_t make_room(const pair_t *p, int *touched, rc_err_t *err)
{
    int why = p->bytes > p->before ? posix_fallocate(p->out, p->before, p->bytes - p->before) : 0;
    *touched = why == 0 || ftruncate(p->out, p->before) != 0;
    return why ? rc_fail_errno(err, RC_EIO, why, "%s: no room to write it in place", p->target)
               : RC_OK;
}

/* \param[in] write  0: a block that differs is an error */
static rc_status_t pass(const pair_t *p, char *buffer, int write, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int64_t at = 0; at < p->bytes && st == RC_OK; at += BLOCK) {
        int64_t n = p->bytes - at < BLOCK ? p->bytes - at : BLOCK;
        st = rc_read_at(p->in, p->whole, buffer, n, at, err);
        if (st == RC_OK)
            st = rc_read_at(p->out, p->target, buffer + BLOCK, n, at, err);
        if (st < 0 || memcmp(buffer, buffer + BLOCK, (size_t)n) == 0)
            continue;
        st = write ? rc_write_at(p->out, p->target, buffer, (size_t)n, at, err)
                   : rc_fail(err, RC_EIO, "%s: the disk lost what was written", p->target);
    }
    return st;
}

rc_status_t rc_in_place(const char *whole, const char *target, int *touched, rc_err_t *err)
{
    pair_t p = {.whole = whole, .target = target, .in = -1, .out = -1};
    rc_status_t st = RC_OK;
    *touched = 0;
    char *buffer = rc_alloc(2, BLOCK, "two blocks of a store", err);
    RC_TRY(buffer ? RC_OK : RC_ENOMEM);
    RC_TRY(open_pair(&p, err));
    rc_sleep_ns(tick_ns);
    RC_TRY(make_room(&p, touched, err));
    RC_TRY(pass(&p, buffer, 1, err));
    if (ftruncate(p.out, p.bytes) != 0 || fsync(p.out) != 0)
        RC_TRY(rc_fail_errno(err, RC_EIO, errno, "%s: cannot be written in place", target));
    st = pass(&p, buffer, 0, err);
done:
    if (p.in >= 0)
        close(p.in);
    if (p.out >= 0 && close(p.out) != 0 && st == RC_OK)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot close", target);
    free(buffer);
    return st;
}
