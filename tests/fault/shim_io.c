/* A full or failing disk: preloaded, it makes calls fail that change files.
 *   FAULT_MATCH  only files with this text in their names; required
 *   FAULT_AT     the call that fails, from 1, counted over those that match in this process; 0 none
 *   FAULT_HOW    once: ENOSPC once; full: ENOSPC from there on until a file is removed or cut;
 *                short: half is written, and the next one fails as by full; readonly: EROFS from
 *                there on; io: EIO once; kill: the process is killed before the call; torn: half
 *                of it is written, then the process is killed; limit: no file may grow beyond
 *                FAULT_AT bytes (RLIMIT_FSIZE, from the first call on: MPI could not start so);
 *                list: none fails, each is in the log; hang: a read, and only those are counted,
 *                never returns; refuse: fchmod and fchown fail with EPERM, as on CIFS and FUSE
 *   FAULT_COUNT  with once and io: so many calls in a row fail, then the disk is sound again [1]
 *   FAULT_RANK   only in this rank of Open MPI
 *   FAULT_LOG    at a fault and at the end: a line with the call, appended */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rank.h"

static long calls;
static int failing; /* the errno of a fault that lasts */

static void note(const char *what, const char *name)
{
    char line[700];
    const char *log = getenv("FAULT_LOG");
    ssize_t (*write_)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    int (*open_)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if (!log)
        return;
    int n = snprintf(line, sizeof line, "%ld %s %.500s\n", calls, what, name);
    int fd = open_(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    (void)!write_(fd, line, (size_t)n);
    close(fd);
}

__attribute__((destructor)) static void tell_total(void)
{
    if (calls)
        note("total", "");
}

static const char *name_of(int fd, char *name, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, size - 1);
    name[n > 0 ? n : 0] = '\0';
    return name;
}

static void limit_files(long bytes)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_FSIZE, &r) == 0) {
        r.rlim_cur = (rlim_t)bytes;
        (void)setrlimit(RLIMIT_FSIZE, &r);
    }
}

/* What becomes of a call: 0 it goes on, -1 it fails with errno, 1 half of it is done, 2 half of it
 * is done, and that was the end. */
static int fate(const char *what, const char *name)
{
    const char *match = getenv("FAULT_MATCH");
    const char *at = getenv("FAULT_AT");
    const char *how = getenv("FAULT_HOW");
    if (!match || !name || !strstr(name, match) || (how && strcmp(how, "hang") == 0))
        return 0;
    const char *only = getenv("FAULT_RANK");
    const char *rank = rank_of_job();
    if (only && rank && strcmp(only, rank) != 0)
        return 0;
    long mine = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (at && how && strcmp(how, "limit") == 0) {
        if (mine == 1)
            limit_files(atol(at));
        return 0;
    }
    if (how && strcmp(how, "list") == 0)
        note(what, name);
    int frees = strcmp(what, "unlink") == 0 || strcmp(what, "ftruncate") == 0;
    if (failing == EROFS || (failing && !frees && strcmp(what, "rename") != 0)) {
        errno = failing;
        return -1;
    }
    failing = 0;
    const char *count = getenv("FAULT_COUNT");
    if (!at || !how || mine < atol(at) || mine >= atol(at) + (count ? atol(count) : 1))
        return 0;
    note(what, name);
    int writes = strcmp(what, "write") == 0;
    if (strcmp(how, "kill") == 0 || (strcmp(how, "torn") == 0 && !writes))
        raise(SIGKILL);
    if (strcmp(how, "torn") == 0)
        return 2;
    if (strcmp(how, "io") == 0) {
        errno = EIO;
        return -1;
    }
    errno = strcmp(how, "readonly") == 0 ? EROFS : ENOSPC;
    if (strcmp(how, "once") != 0)
        failing = errno;
    return strcmp(how, "short") == 0 && writes ? 1 : -1;
}

static int fate_fd(const char *what, int fd)
{
    char name[600];
    int saved = errno;
    const char *how = getenv("FAULT_HOW");
    if (how && strcmp(how, "refuse") == 0 && strncmp(what, "fch", 3) == 0) {
        errno = EPERM;
        return -1;
    }
    int f = fd < 3 ? 0 : fate(what, name_of(fd, name, sizeof name));
    if (f >= 0)
        errno = saved;
    return f;
}

static void hit_limit(int fd)
{
    char name[600];
    note("write", name_of(fd, name, sizeof name));
    errno = EFBIG;
}

#define NEXT(type, name, arguments) ((type(*) arguments)dlsym(RTLD_NEXT, name))

/* With FAULT_RANK: the superblock of an HDF5 file.  HDF5 1.10 writes it last of all when several
 * ranks close a file, and when that fails on one the others wait for it for ever.  It is written
 * over what is there, so it takes a broken disk, not a full one. */
static int is_spared(void)
{
    return getenv("FAULT_RANK") != NULL;
}

/* A disk that does not answer. */
static void maybe_hang(int fd)
{
    char name[600];
    const char *match = getenv("FAULT_MATCH");
    const char *at = getenv("FAULT_AT");
    const char *how = getenv("FAULT_HOW");
    int saved = errno;
    if (match && at && how && fd > 2 && strcmp(how, "hang") == 0 &&
        strstr(name_of(fd, name, sizeof name), match) &&
        __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == atol(at)) {
        note("read", name);
        for (;;)
            pause();
    }
    errno = saved;
}

