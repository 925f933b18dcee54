#include "config.h"
#include "store/bytes.h"
#include "base/error.h"

#include <errno.h>
#include <unistd.h>

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
