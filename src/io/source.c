#include "config.h"
#include "io/mtx_stream.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { raw_bytes = 1 << 18, inflated_bytes = 1 << 20 };

struct rc_source {
    const char *path;
    int fd;
    int64_t bytes;           /* of a plain file; -1: something else */
    struct archive *archive; /* something else */
    char *raw;               /* [raw_bytes] of the file */
    char *inflated;          /* [inflated_bytes]; NULL when libarchive decodes the stream */
    z_stream z;              /* gzip only, so that length and check sum are verified, which
                                libarchive does not; its input is in raw */
    int between;             /* behind a member: another one, zero padding or the end may follow */
    int garbage;             /* something else does */
    int raw_ended;           /* no more input will come */
    int started;             /* the first bytes have been seen */
    int read_errno;          /* of a failed read(2) */
    int is_tar;
    int ended;
    const rc_source_limits_t *limits; /* NULL: a file that is trusted to be one of ours */
    int64_t decoded;                  /* bytes out of gzip */
    int too_large;                    /* decoded went over the limit */
    int matrices;                     /* members NAME/NAME.mtx seen; counted with limits only */
};

/* ---------------------------------------------------------- what is inside? */

static int is_gzip(const char *text, size_t n)
{
    return n >= 2 && memcmp(text, "\x1f\x8b", 2) == 0;
}

/* A frame of zstd that holds no data: pzstd begins a file with one. */
static int is_skippable(const char *text, size_t n)
{
    return n >= 4 && (text[0] & 0xf0) == 0x50 && memcmp(text + 1, "\x2a\x4d\x18", 3) == 0;
}

static int is_container(const char *text, size_t n)
{
    static const struct {
        size_t at;
        const char *bytes;
    } magic[] = {{0, "BZh"}, {0, "\3757zXZ"}, {0, "\x28\xb5\x2f\xfd"}, {257, "ustar"}};
    int is = is_gzip(text, n) || is_skippable(text, n);
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++) {
        size_t size = strlen(magic[i].bytes);
        is |= n >= magic[i].at + size && memcmp(text + magic[i].at, magic[i].bytes, size) == 0;
    }
    return is;
}

/* ------------------------------------------------------ bytes for libarchive */

/* read(2) behind the bytes that a buffer has until it is full or the file ends: pipes give little
 * at a time. */
