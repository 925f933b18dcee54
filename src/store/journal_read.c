#include "config.h"
#include "store/journal_private.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A piece of the file is read at a time, and never mapped: a mapped file that is cut off under its
 * reader ends the reader by a signal. */
enum { piece_bytes = 1 << 20 };

struct rc_journal_view {
    int fd;
    char *path;
    unsigned char *piece; /* [held] bytes from `from` on, a multiple of 8 */
    size_t capacity;
    int64_t held;
    int64_t from;
    int64_t size;   /* when it was opened, or what was left of that later */
    int64_t opened; /* size when it was opened */
    int64_t at;
    int64_t valid_end; /* behind the last valid record */
    int64_t damage;
    int64_t damage_offset; /* first damaged byte, -1 none */
    rc_owner_t owner;      /* that wrote it, ... */
    int has_owner;         /* ... if it left its name, ... */
    int closed;            /* ... and said that it writes no more, ... */
    int locked;            /* ... or holds a lock on it */
    rc_status_t failed;    /* reading was not possible, ... */
    rc_err_t why;
};

static void read_piece(rc_journal_view_t *v, int64_t at, int64_t bytes)
{
    v->from = at;
    v->held = 0;
    while (v->held < bytes) {
        ssize_t n = pread(v->fd, v->piece + v->held, (size_t)(bytes - v->held), at + v->held);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            v->failed = rc_fail_errno(&v->why, RC_EIO, errno, "%s: cannot read", v->path);
        if (n <= 0)
            break;
        v->held += n;
    }
    /* it was cut off since: what is left counts */
    if (v->failed == RC_OK && v->held < bytes)
        v->size = at + v->held;
}

/* n bytes at a place within the file; NULL when they cannot be had. */
static const unsigned char *bytes_at(rc_journal_view_t *v, int64_t at, int64_t n)
{
    if (v->failed < 0 || v->size - at < n)
        return NULL;
    if (at < v->from || at + n > v->from + v->held) {
        int64_t want = n > piece_bytes ? n : piece_bytes;
        want = want < v->size - at ? want : v->size - at;
        void *p = v->piece;
        v->failed = rc_grow(&p, &v->capacity, (size_t)want, 1, "a piece of a journal", &v->why);
        v->piece = p;
        if (v->failed == RC_OK)
            read_piece(v, at, want);
    }
    return v->failed == RC_OK && v->held >= at - v->from + n ? v->piece + (at - v->from) : NULL;
}

/* 1: there is a valid record at a place; its header is in h. */
static int valid_at(rc_journal_view_t *v, int64_t at, rc_record_header_t *h)
{
    const unsigned char *p = bytes_at(v, at, sizeof *h);
    if (!p)
        return 0;
    memcpy(h, p, sizeof *h);
    if (h->mark != RC_RECORD_MARK || h->length > RC_RECORD_LONGEST)
        return 0;
    p = bytes_at(v, at, (int64_t)(sizeof *h + rc_record_padded(h->length)));
    return p && h->checksum == rc_record_checksum(h, p + sizeof *h);
}

/* What a journal says of its writer is not for readers. */
static int is_of_the_writer(rc_journal_view_t *v, const rc_record_header_t *h)
{
    char line[RC_OWNER_LINE];
    if (h->type == RC_REC_OWNER && h->length < sizeof line) {
        memcpy(line, v->piece + (v->at - v->from) + sizeof *h, h->length);
        line[h->length] = '\0';
        v->has_owner = rc_owner_get(line, &v->owner);
    }
    v->closed = v->closed || h->type == RC_REC_CLOSED;
    return h->type == RC_REC_OWNER || h->type == RC_REC_CLOSED;
}

/* Step over what belongs to no valid record; 0: there is no more. */
static int find_record(rc_journal_view_t *v, rc_record_header_t *h)
{
    /* records start at multiples of 8: after damage the next valid one is looked for there */
    while (v->at < v->size && v->failed == RC_OK && !valid_at(v, v->at, h))
        v->at += 8;
    if (v->at >= v->size || v->failed < 0)
        return 0;
    if (v->at > v->valid_end) {
        if (v->damage_offset < 0)
            v->damage_offset = v->valid_end;
        v->damage += v->at - v->valid_end;
    }
    return 1;
}

int rc_journal_next(rc_journal_view_t *v, rc_record_t *out)
{
    rc_record_header_t h;
    while (find_record(v, &h)) {
        int hidden = is_of_the_writer(v, &h);
        out->type = (rc_rec_type_t)h.type;
        out->seq = h.seq;
        out->payload = v->piece + (v->at - v->from) + sizeof h;
        out->len = h.length;
        v->at += (int64_t)(sizeof h + rc_record_padded(h.length));
        v->valid_end = v->at;
        out->end = v->at;
        if (!hidden)
            return 1;
    }
    /* a fold keeps the views of all journals until its end */
    free(v->piece);
    v->piece = NULL;
    v->capacity = 0;
    v->held = 0;
    return 0;
}

