#include "config.h"
#include "store/journal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "store/held.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header {
    char magic[8];  /* the last byte is the version */
    uint64_t order; /* reads back differently on a machine of the other byte order */
} header_t;
static const header_t expected_header = {"RCJRNL\0\1", UINT64_C(0x0102030405060708)};

typedef struct record_header {
    uint32_t mark;
    uint32_t type;
    uint32_t length;
    uint32_t seq;
    uint64_t checksum;
} record_header_t;

enum { RECORD_MARK = 0x44524352 /* "RCRD" */, LONGEST = 1 << 28 /* bytes of a payload */ };

/* Bytes that a payload of n takes in the file. */
static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* Header and payload lie apart when a record is written, together when it is read. */
static uint64_t checksum_of(const record_header_t *h, const unsigned char *payload)
{
    rc_digest_t head = rc_digest(h, offsetof(record_header_t, checksum));
    rc_digest_t body = rc_digest(payload, h->length);
    return head.lo ^ (body.lo << 1 | body.lo >> 63) ^ body.hi;
}

/* ------------------------------------------------------------------------ writing */

static const int64_t sync_interval_ns = INT64_C(1000000000);

struct rc_journal {
    int fd;
    char *path;
    rc_beat_t *beat;
    int closed;           /* the last record is written, or was tried */
    _Atomic int64_t size; /* end of the last whole record; a handler adds to it */
    uint32_t seq;
    int64_t synced_ns; /* when it was synced last */
    int dirty;
    unsigned char *buffer; /* header and payload, so that one write() takes both */
    size_t capacity;
    rc_str_t payload; /* of the record that is being appended */
};

/* All of it or nothing: a short write is cut off again. */
static rc_status_t write_whole(rc_journal_t *j, const void *data, size_t n, rc_err_t *err)
{
    const unsigned char *p = data;
    size_t left = n;
    while (left) {
        ssize_t w = write(j->fd, p, left);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0) {
            int why = w < 0 ? errno : ENOSPC;
            if (ftruncate(j->fd, (off_t)j->size) != 0 || lseek(j->fd, 0, SEEK_END) < 0)
                return rc_fail_errno(err, RC_EIO, why,
                    "%s: cannot write, nor cut back to %lld bytes", j->path, (long long)j->size);
            return rc_fail_errno(err, RC_EIO, why, "%s: cannot write", j->path);
        }
        p += w;
        left -= (size_t)w;
    }
    j->size += (int64_t)n;
    j->dirty = 1;
    return RC_OK;
}

/* The bytes of a record, padded, from where the buffer's are. */
static rc_status_t encode(
    rc_journal_t *j, size_t at, rc_rec_type_t type, const void *data, size_t len, rc_err_t *err)
{
    size_t total = at + sizeof(record_header_t) + padded(len);
    RC_PASS(RC_GROW(j->buffer, j->capacity, total, "a journal record", err));
    record_header_t h = {RECORD_MARK, (uint32_t)type, (uint32_t)len, j->seq, 0};
    h.checksum = checksum_of(&h, data);
    unsigned char *p = j->buffer + at;
    memcpy(p, &h, sizeof h);
    if (len)
        memcpy(p + sizeof h, data, len);
    memset(p + sizeof h + len, 0, padded(len) - len);
    return RC_OK;
}

/* Header, run and owner at once: whoever sees a record of the journal knows who writes it. */
static rc_status_t write_head(rc_journal_t *j, const rc_rec_run_t *r, rc_err_t *err)
{
    const rc_str_t *run = &j->payload;
    char line[RC_OWNER_LINE];
    rc_owner_t me;
    rc_rec_put(&j->payload, RC_REC_RUN, r);
    if (run->failed)
        return rc_fail(err, RC_ENOMEM, "%s: a record could not be encoded", j->path);
    RC_PASS(rc_owner_make(&me, err));
    rc_owner_put(&me, line);
    size_t owner_at = sizeof(header_t) + sizeof(record_header_t) + padded(run->len);
    size_t total = owner_at + sizeof(record_header_t) + padded(strlen(line));
    rc_status_t st = encode(j, sizeof(header_t), RC_REC_RUN, run->text, run->len, err);
    if (st == RC_OK) {
        memcpy(j->buffer, &expected_header, sizeof(header_t));
        j->seq++;
        /* the number of the next record stays: this one is not given to readers */
        st = encode(j, owner_at, RC_REC_OWNER, line, strlen(line), err);
    }
    return st < 0 ? st : write_whole(j, j->buffer, total, err);
}

