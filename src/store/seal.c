#include "config.h"
#include "store/seal.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/open.h"

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

/* The digests, and what the footer says; *list is NULL when there is no seal. */
static rc_status_t load_seal(
    int fd, const char *path, rc_digest_t **list, rc_seal_t *out, rc_err_t *err)
{
    struct stat s;
    footer_t f;
    rc_digest_t expected;
    rc_digest_t *p = NULL;
    *list = NULL;
    if (fstat(fd, &s) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot stat", path);
    *out = (rc_seal_t){.body = s.st_size};
    if (s.st_size < (off_t)sizeof f)
        return RC_OK;
    rc_status_t st =
        rc_read_at(fd, path, &f, (int64_t)sizeof f, s.st_size - (int64_t)sizeof f, err);
    if (st < 0 || memcmp(f.magic, magic, sizeof magic) != 0)
        return st;
    if (f.version != SEAL_VERSION || f.byte_order != byte_order)
        return rc_fail(err, RC_ESTORE,
            "%s: expected a seal of version %d in this byte order at its end, found version %d",
            path, SEAL_VERSION, (int)f.version);
    /* each number is bounded before it is used: they may be anything */
    if (f.body < 0 || f.body > s.st_size || f.block < 1 || f.blocks < 0 ||
        f.blocks > s.st_size / (int64_t)sizeof *p || f.blocks != blocks_of(f.body, f.block) ||
        f.body + f.blocks * (int64_t)sizeof *p + (int64_t)sizeof f != s.st_size)
        return rc_fail(err, RC_ESTORE,
            "%s: the seal at its end does not fit its size of %" PRId64 " bytes: it is damaged",
            path, (int64_t)s.st_size);
    RC_PASS(RC_NEW(p, f.blocks, "the digests of a store", err));
    RC_TRY(rc_read_at(fd, path, p, f.blocks * (int64_t)sizeof *p, f.body, err));
    RC_TRY(footer_digest(p, &f, &expected, err));
    if (rc_digest_compare(&expected, &f.digest) != 0)
        RC_TRY(rc_fail(err, RC_ESTORE, "%s: the digests at its end are damaged", path));
    *out = (rc_seal_t){.present = 1, .body = f.body, .block = f.block, .blocks = f.blocks};
    *list = p;
    p = NULL;
done:
    free(p);
    return st;
}

rc_status_t rc_seal_find(int fd, const char *path, rc_seal_t *out, rc_err_t *err)
{
    rc_digest_t *list = NULL;
    rc_status_t st = load_seal(fd, path, &list, out, err);
    free(list);
    return st;
}

/* The digests of the blocks of a body. */
static rc_status_t digest_blocks(
    int fd, const char *path, int64_t body, int64_t block, rc_digest_t *out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    char *buffer = rc_alloc((size_t)(block < body ? block : body), 1, "a block of a store", err);
    RC_PASS(buffer ? RC_OK : RC_ENOMEM);
    for (int64_t at = 0; at < body && st == RC_OK; at += block, out++) {
        int64_t n = body - at < block ? body - at : block;
        st = rc_read_at(fd, path, buffer, n, at, err);
        if (st == RC_OK)
            *out = rc_digest(buffer, (size_t)n);
    }
    free(buffer);
    return st;
}

rc_status_t rc_seal_check(
    int fd, const char *path, rc_seal_bad_fn *bad, void *user, rc_seal_t *out, rc_err_t *err)
{
    rc_digest_t *list = NULL;
    rc_status_t st = load_seal(fd, path, &list, out, err);
    if (st < 0 || !list)
        return st;
    rc_digest_t *found = rc_alloc((size_t)out->blocks, sizeof *found, "digests of a store", err);
    RC_TRY(found ? RC_OK : RC_ENOMEM);
    RC_TRY(digest_blocks(fd, path, out->body, out->block, found, err));
    for (int64_t i = 0; i < out->blocks; i++) {
        int64_t first = i * out->block;
        if (rc_digest_compare(&found[i], &list[i]) == 0)
            continue;
        while (bad && i + 1 < out->blocks && rc_digest_compare(&found[i + 1], &list[i + 1]) != 0)
            i++;
        int64_t end = i + 1 < out->blocks ? (i + 1) * out->block : out->body;
        if (bad)
            bad(user, first, end - first);
        else
            RC_TRY(rc_fail(err, RC_ESTORE,
                "%s: bytes %" PRId64 " to %" PRId64
                " are not what was written: the file is damaged; use a copy of it",
                path, first, end - 1));
    }
done:
    free(found);
    free(list);
    return st;
}

rc_status_t rc_seal_check_file(const char *path, rc_seal_t *out, rc_err_t *err)
{
    int fd;
    RC_PASS(rc_open_file(path, RC_OPEN_READ, 0, &fd, err));
    rc_status_t st = rc_seal_check(fd, path, NULL, NULL, out, err);
    close(fd);
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
    footer_t f = {.version = SEAL_VERSION, .byte_order = byte_order, .block = SEAL_BLOCK};
    memcpy(f.magic, magic, sizeof magic);
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0)
        RC_TRY(rc_fail_errno(err, RC_EIO, errno, "%s: cannot open", path));
    f.body = s.st_size;
    f.blocks = blocks_of(f.body, f.block);
    RC_TRY(RC_NEW(list, f.blocks, "the digests of a store", err));
    RC_TRY(digest_blocks(fd, path, f.body, f.block, list, err));
    RC_TRY(footer_digest(list, &f, &f.digest, err));
    RC_TRY(rc_write_at(fd, path, list, (size_t)f.blocks * sizeof *list, f.body, err));
    RC_TRY(rc_write_at(fd, path, &f, sizeof f, f.body + f.blocks * (int64_t)sizeof *list, err));
done:
    if (fd >= 0 && close(fd) != 0 && st == RC_OK)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot close", path);
    free(list);
    return st;
}
