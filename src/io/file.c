#include "config.h"
#include "io/file.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

rc_status_t rc_file_digest(
    const char *path, rc_digest_t *out, int64_t *bytes, int64_t *mtime_ns, rc_err_t *err)
{
    enum { block = 1 << 20 };
    struct stat s;
    ssize_t n = 0;
    int fd = -1;
    char *buf = rc_alloc(block, 1, "a block of a file", err);
    rc_hasher_t *h = buf ? rc_hasher_new(err) : NULL;
    rc_status_t st;
    RC_TRY(h ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_open_file(path, RC_OPEN_GIVEN, 0, &fd, err));
    int seen = fstat(fd, &s) == 0;
    while (seen && ((n = read(fd, buf, block)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0)
            rc_hasher_add(h, buf, (size_t)n);
    if (!seen || n < 0)
        RC_TRY(rc_fail_errno(err, RC_EIO, errno, "cannot read %s", path));
    *out = rc_hasher_digest(h);
    if (bytes)
        *bytes = (int64_t)s.st_size;
    if (mtime_ns)
        *mtime_ns = (int64_t)s.st_mtim.tv_sec * 1000000000 + (int64_t)s.st_mtim.tv_nsec;
done:
    if (fd >= 0)
        close(fd);
    rc_hasher_free(h);
    free(buf);
    return st;
}

rc_status_t rc_file_make_folders(char *path, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (!*path)
        return RC_OK;
    for (char *slash = strchr(path + 1, '/'); slash && st == RC_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            st = rc_fail_errno(err, RC_EIO, errno, "cannot make the folder %s", path);
        *slash = '/';
    }
    return st;
}
