#include "config.h"
#include "cmd/numbers.h"
#include "base/error.h"
#include "base/open.h"

#include <errno.h>
#include <sys/stat.h>

rc_status_t rc_numbers_folder(const char *dir, rc_err_t *err)
{
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return rc_fail_errno(err, RC_EIO, errno, "cannot make the folder '%s'", dir);
    return RC_OK;
}

rc_status_t rc_numbers_open(
    const char *dir, const char *name, rc_str_t *path, FILE **out, rc_err_t *err)
{
    rc_str_addf(path, "%s/%s.txt", dir, name);
    if (path->failed)
        return rc_fail(err, RC_ENOMEM, "no memory for a path");
    *out = rc_open_stream(path->text, RC_OPEN_FRESH, err);
    return *out ? RC_OK : RC_EIO;
}

rc_status_t rc_numbers_close(FILE *f, const char *path, rc_err_t *err)
{
    int failed = ferror(f);
    if (fclose(f) != 0 || failed)
        return rc_fail_errno(err, RC_EIO, errno, "cannot write '%s'", path);
    return RC_OK;
}
