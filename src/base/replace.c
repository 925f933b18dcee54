#include "config.h"
#include "base/replace.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------- what it becomes */

/* The name that a link leads to, one step; NULL with err set. */
static char *step(const char *link, rc_err_t *err)
{
    char to[PATH_MAX];
    ssize_t n = readlink(link, to, sizeof to - 1);
    if (n < 0) {
        rc_fail_errno(err, RC_EIO, errno, "%s: cannot read the link", link);
        return NULL;
    }
    const char *slash = to[0] == '/' ? NULL : strrchr(link, '/');
    int folder = slash ? (int)(slash - link) + 1 : 0;
    return rc_strf("a file name", err, "%.*s%.*s", folder, link, (int)n, to);
}

/* Follow links of the user's own to a file that is there.  Where several may write, another can
 * have put one under the name. */
static rc_status_t follow(const char *path, char **out, rc_err_t *err)
{
    enum { most = 40 };
    struct stat s;
    char *at = rc_strdup(path, err);
    for (int i = 0; at && i < most && lstat(at, &s) == 0 && S_ISLNK(s.st_mode); i++) {
        char *next = NULL;
        if (s.st_uid != geteuid() && s.st_uid != 0)
            rc_fail(err, RC_EIO,
                "%s: is a link of another user, which is not followed: name what it leads to", at);
        else
            next = step(at, err);
        free(at);
        at = next;
        if (!at)
            return RC_EIO;
    }
    RC_PASS(at ? RC_OK : RC_ENOMEM);
    *out = at;
    /* standard output may be a file that has no name any more */
    return lstat(at, &s) == 0 && S_ISREG(s.st_mode)
               ? RC_OK
               : rc_fail(err, RC_EIO, "%s: cannot find the file that the link leads to", path);
}

/* --------------------------------------------------------------- the name beside */

