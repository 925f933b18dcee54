#include "config.h"
#include "cmd/numbers.h"
#include "base/error.h"
#include "base/open.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

rc_status_t rc_numbers_folder(const char *dir, rc_err_t *err)
{
    struct stat there;
    if (mkdir(dir, 0777) == 0)
        return RC_OK;
    if (errno != EEXIST)
        return rc_fail_errno(err, RC_EIO, errno, "cannot make the folder '%s'", dir);
    if (stat(dir, &there) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot look at '%s'", dir);
    return S_ISDIR(there.st_mode) ? RC_OK
                                  : rc_fail(err, RC_EIO, "%s: expected a folder, found a file", dir);
}

/* Whether the first line of a file begins so; a file that cannot be read does not. */
static int begins_with(const char *path, const char *first)
{
    char line[128] = "";
    FILE *f = fopen(path, "r");
    int yes = f && fgets(line, sizeof line, f) && strncmp(line, first, strlen(first)) == 0;
    if (f)
        (void)fclose(f); /* it was only read */
    return yes;
}

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

rc_status_t rc_numbers_clear(const char *dir, const char *end, const char *first, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    const struct dirent *entry;
    DIR *d = opendir(dir);
    if (!d)
        return rc_fail_errno(err, RC_EIO, errno, "cannot read the folder '%s'", dir);
    while (st == RC_OK && (entry = readdir(d)) != NULL) {
        rc_str_t path = {0};
        rc_str_addf(&path, "%s/%s", dir, entry->d_name);
        if (path.failed)
            st = rc_fail(err, RC_ENOMEM, "no memory for a path");
        else if (ends_with(entry->d_name, end) && begins_with(path.text, first) && unlink(path.text) != 0)
            st = rc_fail_errno(err, RC_EIO, errno, "cannot remove '%s'", path.text);
        rc_str_free(&path);
    }
    (void)closedir(d); /* it was only read */
    return st;
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