static ssize_t read_behind(rc_source_t *s, char *buf, size_t got, size_t size)
{
    while (got < size) {
        ssize_t n = read(s->fd, buf + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            s->read_errno = errno;
            return -1;
        }
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

static ssize_t read_raw(rc_source_t *s)
{
    return read_behind(s, s->raw, 0, raw_bytes);
}

/* Pass over frames without data at the beginning, which hide from libarchive what the file is. */
static ssize_t pass_skippable(rc_source_t *s, ssize_t n)
{
    enum { head = 8, size_at = 4 };
    while (n >= head && is_skippable(s->raw, (size_t)n)) {
        size_t left = head;
        for (int i = 0; i < 4; i++)
            left += (size_t)(unsigned char)s->raw[size_at + i] << (8 * i);
        while (n > 0 && left >= (size_t)n) {
            left -= (size_t)n;
            n = read_raw(s);
        }
        if (n <= 0)
            break;
        memmove(s->raw, s->raw + left, (size_t)n - left);
        n = read_behind(s, s->raw, (size_t)n - left, raw_bytes);
    }
    return n;
}

static void give_raw(rc_source_t *s, ssize_t n)
{
    s->z.next_in = (Bytef *)s->raw;
    s->z.avail_in = (uInt)n;
    s->raw_ended = n == 0;
}

/* Between members: pass over zero padding; 1 when a member follows. */
static int next_member(rc_source_t *s)
{
    enum { magic = 0x1f }; /* the first byte of a member */
    while (s->z.avail_in > 0 && *s->z.next_in == 0) {
        s->z.next_in++;
        s->z.avail_in--;
    }
    s->garbage = s->z.avail_in > 0 && *s->z.next_in != magic;
    s->between = s->garbage || s->z.avail_in == 0 || inflateReset(&s->z) != Z_OK;
    return !s->between;
}

/* Decode until s->inflated is full or the file ends.  NULL, or what is wrong. */
static const char *fill_inflated(rc_source_t *s)
{
    z_stream *z = &s->z;
    z->next_out = (Bytef *)s->inflated;
    z->avail_out = inflated_bytes;
    while (z->avail_out > 0) {
        if (z->avail_in == 0 && !s->raw_ended) {
            ssize_t n = read_raw(s);
            if (n < 0)
                return "cannot read";
            give_raw(s, n);
        }
        if (s->between && !next_member(s)) {
            if (s->garbage || s->raw_ended)
                break;
            continue;
        }
        int code = inflate(z, Z_NO_FLUSH);
        s->between = code == Z_STREAM_END;
        if (code == Z_BUF_ERROR && z->avail_in == 0 && s->raw_ended)
            return "the gzip stream ends too early";
        if (code == Z_DATA_ERROR && z->msg)
            return z->msg;
        if (code == Z_MEM_ERROR)
            return "no memory to decode gzip";
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return "the gzip stream is damaged";
    }
    return NULL;
}

static ssize_t inflate_some(rc_source_t *s, struct archive *a)
{
    const char *problem = fill_inflated(s);
    size_t got = inflated_bytes - s->z.avail_out;
    s->decoded += (int64_t)got;
    if (!problem && s->limits && s->garbage)
        problem = "something else is behind the gzip stream";
    s->too_large = !problem && s->limits && s->decoded > s->limits->bytes;
    if (!problem && !s->too_large)
        return (ssize_t)got;
    archive_set_error(a, EILSEQ, "%s", problem ? problem : "too large");
    return -1;
}

static ssize_t next_bytes(struct archive *a, void *context, const void **buffer)
{
    rc_source_t *s = context;
    ssize_t n = s->inflated ? 0 : read_raw(s);
    if (!s->started && n > 0)
        n = pass_skippable(s, n);
    if (!s->started && n > 0 && is_gzip(s->raw, (size_t)n)) {
        enum { gzip_only = 16 };
        s->inflated = malloc(inflated_bytes);
        if (!s->inflated || inflateInit2(&s->z, MAX_WBITS + gzip_only) != Z_OK) {
            free(s->inflated);
            s->inflated = NULL;
            archive_set_error(a, ENOMEM, "no memory to decode gzip");
            return -1;
        }
        give_raw(s, n);
    }
    s->started = 1;
    *buffer = s->inflated ? s->inflated : s->raw;
    return s->inflated ? inflate_some(s, a) : n;
}

static rc_status_t archive_failed(const rc_source_t *s, rc_err_t *err)
{
    if (s->read_errno)
        return rc_fail_errno(err, RC_EIO, s->read_errno, "cannot read");
    if (s->too_large)
        return rc_fail(err, RC_EFORMAT,
            "the archive expands to more than the %" PRId64 " bytes that its matrix can take",
            s->limits->bytes);
    if (archive_errno(s->archive) == ENOMEM)
        return rc_fail(err, RC_ENOMEM, "no memory to decode");
    const char *text = archive_error_string(s->archive);
    return rc_fail(err, RC_EFORMAT, "the container is damaged or ends too early: %s",
        text ? text : "unknown cause");
}

/* ------------------------------------------------------------- tar members */

const char *const rc_mtx_tar_endings[] = {
    ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar", NULL};

/* The bytes of NAME in NAME.tar.gz and its like. */
static size_t stem(const char *base)
{
    size_t n = strlen(base);
    for (const char *const *ending = rc_mtx_tar_endings; *ending; ending++) {
        size_t e = strlen(*ending);
        if (n > e && strcmp(base + n - e, *ending) == 0)
            return n - e;
    }
    return n;
}

/* Whether a member's path is NAME or below NAME/ and stays there. */
static int is_below(const char *path, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(path, name, n) != 0 || (path[n] != '/' && path[n] != '\0'))
        return 0;
    for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/'))
        if (strncmp(p, "/..", 3) == 0 && (p[3] == '/' || p[3] == '\0'))
            return 0;
    return 1;
}

/* With limits: whether a member is of a kind, name and size that an archive of the collection has.
 */
static rc_status_t check_member(rc_source_t *s, struct archive_entry *entry, rc_err_t *err)
{
    const rc_source_limits_t *l = s->limits;
    const char *path = archive_entry_pathname(entry);
    if (!l)
        return RC_OK;
    if (!path)
        return rc_fail(err, RC_EFORMAT, "a member of the archive has no readable name");
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry) ||
        (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != AE_IFDIR))
        return rc_fail(err, RC_EFORMAT,
            "expected files and folders in the archive, found a link or device '%.100s'", path);
    if (strncmp(path, "./", 2) == 0)
        path += 2;
    if (!*path)
        return RC_OK;
    if (!is_below(path, l->name))
        return rc_fail(err, RC_EFORMAT,
            "expected members below '%s/' in the archive, found '%.100s'", l->name, path);
    if (archive_entry_size(entry) > l->bytes)
        return rc_fail(err, RC_EFORMAT,
            "the member '%.100s' has %" PRId64 " bytes, its matrix can take %" PRId64 " at most",
            path, (int64_t)archive_entry_size(entry), l->bytes);
    size_t n = strlen(l->name);
    int is_matrix = path[n] == '/' && strncmp(path + n + 1, l->name, n) == 0 &&
                    strcmp(path + 2 * n + 1, ".mtx") == 0;
    if (is_matrix && s->matrices++ > 0)
        return rc_fail(err, RC_EFORMAT,
            "expected the member '%.100s' once in the archive, found it twice", path);
    return RC_OK;
}