rc_status_t rc_journal_create(
    const char *dir, const rc_rec_run_t *run, rc_journal_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    char name[RC_JOURNAL_NAME];
    rc_journal_t *j = rc_alloc0(1, sizeof *j, "a journal", err);
    RC_PASS(j ? RC_OK : RC_ENOMEM);
    j->fd = -1;
    RC_TRY(rc_journal_name(run->uuid, run->rank, name, err));
    j->path = rc_strf("a path", err, "%s/%s", dir, name);
    RC_TRY(j->path ? RC_OK : RC_ENOMEM);
    st = rc_open_file(j->path, RC_OPEN_LOG, 0666, &j->fd, err);
    if (st < 0)
        RC_TRY(rc_err_context(err, "cannot create the journal"));
    (void)flock(j->fd, LOCK_EX | LOCK_NB); /* a word for older versions, not more */
    RC_TRY(write_head(j, run, err));
    RC_TRY(rc_journal_sync(j, err));
    /* its name, and that of a folder that was made for it */
    RC_TRY(rc_sync_folder_of(j->path, err));
    RC_TRY(rc_sync_folder_of(dir, err));
    RC_TRY(rc_beat_start(j->fd, &j->beat, err));
    *out = j;
    j = NULL;
done:
    rc_journal_close(j);
    return st;
}

rc_status_t rc_journal_append(rc_journal_t *j, rc_rec_type_t type, const rc_str_t *b, rc_err_t *err)
{
    if (b->failed || b->len > LONGEST)
        return rc_fail(err, RC_ENOMEM, "%s: a record could not be encoded", j->path);
    RC_PASS(encode(j, 0, type, b->text, b->len, err));
    RC_PASS(write_whole(j, j->buffer, sizeof(record_header_t) + padded(b->len), err));
    j->seq++;
    if (rc_clock_ns() - j->synced_ns >= sync_interval_ns)
        return rc_journal_sync(j, err);
    return RC_OK;
}

rc_status_t rc_journal_put(rc_journal_t *j, rc_rec_type_t type, const void *record, rc_err_t *err)
{
    rc_rec_put(&j->payload, type, record);
    return rc_journal_append(j, type, &j->payload, err);
}

rc_status_t rc_journal_sync(rc_journal_t *j, rc_err_t *err)
{
    if (j->dirty && fdatasync(j->fd) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot sync", j->path);
    j->dirty = 0;
    j->synced_ns = rc_clock_ns();
    return RC_OK;
}

rc_status_t rc_journal_check(const rc_journal_t *j, rc_err_t *err)
{
    struct stat s;
    RC_PASS(rc_held_check(j->fd, j->path, err));
    /* a handler may have written its word and not counted it yet */
    int same = 0;
    for (int i = 0; i < 3 && !same; i++) {
        if (i > 0)
            rc_sleep_ns(1000000);
        same = fstat(j->fd, &s) == 0 && s.st_size == (off_t)atomic_load(&j->size);
    }
    if (!same)
        return rc_fail(err, RC_EIO,
            "%s: was changed while it was in use: expected %lld bytes, "
            "found %lld",
            j->path, (long long)j->size, (long long)s.st_size);
    return RC_OK;
}

rc_status_t rc_journal_release(rc_journal_t *j, rc_err_t *err)
{
    if (j->closed)
        return RC_OK;
    j->closed = 1;
    rc_beat_stop(j->beat);
    j->beat = NULL;
    if (atomic_load(&j->size) == 0) /* its head could not be written: an empty file harms nobody */
        return RC_OK;
    rc_status_t st = encode(j, 0, RC_REC_CLOSED, NULL, 0, err);
    if (st == RC_OK)
        st = write_whole(j, j->buffer, sizeof(record_header_t), err);
    if (st == RC_OK)
        st = rc_journal_sync(j, err);
    (void)flock(j->fd, LOCK_UN);
    return st;
}

rc_status_t rc_journal_save(const rc_journal_t *j, const char *dir, rc_err_t *err)
{
    const char *name = strrchr(j->path, '/');
    char *to = rc_strf("a path", err, "%s/%s", dir, name ? name + 1 : j->path);
    rc_status_t st = to ? rc_held_save(j->fd, j->path, to, err) : RC_ENOMEM;
    free(to);
    return st;
}

/* \return 1: written.  The number of the next record stays: a thread may just be writing it. */
static int put_signal(rc_journal_t *j, rc_rec_type_t type, int signal_number)
{
    int64_t payload = signal_number;
    struct {
        record_header_t h;
        int64_t payload;
    } r = {{RECORD_MARK, (uint32_t)type, sizeof payload, j->seq, 0}, payload};
    r.h.checksum = checksum_of(&r.h, (const unsigned char *)&r.payload);
    if (write(j->fd, &r, sizeof r) != (ssize_t)sizeof r)
        return 0;
    atomic_fetch_add(&j->size, (int64_t)sizeof r);
    return 1;
}

void rc_journal_died(rc_journal_t *j, int signal_number)
{
    j->seq += (uint32_t)put_signal(j, RC_REC_DIED, signal_number);
}

void rc_journal_asked(rc_journal_t *j, int signal_number)
{
    (void)put_signal(j, RC_REC_ASKED, signal_number);
}

void rc_journal_close(rc_journal_t *j)
{
    if (!j)
        return;
    if (j->fd >= 0) {
        (void)rc_journal_release(j, NULL);
        close(j->fd);
    }
    free(j->path);
    free(j->buffer);
    rc_str_free(&j->payload);
    free(j);
}

int64_t rc_journal_bytes(const rc_journal_t *j)
{
    return j->size;
}

/* ------------------------------------------------------------------------ reading */

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
        v->failed = RC_GROW(v->piece, v->capacity, (size_t)want, "a piece of a journal", &v->why);
        if (v->failed == RC_OK)
            read_piece(v, at, want);
    }
    return v->failed == RC_OK && v->held >= at - v->from + n ? v->piece + (at - v->from) : NULL;
}

