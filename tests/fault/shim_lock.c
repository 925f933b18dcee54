/* Network file systems: locks that fail or lie, and caches of attributes and folders.  Preloaded.
 *   LOCK_HOW     "fail": flock() fails with ENOLCK; "lie": it succeeds, and excludes nobody
 *   LOCK_NODE    folder of this node's cache, made by the test; processes of a node share it.  Without
 *                it nothing is cached; %r in it, and in LOCK_HOST, is the number of the MPI rank
 *   LOCK_MATCH   text in the names of files that are cached
 *   LOCK_DELAY   seconds that an answer of the server's is used without asking again.  What the node's own
 *                processes write they see; of others' writes they see what was there when asked: no file
 *                where there was none, the old size and time of change, and a folder's old contents
 *   LOCK_HOST    gethostname(), and the process space: processes of two hosts do not see each other
 * An answer is kept in a file of the folder, named by the digest of the path: its time of change is when
 * the server was asked, its contents are what it said.  It is stricter than NFS, which asks at open(). */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rank.h"

#define NEXT(type, name, arguments) ((type(*) arguments)dlsym(RTLD_NEXT, name))

typedef struct answer {
    int32_t there;
    int32_t own; /* this node has written it last */
    struct stat s;
    int64_t asked_ns;
} answer_t;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t delay_ns(void)
{
    const char *text = getenv("LOCK_DELAY");
    return text ? (int64_t)(atof(text) * 1e9) : 0;
}

static int is_cached(const char *name)
{
    const char *match = getenv("LOCK_MATCH");
    return name && match && getenv("LOCK_NODE") && strstr(name, match);
}

static int real_open(const char *name, int flags, mode_t mode)
{
    return NEXT(int, "open", (const char *, int, ...))(name, flags, mode);
}

static int real_stat(const char *name, struct stat *s)
{
    return NEXT(int, "stat", (const char *, struct stat *))(name, s);
}

/* A text with %r in it, the number of the MPI rank. */
static void put_rank(const char *text, char *out, size_t size)
{
    const char *rank = rank_of_job();
    const char *place = strstr(text, "%r");
    if (place)
        snprintf(out, size, "%.*s%s%s", (int)(place - text), text, rank ? rank : "0", place + 2);
    else
        snprintf(out, size, "%s", text);
}

static void entry_of(const char *name, const char *kind, char *out, size_t size)
{
    char node[PATH_MAX / 2];
    uint64_t h = 14695981039346656037u;
    for (const char *p = name; *p; p++)
        h = (h ^ (unsigned char)*p) * 1099511628211u;
    put_rank(getenv("LOCK_NODE"), node, sizeof node);
    snprintf(out, size, "%s/%s%016lx", node, kind, (unsigned long)h);
}

static int recall(const char *name, const char *kind, answer_t *a)
{
    char path[PATH_MAX];
    entry_of(name, kind, path, sizeof path);
    int fd = real_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    ssize_t n = NEXT(ssize_t, "pread", (int, void *, size_t, off_t))(fd, a, sizeof *a, 0);
    close(fd);
    return n == (ssize_t)sizeof *a;
}

static void keep(const char *name, const char *kind, const answer_t *a)
{
    char path[PATH_MAX];
    entry_of(name, kind, path, sizeof path);
    int fd = real_open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    (void)!NEXT(ssize_t, "pwrite", (int, const void *, size_t, off_t))(fd, a, sizeof *a, 0);
    close(fd);
}

/* What this node believes of a file. */
static void believe(const char *name, answer_t *a)
{
    if (recall(name, "f", a) && now_ns() - a->asked_ns < delay_ns() && !(a->own && !a->there))
        return;
    memset(a, 0, sizeof *a);
    a->there = real_stat(name, &a->s) == 0;
    a->asked_ns = now_ns();
    keep(name, "f", a);
}

/* This node has changed a file: it knows. */
static void wrote(const char *name)
{
    answer_t a = {.own = 1, .asked_ns = now_ns()};
    if (!is_cached(name))
        return;
    a.there = real_stat(name, &a.s) == 0;
    keep(name, "f", &a);
}

static const char *name_of(int fd, char *name, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, size - 1);
    name[n > 0 ? n : 0] = '\0';
    return name;
}

static void wrote_fd(int fd)
{
    char name[PATH_MAX];
    int saved = errno;
    if (fd > 2 && getenv("LOCK_NODE"))
        wrote(name_of(fd, name, sizeof name));
    errno = saved;
}

/* 0: it may be looked at */
static int absent(const char *name)
{
    answer_t a;
    if (!is_cached(name))
        return 0;
    believe(name, &a);
    if (a.there)
        return 0;
    errno = ENOENT;
    return -1;
}

int flock(int fd, int how)
{
    const char *mode = getenv("LOCK_HOW");
    if (!mode)
        return NEXT(int, "flock", (int, int))(fd, how);
    if (strcmp(mode, "lie") == 0)
        return 0;
    errno = ENOLCK;
    return -1;
}

