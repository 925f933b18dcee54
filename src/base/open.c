#include "config.h"
#include "base/open.h"
#include "base/error.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static const int open_flags[] = {
    [RC_OPEN_READ] = O_RDONLY,
    [RC_OPEN_GIVEN] = O_RDONLY,
    [RC_OPEN_UPDATE] = O_RDWR,
    [RC_OPEN_KEEP] = O_RDWR | O_CREAT,
    [RC_OPEN_APPEND] = O_RDWR | O_CREAT | O_APPEND,
    [RC_OPEN_NEW] = O_WRONLY | O_CREAT | O_EXCL,
    [RC_OPEN_LOG] = O_RDWR | O_CREAT | O_EXCL | O_APPEND,
    [RC_OPEN_FRESH] = O_RDWR | O_CREAT | O_EXCL,
};

const char *rc_open_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Of a shell's making: it has an end to write to, and no name that another process may wait at. */
static int has_no_name(int fd)
{
    static const long pipes = 0x50495045; /* PIPEFS_MAGIC */
    struct statfs s;
    return fstatfs(fd, &s) == 0 && (long)s.f_type == pipes;
}

/* Opened so that nothing is waited for; from here on reads and writes wait. */
static int waits_again(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
}

rc_status_t rc_open_unnamed(const char *path, int *fd, rc_err_t *err)
{
    struct stat s;
    *fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 && errno == ENXIO)
        return rc_fail(err, RC_EIO, "expected a regular file, found a socket or a device");
    if (*fd < 0)
        return rc_fail_errno(
            err, errno == ENOENT || errno == ENOTDIR ? RC_ENOENT : RC_EIO, errno, "cannot open");
    rc_status_t st = RC_OK;
    if (fstat(*fd, &s) != 0)
        st = rc_fail_errno(err, RC_EIO, errno, "cannot be looked at");
    else if (!S_ISREG(s.st_mode) && !(S_ISFIFO(s.st_mode) && has_no_name(*fd) && waits_again(*fd)))
        st = rc_fail(err, RC_EIO, "expected a regular file, found %s", rc_open_kind(s.st_mode));
    if (st < 0) {
        close(*fd);
        *fd = -1;
    }
    return st;
}

/* Why an open file is not to be used, NULL when it is. */
static const char *flaw(int fd, rc_open_use_t use)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return "cannot be looked at";
    if (!S_ISREG(s.st_mode))
        return "is no regular file";
    /* a hard link writes into the file of another name */
    return use != RC_OPEN_READ && s.st_nlink > 1 ? "has a second name (a hard link)" : NULL;
}

rc_status_t rc_open_file(const char *path, rc_open_use_t use, mode_t mode, int *fd, rc_err_t *err)
{
    *fd = -1;
    if (use == RC_OPEN_GIVEN) {
        rc_status_t st = rc_open_unnamed(path, fd, err);
        if (st < 0)
            rc_err_context(err, "%s", path);
        return st;
    }
    if (use == RC_OPEN_FRESH && unlink(path) != 0 && errno != ENOENT)
        return errno == EISDIR ? rc_fail(err, RC_EIO, "%s: expected a file, found a folder", path)
                               : rc_fail_errno(err, RC_EIO, errno, "%s: cannot be removed", path);
    /* without O_NONBLOCK a planted FIFO would be waited for */
    int file = open(path, open_flags[use] | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode);
    int why = errno;
    if (file < 0) {
        rc_status_t st = why == ELOOP ? rc_fail(err, RC_EIO,
                                            "%s: is a link, which is not followed: remove it", path)
                                      : rc_fail_errno(err, RC_EIO, why, "%s: cannot open", path);
        errno = why;
        return st;
    }
    const char *bad = flaw(file, use);
    if (bad) {
        close(file);
        errno = EINVAL;
        return rc_fail(err, RC_EIO, "%s: %s, which is not used: remove it", path, bad);
    }
    *fd = file;
    return RC_OK;
}

