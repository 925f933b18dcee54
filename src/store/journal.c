#include "config.h"
#include "store/journal_private.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "store/held.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
    rc_bytes_t payload; /* of the record that is being appended */
};

rc_journal_header_t rc_journal_header(void)
{
    return (rc_journal_header_t){"RCJRNL\0\1", UINT64_C(0x0102030405060708)};
}

size_t rc_record_padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

uint64_t rc_record_checksum(const rc_record_header_t *h, const unsigned char *payload)
{
    rc_digest_t head = rc_digest(h, offsetof(rc_record_header_t, checksum));
    rc_digest_t body = rc_digest(payload, h->length);
    return head.lo ^ (body.lo << 1 | body.lo >> 63) ^ body.hi;
}

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
    size_t total = at + sizeof(rc_record_header_t) + rc_record_padded(len);
    void *buffer = j->buffer;
    if (rc_grow(&buffer, &j->capacity, total, 1, "a journal record", err) < 0)
        return RC_ENOMEM;
    j->buffer = buffer;
    rc_record_header_t h = {RC_RECORD_MARK, (uint32_t)type, (uint32_t)len, j->seq, 0};
    h.checksum = rc_record_checksum(&h, data);
    unsigned char *p = j->buffer + at;
    memcpy(p, &h, sizeof h);
    if (len)
        memcpy(p + sizeof h, data, len);
    memset(p + sizeof h + len, 0, rc_record_padded(len) - len);
    return RC_OK;
}

/* Header, run and owner at once: whoever sees a record of the journal knows who writes it. */
static rc_status_t write_head(rc_journal_t *j, const rc_rec_run_t *r, rc_err_t *err)
{
    const rc_bytes_t *run = &j->payload;
    const rc_journal_header_t header = rc_journal_header();
    char line[RC_OWNER_LINE];
    rc_owner_t me;
    rc_rec_put(&j->payload, RC_REC_RUN, r);
    if (run->failed)
        return rc_fail(err, RC_ENOMEM, "%s: a record could not be encoded", j->path);
    RC_PASS(rc_owner_make(&me, err));
    rc_owner_put(&me, line);
    size_t owner_at = sizeof header + sizeof(rc_record_header_t) + rc_record_padded(run->len);
    size_t total = owner_at + sizeof(rc_record_header_t) + rc_record_padded(strlen(line));
    rc_status_t st = encode(j, sizeof header, RC_REC_RUN, run->data, run->len, err);
    if (st == RC_OK) {
        memcpy(j->buffer, &header, sizeof header);
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

rc_status_t rc_journal_append(
    rc_journal_t *j, rc_rec_type_t type, const rc_bytes_t *b, rc_err_t *err)
{
    if (b->failed || b->len > RC_RECORD_LONGEST)
        return rc_fail(err, RC_ENOMEM, "%s: a record could not be encoded", j->path);
    RC_PASS(encode(j, 0, type, b->data, b->len, err));
    RC_PASS(write_whole(j, j->buffer, sizeof(rc_record_header_t) + rc_record_padded(b->len), err));
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
        st = write_whole(j, j->buffer, sizeof(rc_record_header_t), err);
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
        rc_record_header_t h;
        int64_t payload;
    } r = {{RC_RECORD_MARK, (uint32_t)type, sizeof payload, j->seq, 0}, payload};
    r.h.checksum = rc_record_checksum(&r.h, (const unsigned char *)&r.payload);
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
    rc_bytes_free(&j->payload);
    free(j);
}

int64_t rc_journal_bytes(const rc_journal_t *j)
{
    return j->size;
}

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

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

rc_status_t rc_journal_list(const char *dir, char ***names, int64_t *count, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    void *list = NULL;
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
        if (!copy || rc_grow(&list, &capacity, n + 1, sizeof(char *), "journals", err) < 0) {
            free(copy);
            st = RC_ENOMEM;
            break;
        }
        ((char **)list)[n++] = copy;
    }
    if (d)
        closedir(d);
    if (st < 0) {
        rc_journal_names_free(list, (int64_t)n);
        return st;
    }
    if (n)
        qsort(list, n, sizeof(char *), by_name);
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