static int is_at(int fd, const char *name)
{
    struct stat a;
    struct stat b;
    return fstat(fd, &a) == 0 && lstat(name, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Whether a name is free now: nothing has it, or what a dead process left, which is removed. */
static int make_way(const char *name)
{
    int fd = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT || (errno == ELOOP && unlink(name) == 0);
    int is_left = flock(fd, LOCK_EX | LOCK_NB) == 0 && is_at(fd, name) && unlink(name) == 0;
    close(fd);
    return is_left;
}

/* Hold the name of a new file; 0: another took it for a left one, before it was locked. */
static int hold(int fd, const char *name)
{
    /* without locks nobody takes it over */
    return (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && is_at(fd, name);
}

/* "DIR/BASE.part-HOST-N": of this host alone, for locks are not always seen from another. */
static rc_status_t create(rc_replace_t *r, int *fd, rc_err_t *err)
{
    enum { tries = 100, base_longest = 150 };
    char host[65] = "";
    const char *slash = strrchr(r->target, '/');
    struct stat s;
    if (lstat(r->target, &s) == 0 && S_ISDIR(s.st_mode))
        return rc_fail(err, RC_EIO, "%s: expected a file, found a folder", r->target);
    int dir = slash ? (int)(slash - r->target) + 1 : 0;
    rc_str_t name = {0};
    rc_status_t st = rc_fail(err, RC_EIO, "%.400s.part-...: all names are in use", r->target);
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    for (int i = 0; i < tries; i++) {
        name.len = 0;
        rc_str_addf(&name, "%.*s%.*s.part-%s-%d", dir, r->target, (int)base_longest,
            r->target + dir, host, i);
        if (name.failed) {
            st = rc_fail(err, RC_ENOMEM, "no memory for a file name");
            break;
        }
        if (!make_way(name.text))
            continue;
        st = rc_open_file(name.text, RC_OPEN_NEW, 0666, fd, err);
        if (st < 0 && errno == EEXIST)
            continue;
        if (st < 0)
            break;
        if (hold(*fd, name.text)) {
            r->fresh = name.text;
            return RC_OK;
        }
        close(*fd);
        st = rc_fail(err, RC_EIO, "%.400s: another process takes it away", name.text);
    }
    rc_str_free(&name);
    return st;
}

/* ---------------------------------------------------------------- begin and end */

/* \param[in] there  what has the name now; NULL: nothing, or what is replaced whatever it is */
static rc_status_t begin(rc_replace_t *r, const struct stat *there, rc_err_t *err)
{
    enum { first = 3 }; /* 0 is none */
    int fd = -1;
    int beside = !there || S_ISREG(there->st_mode);
    rc_status_t st = beside ? create(r, &fd, err) : rc_open_sink(r->target, &fd, err);
    if (st == RC_OK && beside && there && fchmod(fd, there->st_mode & 0777) != 0 && errno != EPERM)
        st = rc_fail_errno(err, RC_EIO, errno, "cannot set its permissions");
    if (st == RC_OK && beside && (r->lock = fcntl(fd, F_DUPFD_CLOEXEC, first)) < 0)
        st = rc_fail_errno(err, RC_EIO, errno, "cannot hold it");
    r->file = st == RC_OK ? fdopen(fd, "w") : NULL;
    if (r->file)
        return RC_OK;
    if (st == RC_OK)
        st = rc_fail(err, RC_ENOMEM, "no memory for a stream");
    if (fd >= 0)
        close(fd);
    rc_err_context(err, "cannot write '%s'", r->target);
    rc_replace_end(r, 0, NULL);
    return st;
}

static rc_status_t write_failed(const rc_replace_t *r, int why, rc_err_t *err)
{
    return rc_fail_errno(err, RC_EIO, why, "cannot write '%s'", r->target);
}

int rc_replace_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* A descriptor of its own: the stream is closed in the end. */
static rc_status_t begin_stdout(rc_replace_t *r, rc_err_t *err)
{
    *r = (rc_replace_t){.target = rc_strdup("standard output", err)};
    RC_PASS(r->target ? RC_OK : RC_ENOMEM);
    int fd = fflush(stdout) == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
    r->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (r->file)
        return RC_OK;
    rc_status_t st = write_failed(r, errno, err);
    if (fd >= 0)
        close(fd);
    rc_replace_end(r, 0, NULL);
    return st;
}

rc_status_t rc_replace_begin(const char *path, rc_replace_t *r, rc_err_t *err)
{
    if (rc_replace_is_stdout(path))
        return begin_stdout(r, err);
    *r = (rc_replace_t){0};
    struct stat there;
    rc_status_t st = RC_OK;
    int exists = stat(path, &there) == 0;
    if (exists && S_ISREG(there.st_mode))
        st = follow(path, &r->target, err);
    else if (!(r->target = rc_strdup(path, err)))
        st = RC_ENOMEM;
    if (st == RC_OK)
        return begin(r, exists ? &there : NULL, err);
    rc_replace_end(r, 0, NULL);
    rc_err_context(err, "cannot write '%s'", path);
    return st;
}

rc_status_t rc_replace_begin_ours(const char *path, rc_replace_t *r, rc_err_t *err)
{
    *r = (rc_replace_t){.target = rc_strdup(path, err)};
    return r->target ? begin(r, NULL, err) : RC_ENOMEM;
}

rc_status_t rc_replace_check(const char *path, rc_err_t *err)
{
    rc_replace_t r = {0};
    RC_PASS(rc_replace_begin(path, &r, err));
    return rc_replace_end(&r, 0, err);
}

rc_status_t rc_replace_sync(rc_replace_t *r, rc_err_t *err)
{
    int failed = fflush(r->file) != 0 || ferror(r->file);
    /* the name must not come to stand for contents that are not on the disk yet; some file systems
     * know no sync */
    if (!failed && r->fresh && !r->unsynced)
        failed = fsync(fileno(r->file)) != 0 && errno != EINVAL && errno != ENOTSUP;
    return failed ? write_failed(r, errno ? errno : EIO, err) : RC_OK;
}

rc_status_t rc_replace_end(rc_replace_t *r, int keep, rc_err_t *err)
{
    rc_status_t st = r->file && keep ? rc_replace_sync(r, err) : RC_OK;
    if (r->file && fclose(r->file) != 0 && keep && st == RC_OK)
        st = write_failed(r, errno, err);
    if (r->fresh && keep && st == RC_OK && rename(r->fresh, r->target) != 0)
        st = rc_fail_errno(err, RC_EIO, errno, "cannot rename '%s' to '%s'", r->fresh, r->target);
    if (r->fresh && (!keep || st < 0))
        unlink(r->fresh);
    if (r->lock > 0)
        close(r->lock); /* the name is out of use */
    free(r->target);
    free(r->fresh);
    *r = (rc_replace_t){0};
    return st;
}