ssize_t read(int fd, void *data, size_t n)
{
    maybe_hang(fd);
    return NEXT(ssize_t, "read", (int, void *, size_t))(fd, data, n);
}

ssize_t pread(int fd, void *data, size_t n, off_t at)
{
    maybe_hang(fd);
    return NEXT(ssize_t, "pread", (int, void *, size_t, off_t))(fd, data, n, at);
}

ssize_t pread64(int fd, void *data, size_t n, off64_t at)
{
    maybe_hang(fd);
    return NEXT(ssize_t, "pread64", (int, void *, size_t, off64_t))(fd, data, n, at);
}

/* half or all of a transfer */
#define TRANSFER(fd, size, call)                                                                   \
    do {                                                                                           \
        int f = fate_fd("write", fd);                                                              \
        if (f < 0)                                                                                 \
            return -1;                                                                             \
        if (f > 0 && (size) > 1)                                                                   \
            (size) /= 2;                                                                           \
        ssize_t done = call;                                                                       \
        if (done < 0 && errno == EFBIG)                                                            \
            hit_limit(fd);                                                                         \
        if (f == 2)                                                                                \
            raise(SIGKILL);                                                                        \
        return done;                                                                               \
    } while (0)

ssize_t write(int fd, const void *data, size_t n)
{
    TRANSFER(fd, n, NEXT(ssize_t, "write", (int, const void *, size_t))(fd, data, n));
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    if (at == 0 && is_spared())
        return NEXT(ssize_t, "pwrite", (int, const void *, size_t, off_t))(fd, data, n, at);
    TRANSFER(fd, n, NEXT(ssize_t, "pwrite", (int, const void *, size_t, off_t))(fd, data, n, at));
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    if (at == 0 && is_spared())
        return NEXT(ssize_t, "pwrite64", (int, const void *, size_t, off64_t))(fd, data, n, at);
    TRANSFER(
        fd, n, NEXT(ssize_t, "pwrite64", (int, const void *, size_t, off64_t))(fd, data, n, at));
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
    TRANSFER(fd, n, NEXT(ssize_t, "writev", (int, const struct iovec *, int))(fd, v, n));
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
    TRANSFER(
        fd, n, NEXT(ssize_t, "pwritev", (int, const struct iovec *, int, off_t))(fd, v, n, at));
}

ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at)
{
    TRANSFER(
        fd, n, NEXT(ssize_t, "pwritev64", (int, const struct iovec *, int, off64_t))(fd, v, n, at));
}

int fsync(int fd)
{
    return fate_fd("fsync", fd) ? -1 : NEXT(int, "fsync", (int))(fd);
}

int fdatasync(int fd)
{
    return fate_fd("fdatasync", fd) ? -1 : NEXT(int, "fdatasync", (int))(fd);
}

int ftruncate(int fd, off_t n)
{
    return fate_fd("ftruncate", fd) ? -1 : NEXT(int, "ftruncate", (int, off_t))(fd, n);
}

int ftruncate64(int fd, off64_t n)
{
    return fate_fd("ftruncate", fd) ? -1 : NEXT(int, "ftruncate64", (int, off64_t))(fd, n);
}

int fchmod(int fd, mode_t mode)
{
    return fate_fd("fchmod", fd) ? -1 : NEXT(int, "fchmod", (int, mode_t))(fd, mode);
}

int fchown(int fd, uid_t user, gid_t group)
{
    return fate_fd("fchown", fd) ? -1 : NEXT(int, "fchown", (int, uid_t, gid_t))(fd, user, group);
}

int chmod(const char *name, mode_t mode)
{
    return fate("chmod", name) ? -1 : NEXT(int, "chmod", (const char *, mode_t))(name, mode);
}

int rename(const char *from, const char *to)
{
    return fate("rename", to) ? -1 : NEXT(int, "rename", (const char *, const char *))(from, to);
}

int unlink(const char *name)
{
    return fate("unlink", name) ? -1 : NEXT(int, "unlink", (const char *))(name);
}

int rmdir(const char *name)
{
    return fate("unlink", name) ? -1 : NEXT(int, "rmdir", (const char *))(name);
}

int mkdir(const char *name, mode_t mode)
{
    return fate("mkdir", name) ? -1 : NEXT(int, "mkdir", (const char *, mode_t))(name, mode);
}

/* opening to create is a change; opening to write is one on a disk that cannot be written */
#define OPEN(symbol)                                                                               \
    mode_t mode = 0;                                                                               \
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {                                     \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        mode = va_arg(list, mode_t);                                                               \
        va_end(list);                                                                              \
    }                                                                                              \
    if ((flags & O_CREAT || ((flags & O_ACCMODE) != O_RDONLY && failing == EROFS)) &&              \
        fate("open", name))                                                                        \
        return -1;                                                                                 \
    return NEXT(int, symbol, (const char *, int, ...))(name, flags, mode)

int open(const char *name, int flags, ...)
{
    OPEN("open");
}

int open64(const char *name, int flags, ...)
{
    OPEN("open64");
}
