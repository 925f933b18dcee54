#include "config.h"
#include "store/path.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The folder of a store that is not there yet, and its name in it. */
static rc_status_t new_path(const char *path, char **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    char *folder = NULL;
    char *for_dir = rc_strdup(path, err);
    char *for_base = rc_strdup(path, err);
    RC_TRY(for_dir && for_base ? RC_OK : RC_ENOMEM);
    folder = realpath(dirname(for_dir), NULL);
    if (!folder) {
        int why = errno;
        st = rc_fail_errno(err, why == ENOENT ? RC_ENOENT : RC_EIO, why,
            "%s: cannot find the folder of the store", path);
        goto done;
    }
    *out = rc_strf("a path", err, "%s/%s", folder, basename(for_base));
    st = *out ? RC_OK : RC_ENOMEM;
done:
    free(folder);
    free(for_dir);
    free(for_base);
    return st;
}

rc_status_t rc_store_path(const char *path, char **out, rc_err_t *err)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return new_path(path, out, err);
    if (!S_ISREG(s.st_mode))
        return rc_fail(
            err, RC_ESTORE, "%s: expected a store, found %s", path, rc_open_kind(s.st_mode));
    *out = realpath(path, NULL);
    return *out ? RC_OK : rc_fail_errno(err, RC_EIO, errno, "%s: cannot resolve", path);
}
