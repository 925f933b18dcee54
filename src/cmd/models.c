#include "config.h"
#include "cmd/models.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char suffix[] = ".json";

enum { PLACES = 2, END = sizeof suffix - 1 };

static void places(const char *place[PLACES])
{
    place[0] = getenv("ROWCAST_MODELS");
    place[1] = RC_PKGDATADIR "/models";
}

static int is_model(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > END && strcmp(entry->d_name + length - END, suffix) == 0;
}

/* Names of the models of a folder, each behind `before` the first time, then behind `between`; a
 * folder that is not there has none.  \return their number */
static int add_names(rc_str_t *s, const char *folder, const char *before, const char *between)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, is_model, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        rc_str_addf(s, "%s%.*s", i ? between : before, (int)(strlen(name) - END), name);
        free(entry[i]);
    }
    free(entry);
    return n;
}

void rc_command_model_names(rc_str_t *out)
{
    const char *place[PLACES];
    places(place);
    for (int i = 0; i < PLACES; i++)
        if (place[i])
            add_names(out, place[i], out->len ? "\n" : "", "\n");
}

static rc_status_t unknown_model(const char *word, const char *const *place, rc_err_t *err)
{
    rc_str_t list = {0};
    for (int i = 0; i < PLACES; i++)
        if (place[i] && add_names(&list, place[i], list.len ? "; " : "", ", ") > 0)
            rc_str_addf(&list, " (in %s)", place[i]); /* "a, b (in DIR)" */
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
        if (!place[i])
            continue;
        *path = rc_strf("a file name", err, "%s/%s%s", place[i], word, suffix);
        if (!*path || access(*path, F_OK) == 0)
            return *path ? RC_OK : RC_ENOMEM;
        free(*path);
        *path = NULL;
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

/* ------------------------------------------------------------- one that fits */

/* A model of a folder. */
typedef struct found {
    char *path;
    rc_model_t *m; /* NULL: cannot be read */
    int fits;
    rc_err_t why; /* it does not */
} found_t;

typedef struct finding {
    found_t *model;
    size_t capacity;
    int count;
    rc_status_t (*fits)(const void *context, const rc_model_t *m, rc_err_t *err);
    const void *context;
} finding_t;

static rc_status_t add_model(finding_t *f, const char *folder, const char *name, rc_err_t *err)
{
    RC_PASS(RC_GROW(f->model, f->capacity, (size_t)f->count + 1, "models", err));
    char *path = rc_strf("a file name", err, "%s/%s", folder, name);
    RC_PASS(path ? RC_OK : RC_ENOMEM);
    found_t *one = &f->model[f->count++];
    *one = (found_t){.path = path};
    if (rc_model_read(path, &one->m, &one->why) == RC_OK)
        one->fits = f->fits(f->context, one->m, &one->why) == RC_OK;
    return RC_OK;
}

static rc_status_t add_folder(finding_t *f, const char *folder, rc_err_t *err)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, is_model, alphasort);
    rc_status_t st = RC_OK;
    for (int i = 0; i < n; i++) {
        if (st == RC_OK)
            st = add_model(f, folder, entry[i]->d_name, err);
        free(entry[i]);
    }
    free(entry);
    return st;
}

static void list_models(const finding_t *f, FILE *out)
{
    for (int i = 0; i < f->count; i++) {
        const found_t *one = &f->model[i];
        char knows[256] = "";
        rc_model_knows(one->m, knows, sizeof knows);
        if (one->fits)
            fprintf(out, "%s: fits; knows %s\n", one->path, knows);
        else if (one->m)
            fprintf(out, "%s: knows %s; %s\n", one->path, knows, one->why.text);
        else
            fprintf(out, "%s\n", one->why.text);
    }
}

rc_status_t rc_command_fitting_model(
    rc_status_t (*fits)(const void *context, const rc_model_t *m, rc_err_t *err),
    int (*rank)(const void *context, const rc_model_t *m), const void *context, FILE *list,
    rc_model_t **out, char **name, rc_err_t *err)
{
    finding_t f = {.fits = fits, .context = context};
    const char *place[PLACES];
    int count = 0;
    int at = 0;
    int best = 0;
    rc_status_t st = RC_OK;
    places(place);
    for (int i = 0; i < PLACES && st == RC_OK; i++)
        if (place[i] && (i == 0 || !place[0] || strcmp(place[0], place[i]) != 0))
            st = add_folder(&f, place[i], err);
    for (int i = 0; i < f.count; i++) {
        int of = f.model[i].fits ? rank(context, f.model[i].m) : 0;
        if (!f.model[i].fits || (count && of < best))
            continue;
        count = count && of == best ? count + 1 : 1;
        best = of;
        at = i;
    }
    if (st == RC_OK && count == 1) {
        *out = f.model[at].m;
        *name = f.model[at].path;
        f.model[at] = (found_t){0};
    } else if (st == RC_OK) {
        list_models(&f, list);
        st = count ? rc_fail(err, RC_EINVAL,
                         "--model: %d installed models fit alike (of the list above): name one",
                         count)
                   : rc_fail(err, RC_ENOENT, "--model: none of %d installed models fits", f.count);
    }
    for (int i = 0; i < f.count; i++) {
        rc_model_free(f.model[i].m);
        free(f.model[i].path);
    }
    free(f.model);
    return st;
}
