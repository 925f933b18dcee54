#include "config.h"
#include "store/archive.h"
#include "base/error.h"
#include "base/str.h"
#include "store/h5.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int same_file(const char *a, const char *b)
{
    struct stat x;
    struct stat y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

rc_status_t rc_archive(const char *from, const char *to, int samples, rc_err_t *err)
{
    rc_h5_t h = {.file = -1};
    rc_str_t fresh = {0};
    if (same_file(from, to))
        return rc_fail(err, RC_EINVAL, "%s: the copy would replace the store itself", to);
    rc_status_t st = rc_h5_open(from, 0, &h, err);
    if (st < 0)
        return st;
    rc_str_addf(&fresh, "%s.archive-tmp", to);
    if (fresh.failed)
        RC_TRY(rc_fail(err, RC_ENOMEM, "no memory for the name of a copy"));
    RC_TRY(rc_h5_copy(&h, fresh.text, 1, samples, err));
    if (rename(fresh.text, to) != 0)
        RC_TRY(rc_fail_errno(err, RC_EIO, errno, "%s: cannot rename %s to it", to, fresh.text));
done:
    if (st < 0 && fresh.text)
        unlink(fresh.text);
    (void)rc_h5_close(&h, NULL);
    rc_str_free(&fresh);
    return st;
}