rc_owner_state_t rc_journal_writer(const rc_journal_view_t *v, rc_owner_t *who)
{
    struct stat s;
    if (who)
        *who = v->owner;
    if (v->closed)
        return RC_OWNER_GONE;
    rc_owner_state_t state = v->locked ? RC_OWNER_ALIVE : RC_OWNER_UNKNOWN;
    if (v->has_owner)
        state = rc_owner_state(&v->owner);
    /* it may have written between the look at the file and its death */
    return state == RC_OWNER_GONE && (fstat(v->fd, &s) != 0 || s.st_size != v->opened)
               ? RC_OWNER_ALIVE
               : state;
}

rc_status_t rc_journal_read_status(const rc_journal_view_t *v, rc_err_t *err)
{
    if (v->failed < 0 && err)
        *err = v->why;
    return v->failed;
}

static rc_status_t open_once(rc_journal_view_t *v, rc_err_t *err)
{
    struct stat s;
    /* some network file systems give an exclusive lock only to who may write */
    v->fd = open(v->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (v->fd < 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
        v->fd = open(v->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (v->fd < 0)
        return rc_fail_errno(
            err, errno == ENOENT ? RC_ENOENT : RC_EIO, errno, "%s: cannot open", v->path);
    if (fstat(v->fd, &s) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot stat", v->path);
    if (!S_ISREG(s.st_mode))
        return rc_fail(
            err, RC_EIO, "%s: expected a journal, found %s", v->path, rc_open_kind(s.st_mode));
    v->size = v->opened = s.st_size;
    /* of writers that leave no name: those of older versions have a lock, which proves something
     * only where it is refused */
    v->locked = flock(v->fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    (void)flock(v->fd, LOCK_UN);
    return RC_OK;
}

/* Opened anew each time: then NFS asks its server. */
static rc_status_t open_file(rc_journal_view_t *v, int64_t at_least, rc_err_t *err)
{
    static const int64_t pause_ns = 100000000;
    int64_t until = rc_clock_ns() + RC_JOURNAL_VISIBLE_NS;
    for (;;) {
        rc_status_t st = open_once(v, err);
        int waits = at_least > 0 && (st == RC_ENOENT || (st == RC_OK && v->size < at_least));
        if (waits && st == RC_OK && rc_clock_ns() >= until)
            return rc_fail(err, RC_EIO, "%s: only %lld of %lld bytes are seen here", v->path,
                (long long)v->size, (long long)at_least);
        if (!waits || rc_clock_ns() >= until)
            return st;
        if (v->fd >= 0)
            close(v->fd);
        v->fd = -1;
        rc_sleep_ns(pause_ns);
    }
}

/* A head that was lost is damage like any other, when there are records behind it.  The head of
 * another version is not lost: what its records mean is not known. */
static rc_status_t check_head(rc_journal_view_t *v, rc_err_t *err)
{
    enum { name_bytes = 7 };
    const rc_journal_header_t expected = rc_journal_header();
    rc_journal_header_t found;
    rc_record_t first;
    const unsigned char *p = bytes_at(v, 0, sizeof found);
    if (!p && v->failed < 0)
        return rc_journal_read_status(v, err);
    /* a process killed at its very start leaves a short file, which holds nothing */
    v->at = v->valid_end = p ? (int64_t)sizeof found : v->size;
    if (!p)
        return RC_OK;
    memcpy(&found, p, sizeof found);
    if (memcmp(&found, &expected, sizeof found) == 0)
        return RC_OK;
    int other = found.order == expected.order && memcmp(&found, &expected, name_bytes) == 0;
    v->at = v->valid_end = 0;
    if (other || !rc_journal_next(v, &first))
        return v->failed < 0 ? rc_journal_read_status(v, err)
                             : rc_fail(err, RC_ESTORE,
                                   "%s: expected a rowcast journal of this byte order and version, "
                                   "found something else; move it away to go on without it",
                                   v->path);
    v->at = v->valid_end = v->damage = 0;
    v->damage_offset = -1;
    return RC_OK;
}

rc_status_t rc_journal_open(
    const char *path, int64_t at_least, rc_journal_view_t **out, rc_err_t *err)
{
    rc_journal_view_t *v = rc_alloc0(1, sizeof *v, "a journal", err);
    RC_PASS(v ? RC_OK : RC_ENOMEM);
    v->fd = -1;
    v->damage_offset = -1;
    v->path = rc_strdup(path, err);
    rc_status_t st = v->path ? open_file(v, at_least, err) : RC_ENOMEM;
    if (st == RC_OK)
        st = check_head(v, err);
    if (st < 0) {
        rc_journal_view_close(v);
        return st;
    }
    *out = v;
    return RC_OK;
}

int64_t rc_journal_damage(const rc_journal_view_t *v, int64_t *first_offset)
{
    *first_offset = v->damage_offset;
    return v->damage;
}

int64_t rc_journal_size(const rc_journal_view_t *v)
{
    return v->size;
}

void rc_journal_view_close(rc_journal_view_t *v)
{
    if (!v)
        return;
    if (v->fd >= 0)
        close(v->fd);
    free(v->piece);
    free(v->path);
    free(v);
}
