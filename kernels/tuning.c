#include "config.h"
#include "kernels/tuning.h"
#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* 1: it is there, and no folder. */
static int is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISDIR(s.st_mode);
}

/* 1: DIR/WORD.json is there, and its name in path. */
static int is_in(const char *dir, const char *word, rc_str_t *path)
{
    rc_str_free(path);
    *path = (rc_str_t){0};
    rc_str_addf(path, "%s/%s.json", dir, word);
    return !path->failed && is_file(path->text);
}

int rc_tuning_find(const char *word, rc_str_t *path)
{
    const char *own = getenv("ROWCAST_TUNING");
    *path = (rc_str_t){0};
    if (!strchr(word, '/') && !strstr(word, ".json")) {
        if (is_in(own ? own : RC_PKGDATADIR "/tuning", word, path))
            return 1;
        rc_str_free(path);
        *path = (rc_str_t){0};
    }
    rc_str_add(path, word);
    return !path->failed && is_file(word);
}

rc_status_t rc_tuning_read(const char *word, const char *known,
    rc_status_t (*parse)(const json_t *root, void *user, rc_err_t *err), void *user, rc_err_t *err)
{
    rc_str_t path;
    json_error_t why;
    (void)rc_tuning_find(word, &path);
    FILE *f = path.failed ? NULL : fopen(path.text, "r");
    rc_status_t st = f ? RC_OK
                     : path.failed ? rc_fail(err, RC_ENOMEM, "no memory for a file name")
                                   : rc_fail_errno(err, errno == ENOENT ? RC_ENOENT : RC_EIO, errno,
                                         "%s%scannot open '%s'", known ? known : "", known ? ", and " : "", word);
    if (st < 0) {
        rc_str_free(&path);
        return st;
    }
    json_t *root = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    (void)fclose(f);
    if (json_is_object(root))
        st = parse(root, user, err);
    else
        st = rc_fail(err, RC_EFORMAT, "line %d: %s", root ? 1 : why.line, root ? "expected an object" : why.text);
    json_decref(root);
    if (st < 0)
        (void)rc_err_context(err, "%s", path.text);
    rc_str_free(&path);
    return st;
}

rc_status_t rc_tuning_number(
    const json_t *o, const char *path, const char *key, double least, double *out, rc_err_t *err)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v))
        return rc_fail(err, RC_EFORMAT, "%s.%s: expected a number, found %s", path, key,
            !v ? "none" : json_is_null(v) ? "null" : "something else");
    *out = json_number_value(v);
    if (!isfinite(*out) || *out < least)
        return rc_fail(err, RC_EFORMAT, "%s.%s: expected a finite number of %g or more, found %g", path,
            key, least, *out);
    return RC_OK;
}