rc_status_t rc_open_sink(const char *path, int *fd, rc_err_t *err)
{
    struct stat s;
    *fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    int why = errno;
    if (*fd >= 0 && fstat(*fd, &s) == 0 &&
        (S_ISCHR(s.st_mode) || (S_ISFIFO(s.st_mode) && has_no_name(*fd))) && waits_again(*fd))
        return RC_OK;
    /* ENXIO: nobody reads a FIFO, or it is a socket */
    rc_status_t st =
        *fd < 0 && ((why != ENXIO && why != EISDIR) || stat(path, &s) != 0)
            ? rc_fail_errno(err, RC_EIO, why, "cannot open it")
            : rc_fail(err, RC_EIO, "expected a regular file, found %s", rc_open_kind(s.st_mode));
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return st;
}

static rc_status_t open_stream(
    const char *path, rc_open_use_t use, const char *mode, FILE **out, rc_err_t *err)
{
    int fd;
    *out = NULL;
    RC_PASS(rc_open_file(path, use, 0666, &fd, err));
    *out = fdopen(fd, mode);
    if (*out)
        return RC_OK;
    close(fd);
    return rc_fail(err, RC_ENOMEM, "%s: no memory for a stream", path);
}

FILE *rc_open_stream(const char *path, rc_open_use_t use, rc_err_t *err)
{
    FILE *f;
    (void)open_stream(path, use, use == RC_OPEN_READ ? "r" : "w", &f, err); /* err has it */
    return f;
}

rc_status_t rc_open_given(const char *path, FILE **out, rc_err_t *err)
{
    return open_stream(path, RC_OPEN_GIVEN, "r", out, err);
}

rc_status_t rc_open_folder(const char *path, rc_err_t *err)
{
    struct stat s;
    if (mkdir(path, 0777) == 0)
        return RC_OK;
    if (errno != EEXIST)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot make the folder", path);
    if (lstat(path, &s) != 0)
        return RC_OK; /* gone again: whoever uses it finds out */
    if (S_ISLNK(s.st_mode))
        return rc_fail(err, RC_EIO, "%s: is a link, which is not followed: remove it", path);
    return S_ISDIR(s.st_mode) ? RC_OK
                              : rc_fail(err, RC_EIO, "%s: expected a folder, found a file", path);
}

rc_status_t rc_read_at(int fd, const char *path, void *to, int64_t bytes, int64_t at, rc_err_t *err)
{
    for (char *p = to; bytes > 0;) {
        ssize_t n = pread(fd, p, (size_t)bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return rc_fail_errno(err, RC_EIO, n < 0 ? errno : EIO, "%s: cannot read", path);
        p += n;
        at += n;
        bytes -= n;
    }
    return RC_OK;
}

rc_status_t rc_write_at(
    int fd, const char *path, const void *from, size_t bytes, int64_t at, rc_err_t *err)
{
    for (const char *p = from; bytes > 0;) {
        ssize_t n = pwrite(fd, p, bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return rc_fail_errno(err, RC_EIO, n < 0 ? errno : ENOSPC, "%s: cannot write", path);
        p += n;
        at += n;
        bytes -= (size_t)n;
    }
    return RC_OK;
}

static rc_status_t sync_fd(int fd, const char *path, rc_err_t *err)
{
    /* some file systems have no sync for folders: then the rename is as durable as they make it */
    if (fsync(fd) != 0 && errno != EINVAL)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot sync", path);
    return RC_OK;
}

rc_status_t rc_sync_folder_of(const char *path, rc_err_t *err)
{
    rc_status_t st;
    char *copy = rc_strdup(path, err);
    RC_PASS(copy ? RC_OK : RC_ENOMEM);
    const char *folder = dirname(copy);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot open", folder);
    else {
        st = sync_fd(fd, folder, err);
        close(fd);
    }
    free(copy);
    return st;
}

rc_status_t rc_sync_file(const char *path, rc_err_t *err)
{
    int fd;
    RC_PASS(rc_open_file(path, RC_OPEN_UPDATE, 0, &fd, err));
    rc_status_t st = sync_fd(fd, path, err);
    if (close(fd) != 0 && st == RC_OK)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot close", path);
    return st;
}

void rc_open_more(int64_t files)
{
    const rlim_t beside = 64; /* MPI, HDF5, standard streams */
    struct rlimit r;
    if (files < 0 || getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= (rlim_t)files + beside)
        return;
    r.rlim_cur = (rlim_t)files + beside < r.rlim_max ? (rlim_t)files + beside : r.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &r);
}
