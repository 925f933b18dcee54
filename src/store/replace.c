#include "config.h"
#include "store/replace.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "store/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ------------------------------------------------------------------- the bytes of it */

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

/* Write the contents of `whole` into `target`, sync them, and read both again.  Blocks that are the
 * same are not written.  A kill at any instant leaves `whole`, from which it can be done again.
 * \param[out] touched  0: it failed with the target as it was */
static rc_status_t write_in_place(
    const char *whole, const char *target, int *touched, rc_err_t *err)
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

/* ---------------------------------------------------------------------- beside it */

static char *whole_of(const char *target, rc_err_t *err)
{
    return rc_strf("the name of a copy", err, "%s.whole", target);
}

/* The time of change of a copy, which tells it from a file that somebody gave that name. */
static const struct timespec mark[2] = {{.tv_sec = 1 << 30}, {.tv_sec = 1 << 30}};

/* A copy that this user, the owner of the store or the superuser made: others may have planted
 * theirs. */
static int is_ours(const char *whole, const char *target)
{
    struct stat w;
    struct stat t;
    return lstat(whole, &w) == 0 && S_ISREG(w.st_mode) && w.st_mtim.tv_sec == mark[1].tv_sec &&
           (w.st_uid == geteuid() || w.st_uid == 0 ||
               (stat(target, &t) == 0 && t.st_uid == w.st_uid));
}

/* 1: the file has a seal, and its bytes are those that were sealed. */
static rc_status_t is_whole(const char *path, int *is, rc_err_t *err)
{
    rc_seal_t seal = {0};
    rc_status_t st = rc_seal_check_file(path, &seal, err);
    *is = st == RC_OK && seal.present;
    return st == RC_ESTORE ? RC_OK : st;
}

/* A copy stands for a store that is not whole, and for no other: what else has its name is
 * somebody's file. */
static int stands_for(const char *whole, const char *target)
{
    int sound = 0;
    int is = 0;
    return is_ours(whole, target) && is_whole(target, &sound, NULL) == RC_OK && !sound &&
           is_whole(whole, &is, NULL) == RC_OK && is;
}

rc_status_t rc_replace_readable(const char *target, char **out, rc_err_t *err)
{
    char *real = realpath(target, NULL);
    *out = whole_of(real ? real : target, err);
    if (*out && !stands_for(*out, real ? real : target)) {
        free(*out);
        *out = rc_strdup(target, err);
    }
    free(real);
    return *out ? RC_OK : RC_ENOMEM;
}

