#include "config.h"
#include "store/attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

int rc_attributes_is_mount(const char *path)
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

const char *rc_attributes_take(int fd, const char *path, const struct stat *there)
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
