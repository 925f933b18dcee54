#include "config.h"
#include "store/seal.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/error.h"
#include "store/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEAL_BLOCK = 1 << 20, SEAL_VERSION = 1 };
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

typedef struct footer {
    char magic[7];
    unsigned char version;
    uint64_t byte_order;
    int64_t body;
    int64_t block;
    int64_t blocks;
    int64_t reserved;
    rc_digest_t digest; /* of the digests, then of the footer before it */
} footer_t;
_Static_assert(sizeof(footer_t) == 64, "the footer has padding");
static const char magic[7] = "RCSEAL";

static rc_status_t footer_digest(
    const rc_digest_t *list, const footer_t *f, rc_digest_t *out, rc_err_t *err)
{
    rc_hasher_t *h = rc_hasher_new(err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    rc_hasher_add(h, list, (size_t)f->blocks * sizeof *list);
    rc_hasher_add(h, f, offsetof(footer_t, digest));
    *out = rc_hasher_digest(h);
    rc_hasher_free(h);
    return RC_OK;
}

static int64_t blocks_of(int64_t body, int64_t block)
{
    return body > 0 ? (body - 1) / block + 1 : 0;
}

/* The digests and the footer; *list is NULL when there is no seal. */
static rc_status_t load(
    int fd, const char *path, rc_digest_t **list, footer_t *f, int64_t *size, rc_err_t *err)
{
    struct stat s;
    rc_digest_t expected;
    rc_digest_t *p = NULL;
    *list = NULL;
    if (fstat(fd, &s) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot stat", path);
    *size = s.st_size;
    if (s.st_size < (off_t)sizeof *f)
        return RC_OK;
    rc_status_t st =
        rc_read_at(fd, path, f, (int64_t)sizeof *f, s.st_size - (int64_t)sizeof *f, err);
    if (st < 0 || memcmp(f->magic, magic, sizeof magic) != 0)
        return st;
    if (f->version != SEAL_VERSION || f->byte_order != byte_order)
        return rc_fail(err, RC_ESTORE,
            "%s: expected a seal of version %d in this byte order at its end, found version %d",
            path, SEAL_VERSION, (int)f->version);
    /* each number is bounded before it is used: they may be anything */
    if (f->body < 0 || f->body > s.st_size || f->block < 1 || f->blocks < 0 ||
        f->blocks > s.st_size / (int64_t)sizeof *p || f->blocks != blocks_of(f->body, f->block) ||
        f->body + f->blocks * (int64_t)sizeof *p + (int64_t)sizeof *f != s.st_size)
        return rc_fail(err, RC_ESTORE,
            "%s: the seal at its end does not fit its size of %" PRId64 " bytes: it is damaged",
            path, (int64_t)s.st_size);
    p = rc_alloc((size_t)f->blocks, sizeof *p, "the digests of a store", err);
    RC_PASS(p ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_read_at(fd, path, p, f->blocks * (int64_t)sizeof *p, f->body, err));
    RC_TRY(footer_digest(p, f, &expected, err));
    if (rc_digest_compare(&expected, &f->digest) != 0)
        RC_TRY(rc_fail(err, RC_ESTORE, "%s: the digests at its end are damaged", path));
    *list = p;
    p = NULL;
done:
    free(p);
    return st;
}

static rc_status_t load_seal(
    int fd, const char *path, rc_digest_t **list, rc_seal_t *out, rc_err_t *err)
{
    footer_t f;
    int64_t size = 0;
    RC_PASS(load(fd, path, list, &f, &size, err));
    *out = (rc_seal_t){.body = size};
    if (*list)
        *out = (rc_seal_t){.present = 1, .body = f.body, .block = f.block, .blocks = f.blocks};
    return RC_OK;
}

rc_status_t rc_seal_find(int fd, const char *path, rc_seal_t *out, rc_err_t *err)
{
    rc_digest_t *list = NULL;
    rc_status_t st = load_seal(fd, path, &list, out, err);
    free(list);
    return st;
}

static int64_t bytes_of(const rc_seal_t *s, int64_t i)
{
    int64_t left = s->body - i * s->block;
    return left < s->block ? left : s->block;
}

rc_status_t rc_seal_check(
    int fd, const char *path, rc_seal_bad_fn *bad, void *user, rc_seal_t *out, rc_err_t *err)
{
    rc_digest_t *list = NULL;
    char *buffer = NULL;
    int64_t first = -1; /* of the bad stretch that is being read */
    rc_status_t st = load_seal(fd, path, &list, out, err);
    if (st < 0 || !list)
        return st;
    buffer = rc_alloc(
        (size_t)(out->block < out->body ? out->block : out->body), 1, "a block of a store", err);
    RC_TRY(buffer ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < out->blocks; i++) {
        int64_t at = i * out->block;
        int64_t n = bytes_of(out, i);
        RC_TRY(rc_read_at(fd, path, buffer, n, at, err));
        rc_digest_t found = rc_digest(buffer, (size_t)n);
        int is_bad = rc_digest_compare(&found, &list[i]) != 0;
        if (is_bad && !bad)
            RC_TRY(rc_fail(err, RC_ESTORE,
                "%s: bytes %" PRId64 " to %" PRId64
                " are not what was written: the file is damaged; use a copy of it",
                path, at, at + n - 1));
        if (is_bad && first < 0)
            first = at;
        if (first >= 0 && !is_bad)
            bad(user, first, at - first);
        first = is_bad ? first : -1;
    }
    if (first >= 0)
        bad(user, first, out->body - first);
done:
    free(buffer);
    free(list);
    return st;
}

rc_status_t rc_store_check(const char *path, int *sealed, rc_err_t *err)
{
    struct stat s;
    rc_seal_t seal;
    if (!path || !sealed)
        return rc_fail(err, RC_EINVAL, "%s: expected one, found NULL", path ? "sealed" : "path");
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe would wait */
    if (fd < 0)
        return rc_fail_errno(
            err, errno == ENOENT ? RC_ENOENT : RC_EIO, errno, "%s: cannot open the store", path);
    rc_status_t st =
        fstat(fd, &s) == 0 && S_ISREG(s.st_mode)
            ? rc_seal_check(fd, path, NULL, NULL, &seal, err)
            : rc_fail(err, RC_ESTORE, "%s: expected a store, found no regular file", path);
    close(fd);
    if (st == RC_OK)
        *sealed = seal.present;
    return st;
}

rc_status_t rc_seal_write(const char *path, rc_err_t *err)
{
    struct stat s;
    rc_status_t st = RC_OK;
    rc_digest_t *list = NULL;
    char *buffer = NULL;
    footer_t f = {.version = SEAL_VERSION, .byte_order = byte_order, .block = SEAL_BLOCK};
    memcpy(f.magic, magic, sizeof magic);
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0)
        RC_TRY(rc_fail_errno(err, RC_EIO, errno, "%s: cannot open", path));
    f.body = s.st_size;
    f.blocks = blocks_of(f.body, f.block);
    list = rc_alloc((size_t)f.blocks, sizeof *list, "the digests of a store", err);
    buffer = rc_alloc(SEAL_BLOCK, 1, "a block of a store", err);
    RC_TRY(list && buffer ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < f.blocks; i++) {
        int64_t left = f.body - i * f.block;
        int64_t n = left < f.block ? left : f.block;
        RC_TRY(rc_read_at(fd, path, buffer, n, i * f.block, err));
        list[i] = rc_digest(buffer, (size_t)n);
    }
    RC_TRY(footer_digest(list, &f, &f.digest, err));
    RC_TRY(rc_write_at(fd, path, list, (size_t)f.blocks * sizeof *list, f.body, err));
    RC_TRY(rc_write_at(fd, path, &f, sizeof f, f.body + f.blocks * (int64_t)sizeof *list, err));
done:
    if (fd >= 0 && close(fd) != 0 && st == RC_OK)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot close", path);
    free(buffer);
    free(list);
    return st;
}
