#include "config.h"
#include "store/held.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int rc_held_is(int fd, const char *path)
{
    struct stat a;
    struct stat b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

rc_status_t rc_held_check(int fd, const char *path, rc_err_t *err)
{
    struct stat s;
    if (rc_held_is(fd, path))
        return RC_OK;
    int gone = stat(path, &s) != 0;
    int why = errno;
    if (gone && why != ENOENT && why != ENOTDIR)
        return rc_fail_errno(err, RC_EIO, why, "%s: cannot stat while it is in use", path);
    return rc_fail(err, RC_EIO, "%s: was %s while it was in use", path,
        gone ? "removed or moved away" : "replaced by another file");
}

rc_status_t rc_held_copy(int in, const char *from, int out, const char *to, rc_err_t *err)
{
    enum { block = 1 << 20 };
    rc_status_t st = RC_OK;
    struct stat s;
    if (fstat(in, &s) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "%s: cannot stat", from);
    char *buffer = rc_alloc(block, 1, "copying a file", err);
    RC_PASS(buffer ? RC_OK : RC_ENOMEM);
    for (int64_t at = 0; at < s.st_size && st == RC_OK; at += block) {
        int64_t n = s.st_size - at < block ? s.st_size - at : block;
        st = rc_read_at(in, from, buffer, n, at, err);
        if (st == RC_OK)
            st = rc_write_at(out, to, buffer, (size_t)n, at, err);
    }
    free(buffer);
    return st;
}

rc_status_t rc_held_save(int in, const char *from, const char *to, rc_err_t *err)
{
    int out;
    RC_PASS(rc_open_file(to, RC_OPEN_NEW, 0666, &out, err));
    rc_status_t st = rc_held_copy(in, from, out, to, err);
    if (st == RC_OK && fsync(out) != 0)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot sync", to);
    if (close(out) != 0 && st == RC_OK)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot close", to);
    return st < 0 ? st : rc_sync_folder_of(to, err);
}
