#include "config.h"
#include "base/replace.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open what becomes r->target.  \param[in] beside  0: the target itself, a pipe or a device */
static rc_status_t begin(rc_replace_t *r, int beside, rc_err_t *err)
{
    if (beside) {
        rc_str_t fresh = {0};
        rc_str_addf(&fresh, "%s.tmp%ld", r->target, (long)getpid());
        r->fresh = fresh.text;
        if (fresh.failed) {
            rc_replace_end(r, 0, NULL);
            return rc_fail(err, RC_ENOMEM, "no memory for a file name");
        }
        r->file = rc_open_stream(r->fresh, RC_OPEN_FRESH, err);
    } else {
        r->file = fopen(r->target, "w");
        if (!r->file)
            rc_fail_errno(err, RC_EIO, errno, "cannot open it");
    }
    if (r->file)
        return RC_OK;
    rc_err_context(err, "cannot write '%s'", r->target);
    free(r->fresh); /* nothing to remove */
    r->fresh = NULL;
    rc_replace_end(r, 0, NULL);
    return RC_EIO;
}

rc_status_t rc_replace_begin(const char *path, rc_replace_t *r, rc_err_t *err)
{
    *r = (rc_replace_t){0};
    struct stat there;
    int exists = stat(path, &there) == 0;
    r->target = exists ? realpath(path, NULL) : rc_strdup(path, err);
    if (!r->target)
        return exists ? rc_fail_errno(err, RC_EIO, errno, "cannot write '%s'", path) : RC_ENOMEM;
    return begin(r, !exists || S_ISREG(there.st_mode), err);
}

rc_status_t rc_replace_begin_ours(const char *path, rc_replace_t *r, rc_err_t *err)
{
    *r = (rc_replace_t){.target = rc_strdup(path, err)};
    return r->target ? begin(r, 1, err) : RC_ENOMEM;
}

rc_status_t rc_replace_end(rc_replace_t *r, int keep, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (r->file) {
        int failed = fflush(r->file) != 0 || ferror(r->file);
        /* the name must not come to stand for contents that are not on the disk yet */
        failed = failed || (keep && r->fresh && fsync(fileno(r->file)) != 0);
        int cause = errno;
        if (fclose(r->file) != 0 && !failed) {
            failed = 1;
            cause = errno;
        }
        if (keep && failed)
            st = cause == EISDIR
                     ? rc_fail(err, RC_EIO, "%s: expected a file, found a folder", r->target)
                     : rc_fail_errno(err, RC_EIO, cause, "cannot write '%s'", r->target);
    }
    if (r->fresh && keep && st == RC_OK && rename(r->fresh, r->target) != 0)
        st = rc_fail_errno(err, RC_EIO, errno, "cannot rename '%s'", r->fresh);
    if (r->fresh && (!keep || st < 0))
        unlink(r->fresh);
    free(r->target);
    free(r->fresh);
    *r = (rc_replace_t){0};
    return st;
}
