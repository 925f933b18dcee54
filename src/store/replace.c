#include "config.h"
#include "store/replace.h"
#include "base/error.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static rc_status_t sync_path(const char *path, int flags, rc_err_t *err)
{
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot open", path);
    /* some file systems have no sync for folders: then the rename is as durable as they make it */
    int bad = fsync(fd) != 0 && errno != EINVAL;
    int why = errno;
    close(fd);
    return bad ? rc_fail_errno(err, RC_EIO, why, "%s: cannot sync", path) : RC_OK;
}

rc_status_t rc_replace(const char *fresh, const char *target, const mode_t *mode, rc_err_t *err)
{
    rc_status_t st = sync_path(fresh, O_RDWR, err);
    if (st < 0)
        return st;
    if (mode && chmod(fresh, *mode) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot set its permissions", fresh);
    if (rename(fresh, target) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot rename %s to it", target, fresh);
    char *copy = rc_strdup(target, err);
    if (!copy)
        return RC_ENOMEM;
    st = sync_path(dirname(copy), O_RDONLY | O_DIRECTORY, err);
    free(copy);
    return st;
}
