#include "config.h"
#include "store/replace.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* \param[in] mode  permissions that it is given; NULL: none */
static rc_status_t sync_fd(int fd, const char *path, const mode_t *mode, rc_err_t *err)
{
    /* some file systems have no sync for folders: then the rename is as durable as they make it */
    if (fsync(fd) != 0 && errno != EINVAL)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot sync", path);
    if (mode && fchmod(fd, *mode) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot set its permissions", path);
    return RC_OK;
}

rc_status_t rc_sync_folder_of(const char *path, rc_err_t *err)
{
    rc_status_t st;
    char *copy = rc_strdup(path, err);
    if (!copy)
        return RC_ENOMEM;
    const char *folder = dirname(copy);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot open", folder);
    else {
        st = sync_fd(fd, folder, NULL, err);
        close(fd);
    }
    free(copy);
    return st;
}

rc_status_t rc_sync_file(const char *path, rc_err_t *err)
{
    int fd;
    rc_status_t st = rc_open_file(path, RC_OPEN_UPDATE, 0, &fd, err);
    if (st < 0)
        return st;
    st = sync_fd(fd, path, NULL, err);
    close(fd);
    return st;
}

rc_status_t rc_replace(const char *fresh, const char *target, const mode_t *mode, rc_err_t *err)
{
    int fd;
    rc_status_t st = rc_open_file(fresh, RC_OPEN_UPDATE, 0, &fd, err);
    if (st < 0)
        return st;
    st = sync_fd(fd, fresh, mode, err);
    close(fd);
    if (st < 0)
        return st;
    if (rename(fresh, target) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot rename %s to it", target, fresh);
    return rc_sync_folder_of(target, err);
}