/* Step to the member NAME/NAME.mtx; others (right-hand sides, coordinates) are passed over. */
static rc_status_t find_member(rc_source_t *s, struct archive_entry *entry, rc_err_t *err)
{
    enum { named = 4 };
    rc_str_t seen = {0};
    rc_status_t st = RC_OK;
    int count = 0;
    const char *slash = strrchr(s->path, '/');
    const char *name = s->limits ? s->limits->name : slash ? slash + 1 : s->path;
    int n = (int)(s->limits ? strlen(name) : stem(name));
    char *wanted = rc_strf("a member's name", err, "%.*s/%.*s.mtx", n, name, n, name);
    RC_PASS(wanted ? RC_OK : RC_ENOMEM);
    for (;;) {
        RC_TRY(check_member(s, entry, err));
        const char *path = archive_entry_pathname(entry);
        if (path && strncmp(path, "./", 2) == 0)
            path += 2;
        if (path && strcmp(path, wanted) == 0 && archive_entry_filetype(entry) == AE_IFREG)
            goto done;
        if (path && count++ < named)
            rc_str_addf(&seen, "%s%.60s", seen.len ? ", " : "", path);
        int code = archive_read_next_header(s->archive, &entry);
        if (code == ARCHIVE_EOF)
            break;
        if (code < ARCHIVE_WARN) {
            st = archive_failed(s, err);
            goto done;
        }
    }
    st = rc_fail(err, RC_EFORMAT, "expected a member '%s' in the tar file, found %s%s", wanted,
        seen.len ? seen.text : "none", count > named ? ", ..." : "");
done:
    free(wanted);
    rc_str_free(&seen);
    return st;
}

/* --------------------------------------------------------------------- open */

static rc_status_t open_archive(rc_source_t *s, rc_err_t *err)
{
    struct archive *a = archive_read_new();
    s->raw = malloc(raw_bytes);
    s->archive = a;
    if (!a || !s->raw)
        return rc_fail(err, RC_ENOMEM, "no memory to decode");
    /* ARCHIVE_WARN: decoded by an external program, which is refused when it is missing */
    if (archive_read_support_filter_xz(a) < ARCHIVE_WARN ||
        archive_read_support_filter_zstd(a) < ARCHIVE_WARN ||
        archive_read_support_filter_bzip2(a) < ARCHIVE_WARN ||
        archive_read_support_format_tar(a) < ARCHIVE_WARN ||
        archive_read_support_format_raw(a) < ARCHIVE_WARN ||
        archive_read_support_format_empty(a) < ARCHIVE_WARN)
        return archive_failed(s, err);
    struct archive_entry *entry;
    if (archive_read_open(a, s, NULL, next_bytes, NULL) != ARCHIVE_OK)
        return archive_failed(s, err);
    int code = archive_read_next_header(a, &entry);
    if (code == ARCHIVE_EOF) {
        s->ended = 1;
        return RC_OK;
    }
    if (code < ARCHIVE_WARN)
        return archive_failed(s, err);
    s->is_tar = archive_format(a) != ARCHIVE_FORMAT_RAW;
    if (s->limits && (!s->inflated || !s->is_tar))
        return rc_fail(err, RC_EFORMAT, "expected a tar file compressed with gzip, found %s",
            s->inflated ? "something else in gzip" : "something else");
    return s->is_tar ? find_member(s, entry, err) : RC_OK;
}

