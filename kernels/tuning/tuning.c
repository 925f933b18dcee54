#include "config.h"
#include "kernels/tuning/tuning.h"
#include "base/error.h"
#include "base/open.h"

#include <dirent.h>
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
    rc_str_addf(path, "%s/%s.json", dir, word);
    return !path->failed && is_file(path->text);
}

static const char *folder(void)
{
    const char *own = getenv("ROWCAST_TUNING");
    return own ? own : RC_PKGDATADIR "/tuning";
}

int rc_tuning_find(const char *word, rc_str_t *path)
{
    *path = (rc_str_t){0};
    if (!strchr(word, '/') && !strstr(word, ".json")) {
        if (is_in(folder(), word, path))
            return 1;
        rc_str_free(path);
    }
    rc_str_add(path, word);
    return !path->failed && is_file(word);
}

/* 1: the file of a word says that it was measured on that class. */
static int is_of(const char *word, const char *device)
{
    rc_str_t path;
    int found = rc_tuning_find(word, &path);
    json_t *root = found ? json_load_file(path.text, 0, NULL) : NULL;
    const char *says = json_string_value(json_object_get(root, "device"));
    found = says && strcmp(says, device) == 0;
    json_decref(root);
    rc_str_free(&path);
    return found;
}

/* The word of a file name KIND-*.json. */
static int is_of_kind(const char *name, const char *kind, rc_str_t *word)
{
    size_t n = strlen(name);
    size_t k = strlen(kind);
    rc_str_free(word);
    if (n < k + 7 || strncmp(name, kind, k) != 0 || name[k] != '-' ||
        strcmp(name + n - 5, ".json") != 0)
        return 0;
    rc_str_addf(word, "%.*s", (int)(n - 5), name);
    return !word->failed;
}

static int is_before(const rc_str_t *a, const rc_str_t *b)
{
    return b->len == 0 || a->len < b->len || (a->len == b->len && strcmp(a->text, b->text) < 0);
}

int rc_tuning_of_device(const char *kind, const char *device, rc_str_t *word)
{
    DIR *d = opendir(folder());
    rc_str_t one = {0};
    *word = (rc_str_t){0};
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (!is_of_kind(e->d_name, kind, &one) || !is_before(&one, word) ||
            !is_of(one.text, device))
            continue;
        rc_str_free(word);
        *word = one;
        one = (rc_str_t){0};
    }
    word->failed |= one.failed;
    rc_str_free(&one);
    if (d)
        (void)closedir(d);
    return word->len > 0 && !word->failed;
}

rc_status_t rc_tuning_read(const char *word, const char *known,
    rc_status_t (*parse)(const json_t *root, void *user, rc_err_t *err), void *user, rc_err_t *err)
{
    rc_str_t path;
    json_error_t why;
    (void)rc_tuning_find(word, &path);
    FILE *f = NULL;
    rc_status_t st = path.failed ? rc_fail(err, RC_ENOMEM, "no memory for a file name")
                                 : rc_open_given(path.text, &f, err);
    if (st < 0 && known && !path.failed)
        (void)rc_err_context(err, "%s, and no file", known);
    if (st < 0) {
        rc_str_free(&path);
        return st;
    }
    json_t *root = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    (void)fclose(f);
    if (json_is_object(root))
        st = parse(root, user, err);
    else
        st = rc_fail(err, RC_EFORMAT, "line %d: %s", root ? 1 : why.line,
            root ? "expected an object" : why.text);
    json_decref(root);
    if (st < 0)
        (void)rc_err_context(err, "%s", path.text);
    rc_str_free(&path);
    return st;
}

rc_status_t rc_tuning_device(const json_t *root, char *to, size_t size, rc_err_t *err)
{
    const char *text = json_string_value(json_object_get(root, "device"));
    if (!text || !text[0] || strlen(text) >= size)
        return rc_fail(err, RC_EFORMAT, "device: expected a text of 1 to %zu bytes", size - 1);
    memcpy(to, text, strlen(text) + 1);
    return RC_OK;
}

rc_status_t rc_tuning_number(
    const json_t *o, const char *path, const char *key, double least, double *out, rc_err_t *err)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v))
        return rc_fail(err, RC_EFORMAT, "%s.%s: expected a number, found %s", path, key,
            !v                ? "none"
            : json_is_null(v) ? "null"
                              : "something else");
    *out = json_number_value(v);
    if (!isfinite(*out) || *out < least)
        return rc_fail(err, RC_EFORMAT, "%s.%s: expected a finite number of %g or more, found %g",
            path, key, least, *out);
    return RC_OK;
}
