#include "config.h"
#include "cmd/numbers.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

rc_status_t rc_numbers_folder(const char *dir, int *made, rc_err_t *err)
{
    struct stat there;
    int is_new = mkdir(dir, 0777) == 0;
    if (made)
        *made = is_new;
    if (is_new)
        return RC_OK;
    if (errno != EEXIST)
        return rc_fail_errno(err, RC_EIO, errno, "cannot make the folder '%s'", dir);
    if (stat(dir, &there) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot look at '%s'", dir);
    return S_ISDIR(there.st_mode)
               ? RC_OK
               : rc_fail(err, RC_EIO, "%s: expected a folder, found a file", dir);
}

rc_status_t rc_numbers_begin(rc_numbers_t *n, const char *dir, rc_err_t *err)
{
    n->dir = dir;
    return rc_numbers_folder(dir, &n->made, err);
}

/* Whether the first line of a file begins so; a file that cannot be read does not. */
static int begins_with(const char *path, const char *first)
{
    char line[128] = "";
    FILE *f;
    int yes = rc_open_given(path, &f, NULL) == RC_OK && fgets(line, sizeof line, f) &&
              strncmp(line, first, strlen(first)) == 0;
    if (f)
        (void)fclose(f); /* it was only read */
    return yes;
}

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

/* Remove the files whose name ends with `end` and whose first line begins with `first`. */
static rc_status_t clear(const char *dir, const char *end, const char *first, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    const struct dirent *entry;
    DIR *d = opendir(dir);
    if (!d)
        return rc_fail_errno(err, RC_EIO, errno, "cannot read the folder '%s'", dir);
    while (st == RC_OK && (entry = readdir(d)) != NULL) {
        char *path = rc_strf("a path", err, "%s/%s", dir, entry->d_name);
        if (!path)
            st = RC_ENOMEM;
        else if (ends_with(entry->d_name, end) && begins_with(path, first) && unlink(path) != 0)
            st = rc_fail_errno(err, RC_EIO, errno, "cannot remove '%s'", path);
        free(path);
    }
    (void)closedir(d); /* it was only read */
    return st;
}

rc_status_t rc_numbers_open(rc_numbers_t *n, const char *name, FILE **out, rc_err_t *err)
{
    RC_PASS(RC_GROW(n->file, n->capacity, n->count + 1, "a list of files", err));
    char *path = rc_strf("a path", err, "%s/%s.txt", n->dir, name);
    rc_status_t st = path ? rc_replace_begin_ours(path, &n->file[n->count], err) : RC_ENOMEM;
    if (st == RC_OK)
        *out = n->file[n->count++].file;
    free(path);
    return st;
}

rc_status_t rc_numbers_close(rc_numbers_t *n, rc_err_t *err)
{
    return rc_replace_sync(&n->file[n->count - 1], err);
}

rc_status_t rc_numbers_put(
    void *to, const char *name, rc_format_at_fn *at, const void *from, int64_t count, rc_err_t *err)
{
    FILE *f = NULL;
    rc_status_t st = rc_numbers_open(to, name, &f, err);
    for (int64_t i = 0; st == RC_OK && i < count && !ferror(f); i++)
        fprintf(f, "%" PRId64 "\n", at(from, i));
    return st < 0 ? st : rc_numbers_close(to, err);
}

rc_status_t rc_numbers_end(rc_numbers_t *n, rc_status_t st, rc_err_t *err)
{
    rc_err_t *why = st < 0 ? NULL : err;
    if (st == RC_OK && n->old_end)
        st = clear(n->dir, n->old_end, n->old_first, err);
    for (size_t i = 0; i < n->count; i++) {
        rc_status_t one = rc_replace_end(&n->file[i], st == RC_OK, why);
        st = st < 0 ? st : one;
    }
    if (n->made && st < 0)
        (void)rmdir(n->dir); /* what is in it is not ours */
    free(n->file);
    *n = (rc_numbers_t){0};
    return st;
}