static rc_status_t open_file(rc_source_t *s, rc_err_t *err)
{
    struct stat info;
    RC_PASS(rc_open_unnamed(s->path, &s->fd, err));
    if (fstat(s->fd, &info) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot stat");
    if (!S_ISREG(info.st_mode))
        return open_archive(s, err);
    enum { tar_block = 512 };
    char head[tar_block];
    ssize_t n = pread(s->fd, head, sizeof head, 0);
    if (n < 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot read");
    if (s->limits && !is_gzip(head, (size_t)n)) {
        int shown = 0;
        while (shown < (int)n && shown < 40 && head[shown] >= ' ' && head[shown] <= '~')
            shown++;
        return rc_fail(err, RC_EFORMAT, "expected a .tar.gz archive, found '%.*s'%s", shown, head,
            n == 0 ? " (an empty file)" : "");
    }
    if (is_container(head, (size_t)n))
        return open_archive(s, err);
    s->bytes = (int64_t)info.st_size;
    return RC_OK;
}

rc_status_t rc_source_open(const char *path, const rc_source_limits_t *limits, rc_source_t **out,
    int64_t *bytes, rc_err_t *err)
{
    rc_source_t *s = rc_alloc0(1, sizeof *s, "a matrix file", err);
    RC_PASS(s ? RC_OK : RC_ENOMEM);
    s->path = path;
    s->limits = limits;
    s->fd = -1;
    s->bytes = -1;
    rc_status_t st = open_file(s, err);
    if (st < 0) {
        rc_source_close(s);
        return st;
    }
    *out = s;
    *bytes = s->bytes;
    return RC_OK;
}

void rc_source_close(rc_source_t *s)
{
    if (!s)
        return;
    if (s->archive)
        archive_read_free(s->archive);
    if (s->inflated)
        inflateEnd(&s->z);
    free(s->raw);
    free(s->inflated);
    if (s->fd >= 0)
        close(s->fd);
    free(s);
}

/* --------------------------------------------------------------------- read */

const char *rc_source_ignored(const rc_source_t *s)
{
    return s->garbage ? "what is behind the gzip stream is no gzip, and was ignored" : NULL;
}

/* After the last byte: run through the rest of the container, so that its check sums are seen. */
static rc_status_t finish(rc_source_t *s, rc_err_t *err)
{
    s->ended = 1;
    struct archive_entry *entry;
    int code = ARCHIVE_OK;
    while (s->is_tar && code >= ARCHIVE_WARN && code != ARCHIVE_EOF) {
        code = archive_read_next_header(s->archive, &entry);
        rc_status_t st =
            code >= ARCHIVE_WARN && code != ARCHIVE_EOF ? check_member(s, entry, err) : RC_OK;
        if (st < 0)
            return st;
    }
    if (code < ARCHIVE_WARN)
        return archive_failed(s, err);
    /* libarchive stops at the end mark of a tar file: gzip's trailer is still ahead */
    ssize_t n = 1;
    while (s->inflated && n > 0)
        n = inflate_some(s, s->archive);
    return n < 0 ? archive_failed(s, err) : RC_OK;
}

rc_status_t rc_source_read(rc_source_t *s, char *buf, size_t size, size_t *got, rc_err_t *err)
{
    size_t filled = 0;
    if (s->bytes >= 0) {
        ssize_t n = read_behind(s, buf, 0, size);
        *got = n < 0 ? 0 : (size_t)n;
        return n < 0 ? rc_fail_errno(err, RC_EIO, s->read_errno, "cannot read") : RC_OK;
    }
    while (filled < size && !s->ended) {
        la_ssize_t n = archive_read_data(s->archive, buf + filled, size - filled);
        if (n == ARCHIVE_RETRY)
            continue;
        if (n < 0)
            return archive_failed(s, err);
        if (n == 0) {
            RC_PASS(finish(s, err));
        }
        filled += (size_t)n;
    }
    *got = filled;
    return RC_OK;
}