/* 1: there is a valid record at a place; its header is in h. */
static int valid_at(rc_journal_view_t *v, int64_t at, record_header_t *h)
{
    const unsigned char *p = bytes_at(v, at, sizeof *h);
    if (!p)
        return 0;
    memcpy(h, p, sizeof *h);
    if (h->mark != RECORD_MARK || h->length > LONGEST)
        return 0;
    p = bytes_at(v, at, (int64_t)(sizeof *h + padded(h->length)));
    return p && h->checksum == checksum_of(h, p + sizeof *h);
}

/* What a journal says of its writer is not for readers. */
static int is_of_the_writer(rc_journal_view_t *v, const record_header_t *h)
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
static int find_record(rc_journal_view_t *v, record_header_t *h)
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
    record_header_t h;
    while (find_record(v, &h)) {
        int hidden = is_of_the_writer(v, &h);
        out->type = (rc_rec_type_t)h.type;
        out->seq = h.seq;
        out->payload = v->piece + (v->at - v->from) + sizeof h;
        out->len = h.length;
        v->at += (int64_t)(sizeof h + padded(h.length));
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
    header_t found;
    rc_record_t first;
    const unsigned char *p = bytes_at(v, 0, sizeof found);
    if (!p && v->failed < 0)
        return rc_journal_read_status(v, err);
    /* a process killed at its very start leaves a short file, which holds nothing */
    v->at = v->valid_end = p ? (int64_t)sizeof found : v->size;
    if (!p)
        return RC_OK;
    memcpy(&found, p, sizeof found);
    if (memcmp(&found, &expected_header, sizeof found) == 0)
        return RC_OK;
    int other =
        found.order == expected_header.order && memcmp(&found, &expected_header, name_bytes) == 0;
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
    if (st < 0)
        rc_journal_view_close(v);
    else
        *out = v;
    return st;
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

/* ---------------------------------------------------------------------- the folder */

rc_status_t rc_journal_name(const char *uuid, int rank, char out[RC_JOURNAL_NAME], rc_err_t *err)
{
    int n = snprintf(out, RC_JOURNAL_NAME, "%s.%05d.rcj", uuid, rank);
    return n > 0 && n < RC_JOURNAL_NAME ? RC_OK
                                        : rc_fail(err, RC_ERANGE, "%s: too long for a run", uuid);
}

char *rc_journal_dir(const char *store, rc_err_t *err)
{
    return rc_strf("a path", err, "%s.journal", store);
}

rc_status_t rc_journal_list(const char *dir, char ***names, int64_t *count, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    char **list = NULL;
    size_t capacity = 0;
    size_t n = 0;
    DIR *d = opendir(dir);
    if (!d && errno != ENOENT)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot read the journal folder", dir);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        size_t len = strlen(e->d_name);
        if (len < 5 || strcmp(e->d_name + len - 4, ".rcj") != 0)
            continue;
        char *copy = rc_strdup(e->d_name, err);
        if (!copy || RC_GROW(list, capacity, n + 1, "journals", err) < 0) {
            free(copy);
            st = RC_ENOMEM;
            break;
        }
        list[n++] = copy;
    }
    if (d)
        closedir(d);
    if (st < 0) {
        rc_journal_names_free(list, (int64_t)n);
        return st;
    }
    if (n)
        qsort(list, n, sizeof *list, rc_str_compare);
    *names = list;
    *count = (int64_t)n;
    return RC_OK;
}

void rc_journal_names_free(char **names, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}
