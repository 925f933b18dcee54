#include "config.h"
#include "cmd/models.h"
#include "base/error.h"
#include "base/str.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char suffix[] = ".json";

enum { PLACES = 2 };

static void places(const char *place[PLACES])
{
    place[0] = getenv("ROWCAST_MODELS");
    place[1] = RC_PKGDATADIR "/models";
}

/* "a, b (in DIR)"; directories that are not there have none. */
static void add_names(rc_str_t *s, const char *folder)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, NULL, alphasort);
    int named = 0;
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        size_t length = strlen(name);
        size_t stem = length > sizeof suffix - 1 ? length - (sizeof suffix - 1) : 0;
        if (stem && strcmp(name + stem, suffix) == 0)
            rc_str_addf(s, "%s%.*s", named++ ? ", " : s->len ? "; " : "", (int)stem, name);
        free(entry[i]);
    }
    free(entry);
    if (named)
        rc_str_addf(s, " (in %s)", folder);
}

static rc_status_t unknown_model(const char *word, const char *const *place, rc_err_t *err)
{
    rc_str_t list = {0};
    for (int i = 0; i < PLACES; i++)
        if (place[i])
            add_names(&list, place[i]);
    if (list.text && !list.failed)
        rc_fail(err, RC_ENOENT, "no file and no model '%s'; there are %s", word, list.text);
    else
        rc_fail(err, RC_ENOENT, "no file '%s', and no models in %s%s%s", word,
            place[0] ? place[0] : "", place[0] ? " or " : "", place[1]);
    rc_str_free(&list);
    return RC_ENOENT;
}

rc_status_t rc_command_find_model(const char *word, char **path, rc_err_t *err)
{
    const char *place[PLACES];
    if (strchr(word, '/') || strstr(word, suffix) || access(word, F_OK) == 0) {
        *path = rc_strdup(word, err);
        return *path ? RC_OK : RC_ENOMEM;
    }
    places(place);
    for (int i = 0; i < PLACES; i++) {
        rc_str_t s = {0};
        if (!place[i])
            continue;
        rc_str_addf(&s, "%s/%s%s", place[i], word, suffix);
        if (s.failed)
            return rc_fail(err, RC_ENOMEM, "no memory for a file name");
        if (access(s.text, F_OK) == 0) {
            *path = s.text;
            return RC_OK;
        }
        rc_str_free(&s);
    }
    return unknown_model(word, place, err);
}

rc_status_t rc_command_model(const char *word, rc_model_t **out, rc_err_t *err)
{
    char *path = NULL;
    rc_status_t st = rc_command_find_model(word, &path, err);
    if (st == RC_OK)
        st = rc_model_read(path, out, err);
    free(path);
    if (st == RC_ENOTSUP && err)
        err->status = RC_EFORMAT;
    return st;
}