static rc_status_t put_back(const char *whole, const char *target, rc_err_t *err)
{
    int touched;
    if (access(target, F_OK) == 0)
        return write_in_place(whole, target, &touched, err);
    if (rename(whole, target) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot rename %s to it", target, whole);
    (void)utimensat(AT_FDCWD, target, NULL, 0);
    return rc_sync_folder_of(target, err);
}

static rc_status_t drop_whole(const char *whole, rc_err_t *err)
{
    return unlink(whole) == 0 || errno == ENOENT
               ? RC_OK
               : rc_fail_errno(err, RC_EIO, errno, "%s: cannot remove", whole);
}

rc_status_t rc_replace_finish(const char *target, rc_err_t *err)
{
    rc_err_t why = {0};
    int sound = 0;
    int is = 0;
    char *whole = whole_of(target, err);
    rc_status_t st = whole ? RC_OK : RC_ENOMEM;
    if (!whole || !is_ours(whole, target))
        goto done;
    RC_TRY(is_whole(whole, &is, &why));
    if (access(target, F_OK) == 0)
        RC_TRY(is_whole(target, &sound, &why));
    if (!sound && !is)
        st = rc_fail(&why, RC_ESTORE, "%s: neither it nor %s is whole", target, whole);
    else if (!sound)
        st = put_back(whole, target, &why);
    if (st == RC_OK)
        st = drop_whole(whole, &why);
done:
    free(whole);
    if (st < 0 && err && why.status < 0)
        *err = why;
    return st;
}

/* ---------------------------------------------------------------------- in its place */

/* 1: another file system is mounted there, on the file alone; 0: none, or it is not known. */
static int is_mount(const char *path)
{
#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx s;
    return statx(AT_FDCWD, path, 0, STATX_TYPE, &s) == 0 &&
           (s.stx_attributes & STATX_ATTR_MOUNT_ROOT);
#else
    (void)path;
    return 0;
#endif
}

/* Who else may read and write it, beyond its permissions. */
static int take_list(int fd, const char *path)
{
    static const char name[] = "system.posix_acl_access";
    char list[4096];
    ssize_t n = getxattr(path, name, list, sizeof list);
    if (n >= 0)
        return fsetxattr(fd, name, list, (size_t)n, 0) == 0;
    if (errno == ENODATA) /* nor may it have one of its folder */
        return fremovexattr(fd, name) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
    return errno != ERANGE;
}

/* Give an open file owner, group, permissions and access list of another one.  What is right
 * already is left alone: some file systems refuse to set even that.
 * \return NULL, or what it cannot be given */
static const char *take_attributes(int fd, const char *path, const struct stat *there)
{
    static const mode_t permissions = 07777;
    struct stat s;
    if (fstat(fd, &s) != 0)
        return "its copy cannot be looked at";
    if ((s.st_uid != there->st_uid || s.st_gid != there->st_gid) &&
        fchown(fd, there->st_uid, there->st_gid) != 0)
        return "its owner and group cannot be given to another file";
    if (fstat(fd, &s) != 0 || ((s.st_mode & permissions) != (there->st_mode & permissions) &&
                                  fchmod(fd, there->st_mode & permissions) != 0))
        return "its permissions cannot be given to another file";
    return take_list(fd, path) ? NULL : "its access list cannot be given to another file";
}

/* Why no rename may be tried; NULL: it may. */
static const char *keeps_its_place(int fresh, const char *target, const struct stat *there)
{
    if (there->st_nlink > 1)
        return "it has other names (hard links), which would keep the old contents";
    if (is_mount(target))
        return "it is a mount of its own";
    return take_attributes(fresh, target, there);
}

/* Whether the name of the copy is nobody's file. */
static rc_status_t is_free(const char *whole, const char *target, rc_err_t *err)
{
    struct stat s;
    if (lstat(whole, &s) != 0 || !S_ISREG(s.st_mode) || is_ours(whole, target))
        return RC_OK;
    return rc_fail(err, RC_EIO,
        "%s: cannot be written in place while there is a file %s: move that", target, whole);
}

rc_status_t rc_replace_look(const char *fresh, const char *target, const char **why, rc_err_t *err)
{
    struct stat there;
    int fd;
    *why = NULL;
    if (stat(target, &there) != 0)
        return RC_OK;
    /* it would be replaced, not written: so what protects it has to be asked */
    if (!(there.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) || access(target, W_OK) != 0)
        return rc_fail(err, RC_EIO, "%s: the store is write-protected", target);
    RC_PASS(rc_open_file(fresh, RC_OPEN_FRESH, 0666, &fd, err));
    *why = keeps_its_place(fd, target, &there);
    close(fd);
    if (unlink(fresh) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot be removed", fresh);
    fd = *why ? open(target, O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;
    if (*why && fd < 0)
        return rc_fail_errno(
            err, RC_EIO, errno, "%s: cannot be replaced (%s), nor written in place", target, *why);
    if (fd >= 0)
        close(fd);
    if (!*why)
        return RC_OK;
    char *whole = whole_of(target, err);
    rc_status_t st = whole ? is_free(whole, target, err) : RC_ENOMEM;
    free(whole);
    return st;
}

/* Write the target, with the new contents beside it until that is proved. */
static rc_status_t write_over(const char *fresh, const char *target, rc_err_t *err)
{
    int touched = 0;
    char *whole = whole_of(target, err);
    rc_status_t st = whole ? is_free(whole, target, err) : RC_ENOMEM;
    if (st < 0)
        goto done;
    if (utimensat(AT_FDCWD, fresh, mark, 0) != 0 || rename(fresh, whole) != 0)
        RC_TRY(rc_fail_errno(err, RC_EIO, errno, "%s: cannot rename %s to it", whole, fresh));
    st = rc_sync_folder_of(target, err);
    if (st == RC_OK)
        st = write_in_place(whole, target, &touched, err);
    if (st < 0 && !touched)
        (void)unlink(whole);
    else if (st < 0)
        (void)rc_err_context(
            err, "%s is whole, and the same command finishes %s from it", whole, target);
    else
        st = drop_whole(whole, err);
done:
    free(whole);
    return st;
}

rc_status_t rc_replace(const char *fresh, const char *target, rc_err_t *err)
{
    struct stat there;
    int fd;
    int exists = stat(target, &there) == 0;
    RC_PASS(rc_open_file(fresh, RC_OPEN_UPDATE, 0, &fd, err));
    const char *why = exists ? keeps_its_place(fd, target, &there) : NULL;
    close(fd);
    RC_PASS(rc_sync_file(fresh, err));
    if (why)
        return write_over(fresh, target, err);
    if (rename(fresh, target) == 0)
        return rc_sync_folder_of(target, err);
    int no = errno; /* where it is not to be, rather than fails */
    if (exists && (no == EBUSY || no == EXDEV || no == EPERM || no == EACCES || no == ETXTBSY))
        return write_over(fresh, target, err);
    return rc_fail_errno(err, RC_EIO, no, "%s: cannot rename %s to it", target, fresh);
}
