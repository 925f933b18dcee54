#include "config.h"
#include "store/journal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct file_header {
    char magic[8];
    uint64_t order; /* reads back differently on a machine of the other byte order */
} file_header_t;

typedef struct record_header {
    uint32_t mark;
    uint32_t type;
    uint32_t length;
    uint32_t seq;
    uint64_t checksum;
} record_header_t;

static const file_header_t expected_header = {"RCJRNL\0\1", UINT64_C(0x0102030405060708)};

enum {
    record_mark = 0x44524352, /* "RCRD" */
    checked_bytes = 16,       /* of the record header, covered by the checksum */
    longest_payload = 1 << 28,
};
static const int64_t sync_interval_ns = INT64_C(1000000000);

struct rc_journal {
    int fd;
    char *path;
    int64_t size; /* end of the last whole record */
    uint32_t seq;
    int64_t synced_ns; /* when it was synced last */
    int dirty;
    unsigned char *buffer; /* header and payload, so that one write() takes both */
    size_t capacity;
};

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* header and payload lie apart when a record is written, together when it is read */
static uint64_t checksum(const record_header_t *h, const unsigned char *payload)
{
    rc_digest_t head = rc_digest(h, checked_bytes);
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

/* Between open and flock a reader may take the new file for one whose owner is gone, lock it and
 * remove it: then it is made again. */
static rc_status_t create_locked(rc_journal_t *j, rc_err_t *err)
{
    for (;;) {
        struct stat s;
        j->fd = open(j->path, O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
        if (j->fd < 0)
            return rc_fail_errno(err, RC_EIO, errno, "%s: cannot create the journal", j->path);
        if (flock(j->fd, LOCK_EX) != 0)
            return rc_fail_errno(err, RC_EIO, errno,
                "%s: cannot lock (put the store on a file system with flock)", j->path);
        if (fstat(j->fd, &s) == 0 && s.st_nlink > 0)
            return RC_OK;
        close(j->fd);
        j->fd = -1;
    }
}

rc_status_t rc_journal_create(
    const char *dir, const rc_rec_run_t *run, rc_journal_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_bytes_t b = {0};
    rc_str_t path = {0};
    rc_journal_t *j = rc_alloc0(1, sizeof *j, "a journal", err);
    if (!j)
        return RC_ENOMEM;
    j->fd = -1;
    rc_str_addf(&path, "%s/%s.%05d.rcj", dir, run->uuid, run->rank);
    if (path.failed) {
        rc_str_free(&path);
        free(j);
        return rc_fail(err, RC_ENOMEM, "no memory for the name of a journal");
    }
    j->path = path.text;
    RC_TRY(create_locked(j, err));
    RC_TRY(write_whole(j, &expected_header, sizeof expected_header, err));
    rc_rec_put_run(&b, run);
    RC_TRY(rc_journal_append(j, RC_REC_RUN, &b, err));
    RC_TRY(rc_journal_sync(j, err));
    *out = j;
    j = NULL;
done:
    rc_bytes_free(&b);
    rc_journal_close(j);
    return st;
}

rc_status_t rc_journal_append(
    rc_journal_t *j, rc_rec_type_t type, const rc_bytes_t *b, rc_err_t *err)
{
    if (b->failed || b->len > longest_payload)
        return rc_fail(err, RC_ENOMEM, "%s: a record could not be encoded", j->path);
    size_t total = sizeof(record_header_t) + padded(b->len);
    void *buffer = j->buffer;
    if (rc_grow(&buffer, &j->capacity, total, 1, "a journal record", err) < 0)
        return RC_ENOMEM;
    j->buffer = buffer;
    record_header_t h = {record_mark, (uint32_t)type, (uint32_t)b->len, j->seq, 0};
    h.checksum = checksum(&h, b->data);
    memcpy(j->buffer, &h, sizeof h);
    if (b->len)
        memcpy(j->buffer + sizeof h, b->data, b->len);
    memset(j->buffer + sizeof h + b->len, 0, padded(b->len) - b->len);
    rc_status_t st = write_whole(j, j->buffer, total, err);
    if (st < 0)
        return st;
    j->seq++;
    if (rc_clock_ns() - j->synced_ns >= sync_interval_ns)
        return rc_journal_sync(j, err);
    return RC_OK;
}

rc_status_t rc_journal_sync(rc_journal_t *j, rc_err_t *err)
{
    if (j->dirty && fdatasync(j->fd) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot sync", j->path);
    j->dirty = 0;
    j->synced_ns = rc_clock_ns();
    return RC_OK;
}

void rc_journal_died(rc_journal_t *j, int signal_number)
{
    int64_t payload = signal_number;
    struct {
        record_header_t h;
        int64_t payload;
    } r = {{record_mark, RC_REC_DIED, sizeof payload, j->seq, 0}, payload};
    r.h.checksum = checksum(&r.h, (const unsigned char *)&r.payload);
    if (write(j->fd, &r, sizeof r) == (ssize_t)sizeof r)
        j->seq++;
}

void rc_journal_close(rc_journal_t *j)
{
    if (!j)
        return;
    if (j->fd >= 0) {
        if (j->dirty)
            (void)fdatasync(j->fd);
        close(j->fd);
    }
    free(j->path);
    free(j->buffer);
    free(j);
}

struct rc_journal_view {
    int fd;
    const unsigned char *data;
    int64_t size;
    int64_t at;
    int64_t valid_end; /* behind the last valid record */
    int64_t damage;
    int64_t damage_offset; /* first damaged byte, -1 none */
};

rc_status_t rc_journal_open(const char *path, int *dead, rc_journal_view_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    struct stat s;
    rc_journal_view_t *v = rc_alloc0(1, sizeof *v, "a journal", err);
    if (!v)
        return RC_ENOMEM;
    v->damage_offset = -1;
    /* some network file systems give an exclusive lock only to who may write */
    v->fd = open(path, O_RDWR | O_CLOEXEC);
    if (v->fd < 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
        v->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (v->fd < 0) {
        st = rc_fail_errno(
            err, errno == ENOENT ? RC_ENOENT : RC_EIO, errno, "%s: cannot open", path);
        goto done;
    }
    /* a shared lock is enough to see that no owner holds an exclusive one, and is to be had on a
     * file that is open for reading also where locks are emulated.  The lock first: a journal that
     * is dead now does not grow after its size was read */
    *dead = flock(v->fd, LOCK_SH | LOCK_NB) == 0;
    if (fstat(v->fd, &s) != 0) {
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot stat", path);
        goto done;
    }
    v->size = s.st_size;
    if (v->size > 0) {
        void *p = mmap(NULL, (size_t)v->size, PROT_READ, MAP_PRIVATE, v->fd, 0);
        if (p == MAP_FAILED) {
            v->size = 0;
            st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot map", path);
            goto done;
        }
        v->data = p;
    }
    /* a process killed at its very start leaves a short file, which holds nothing */
    if (v->size >= (int64_t)sizeof expected_header &&
        memcmp(v->data, &expected_header, sizeof expected_header) != 0) {
        st = rc_fail(err, RC_ESTORE,
            "%s: expected a rowcast journal of this byte order and version, found something else; "
            "move it away to go on without it",
            path);
        goto done;
    }
    v->at = v->valid_end =
        v->size < (int64_t)sizeof expected_header ? v->size : (int64_t)sizeof expected_header;
    *out = v;
    v = NULL;
done:
    rc_journal_view_close(v);
    return st;
}

static int valid_at(const rc_journal_view_t *v, int64_t at, record_header_t *h)
{
    if (v->size - at < (int64_t)sizeof *h)
        return 0;
    memcpy(h, v->data + at, sizeof *h);
    if (h->mark != record_mark || h->length > longest_payload)
        return 0;
    if (v->size - at - (int64_t)sizeof *h < (int64_t)padded(h->length))
        return 0;
    return h->checksum == checksum(h, v->data + at + sizeof *h);
}

int rc_journal_next(rc_journal_view_t *v, rc_record_t *out)
{
    record_header_t h;
    /* records start at multiples of 8: after damage the next valid one is looked for there */
    for (; v->at < v->size; v->at += 8) {
        if (!valid_at(v, v->at, &h))
            continue;
        if (v->at > v->valid_end) {
            if (v->damage_offset < 0)
                v->damage_offset = v->valid_end;
            v->damage += v->at - v->valid_end;
        }
        out->type = (rc_rec_type_t)h.type;
        out->seq = h.seq;
        out->payload = v->data + v->at + sizeof h;
        out->len = h.length;
        v->at += (int64_t)(sizeof h + padded(h.length));
        v->valid_end = v->at;
        out->end = v->at;
        return 1;
    }
    return 0;
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
    if (v->data)
        munmap((void *)(uintptr_t)v->data, (size_t)v->size);
    if (v->fd >= 0)
        close(v->fd);
    free(v);
}

char *rc_journal_dir(const char *store, rc_err_t *err)
{
    rc_str_t s = {0};
    rc_str_addf(&s, "%s.journal", store);
    if (s.failed) {
        rc_str_free(&s);
        rc_fail(err, RC_ENOMEM, "no memory for the name of the journal folder");
        return NULL;
    }
    return s.text;
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