int gethostname(char *name, size_t size)
{
    const char *host = getenv("LOCK_HOST");
    if (!host)
        return NEXT(int, "gethostname", (char *, size_t))(name, size);
    put_rank(host, name, size);
    return 0;
}

/* process spaces are told apart by this link */
ssize_t readlink(const char *name, char *out, size_t size)
{
    char space[64];
    const char *host = getenv("LOCK_HOST");
    if (!host || strcmp(name, "/proc/self/ns/pid") != 0)
        return NEXT(ssize_t, "readlink", (const char *, char *, size_t))(name, out, size);
    put_rank(host, space, sizeof space);
    int n = snprintf(out, size, "pid:[%s]", space);
    return n < (int)size ? n : (ssize_t)size;
}

static int opened(const char *symbol, const char *name, int flags, mode_t mode)
{
    int (*next)(const char *, int, ...) = NEXT(int, symbol, (const char *, int, ...));
    int makes = flags & O_CREAT; /* goes to the server */
    if (!makes && absent(name))
        return -1;
    int fd = next(name, flags, mode);
    if (fd >= 0 && makes)
        wrote(name);
    return fd;
}

#define MODE(flags)                                                                                \
    mode_t mode = 0;                                                                               \
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {                                     \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        mode = va_arg(list, mode_t);                                                               \
        va_end(list);                                                                              \
    }

int open(const char *name, int flags, ...)
{
    MODE(flags)
    return opened("open", name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
    MODE(flags)
    return opened("open64", name, flags, mode);
}

int stat(const char *name, struct stat *s)
{
    answer_t a;
    if (!is_cached(name))
        return real_stat(name, s);
    if (absent(name))
        return -1;
    believe(name, &a);
    *s = a.s;
    return 0;
}

int fstat(int fd, struct stat *s)
{
    char name[PATH_MAX];
    answer_t a;
    struct stat now;
    int code = NEXT(int, "fstat", (int, struct stat *))(fd, s);
    if (code != 0 || fd < 3 || !is_cached(name_of(fd, name, sizeof name)))
        return code;
    believe(name, &a);
    /* of another file that had the name the cache says nothing */
    if (a.there && real_stat(name, &now) == 0 && a.s.st_ino == s->st_ino)
        *s = a.s;
    return 0;
}

int access(const char *name, int how)
{
    return absent(name) ? -1 : NEXT(int, "access", (const char *, int))(name, how);
}

/* Bytes behind the size that this node knows of are not there yet. */
ssize_t pread(int fd, void *data, size_t n, off_t at)
{
    struct stat s;
    if (fd > 2 && getenv("LOCK_NODE") && fstat(fd, &s) == 0 && S_ISREG(s.st_mode)) {
        char name[PATH_MAX];
        if (is_cached(name_of(fd, name, sizeof name)))
            n = at >= s.st_size ? 0 : (off_t)n < s.st_size - at ? n : (size_t)(s.st_size - at);
    }
    return NEXT(ssize_t, "pread", (int, void *, size_t, off_t))(fd, data, n, at);
}

ssize_t write(int fd, const void *data, size_t n)
{
    ssize_t done = NEXT(ssize_t, "write", (int, const void *, size_t))(fd, data, n);
    wrote_fd(fd);
    return done;
}

int ftruncate(int fd, off_t n)
{
    int code = NEXT(int, "ftruncate", (int, off_t))(fd, n);
    wrote_fd(fd);
    return code;
}

int futimens(int fd, const struct timespec t[2])
{
    int code = NEXT(int, "futimens", (int, const struct timespec[2]))(fd, t);
    wrote_fd(fd);
    return code;
}

int unlink(const char *name)
{
    int code = NEXT(int, "unlink", (const char *))(name);
    wrote(name);
    return code;
}

int rename(const char *from, const char *to)
{
    int code = NEXT(int, "rename", (const char *, const char *))(from, to);
    wrote(from);
    wrote(to);
    return code;
}

/* A folder shows what it held when the server was asked last, and what this node has made. */
struct dirent *readdir(DIR *d)
{
    char dir[PATH_MAX / 2];
    char name[PATH_MAX];
    answer_t a;
    struct dirent *e;
    while ((e = NEXT(struct dirent *, "readdir", (DIR *))(d))) {
        struct statx x;
        name_of(dirfd(d), dir, sizeof dir);
        if (!is_cached(dir))
            return e;
        if (!recall(dir, "d", &a) || now_ns() - a.asked_ns >= delay_ns()) {
            memset(&a, 0, sizeof a);
            a.asked_ns = now_ns();
            clock_gettime(CLOCK_REALTIME, &a.s.st_mtim);
            keep(dir, "d", &a);
        }
        struct timespec asked = a.s.st_mtim;
        snprintf(name, sizeof name, "%s/%s", dir, e->d_name);
        if ((recall(name, "f", &a) && a.own) || statx(AT_FDCWD, name, 0, STATX_BTIME, &x) != 0 ||
            x.stx_btime.tv_sec < asked.tv_sec ||
            (x.stx_btime.tv_sec == asked.tv_sec && (long)x.stx_btime.tv_nsec <= asked.tv_nsec))
            return e;
    }
    return NULL;
}
