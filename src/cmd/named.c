#include "config.h"
#include "cmd/named.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/replace.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "io/mtx.h"
#include "order/policy.h"
#include "sparse/generate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ a matrix */

/* A file of a few bytes that asks for gigabytes is taken at its word only when the user says so. */
static int64_t memory_for(const char *path)
{
    enum { free_bytes = 1 << 30, per_byte = 4096 };
    struct stat s;
    int64_t available = rc_memory_available();
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return available;
    int64_t most = rc_sat_add(2 * (int64_t)free_bytes, rc_sat_mul((int64_t)s.st_size, per_byte));
    return most < available ? most : available;
}

/* \param[in] parts  1: complex values are taken, too */
static rc_status_t load(const char *word, const rc_command_loading_t *how, int parts, rc_csr_t *out,
    rc_mtx_info_t *info, rc_err_t *err)
{
    memset(info, 0, sizeof *info);
    const char *spec = rc_builtin_spec(word);
    if (strncmp(word, RC_TWIN, strlen(RC_TWIN)) == 0)
        return rc_fail(err, RC_EINVAL,
            "'%s' needs a catalogue: 'rowcast generate %s --catalog CSV' prints the spec that "
            "stands for it",
            word, word);
    int looks_like_one =
        strchr(word, '/') || strstr(word, ".mtx") || strstr(word, ".npz") || strstr(word, ".mat");
    if (access(word, F_OK) == 0 || (!spec && looks_like_one)) {
        const rc_log_t log = {.stream = stderr, .level = RC_LOG_WARN, .rank = -1};
        const rc_mtx_bound_t bound = {.bytes = how->memory > 0 ? how->memory : memory_for(word),
            .row_work = how->orders ? RC_ORDER_ROW_BYTES : 0,
            .entry_work = (how->orders ? RC_ORDER_ENTRY_BYTES : 0) +
                          (parts ? 2 * (int64_t)sizeof(double) : 0),
            .option = "--memory",
            .log = &log};
        return rc_mtx_read_within(word, how->threads, &bound, out, info, err);
    }
    rc_status_t st = rc_generate(spec ? spec : word, out, NULL, err);
    return st == RC_ENOENT ? rc_err_context(err, "no file and no built-in matrix '%s'", word) : st;
}

rc_status_t rc_command_load(const char *word, int threads, int64_t memory, int orders,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    const rc_command_loading_t how = {threads, memory, orders};
    RC_PASS(load(word, &how, 0, out, info, err));
    if (strcmp(info->field, "complex") == 0)
        fprintf(stderr, "%s: " RC_COMPLEX_NOTICE "\n", word);
    return RC_OK;
}

rc_status_t rc_command_load_complex(
    const char *word, const rc_command_loading_t *how, rc_csr_t *out, double **parts, rc_err_t *err)
{
    rc_mtx_info_t info;
    *parts = NULL;
    RC_PASS(load(word, how, 1, out, &info, err));
    RC_PASS(RC_NEW(*parts, 2 * out->nnz, "complex values", err));
    return rc_mtx_parts(info.field[0] ? word : NULL, &info, how->threads, out, *parts, err);
}

rc_status_t rc_command_name_file(const char *word, rc_status_t st, rc_err_t *err)
{
    int names_another = st == RC_EIO || strncmp(err->text, "--", 2) == 0;
    if (st < 0 && !names_another && strncmp(err->text, word, strlen(word)) != 0)
        rc_err_context(err, "%s", word);
    return st;
}

rc_status_t rc_command_not_stdout(const char *path, const char *what, rc_err_t *err)
{
    return rc_replace_is_stdout(path)
               ? rc_fail(err, RC_EINVAL, "--output: expected %s, found '-'", what)
               : RC_OK;
}

/* ------------------------------------------------------------------- a model */

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

/* The models of a folder, as names or as paths, each behind `before` the first time, then behind
 * `between`; a folder that is not there has none.  \return their number */
static int add_models(
    rc_str_t *s, const char *folder, const char *before, const char *between, int as_paths)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, is_model, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        rc_str_add(s, i ? between : before);
        if (as_paths)
            rc_str_addf(s, "%s/%s", folder, name);
        else
            rc_str_addn(s, name, strlen(name) - END);
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
            add_models(out, place[i], out->len ? "\n" : "", "\n", 0);
}

/* The folder of models of the sources that the program was built in, which is beside its own or in
 * it: `folder` is "" where there is none. */
static void models_of_sources(char *folder, size_t size)
{
    enum { up = 2 };
    static const char models[] = "/data/models";
    ssize_t n = readlink("/proc/self/exe", folder, size);
    struct stat s;
    for (int i = 0; n > 0 && (size_t)n < size && i < up; i++) {
        while (--n > 0 && folder[n] != '/')
            ;
        if ((size_t)n + sizeof models > size)
            break;
        memcpy(folder + n, models, sizeof models);
        if (stat(folder, &s) == 0 && S_ISDIR(s.st_mode))
            return;
    }
    folder[0] = '\0';
}

/* Where there are no models, and what names those that are elsewhere.
 * \param[in] what  "no models" */
static rc_status_t no_models(const char *what, const char *const *place, rc_err_t *err)
{
    enum { longest = 4096 };
    char sources[longest];
    models_of_sources(sources, sizeof sources);
    return rc_fail(err, RC_ENOENT, "%s in %s%s%s; ROWCAST_MODELS%s%s%s", what,
        place[0] ? place[0] : "", place[0] ? " or " : "", place[1], sources[0] ? "=" : "", sources,
        sources[0] ? " takes those of the sources" : " names a folder of some");
}

rc_status_t rc_command_model_paths(rc_words_t *out, rc_err_t *err)
{
    const char *place[PLACES];
    rc_str_t list = {0};
    rc_status_t st = RC_OK;
    places(place);
    for (int i = 0; i < PLACES; i++)
        if (place[i] && (i == 0 || !place[0] || strcmp(place[0], place[i]) != 0))
            add_models(&list, place[i], list.len ? "\n" : "", "\n", 1);
    if (list.failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for file names");
    else if (list.len == 0)
        st = no_models("no models", place, err);
    else
        st = rc_words_split(list.text, '\n', out, err);
    rc_str_free(&list);
    return st;
}

static rc_status_t unknown_model(const char *word, const char *const *place, rc_err_t *err)
{
    rc_str_t list = {0};
    for (int i = 0; i < PLACES; i++)
        if (place[i] && add_models(&list, place[i], list.len ? "; " : "", ", ", 0) > 0)
            rc_str_addf(&list, " (in %s)", place[i]); /* "a, b (in DIR)" */
    if (list.text && !list.failed)
        rc_fail(err, RC_ENOENT, "no file and no model '%s'; there are %s", word, list.text);
    else {
        char what[96];
        (void)snprintf(what, sizeof what, "no file '%.60s', and no models", word);
        (void)no_models(what, place, err);
    }
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

/* ------------------------------------------------------------------ a device */

rc_status_t rc_command_open_device(const char *word, int threads, rc_device_t **out, rc_err_t *err)
{
    const char *name = word ? word : "auto";
    rc_gpu_info_t *list = NULL;
    rc_err_t why = {0};
    int gpus = 0;
    if (strcmp(name, "cpu") != 0 && strcmp(name, "cuda") != 0 && strcmp(name, "auto") != 0)
        return rc_fail(err, RC_EINVAL, "--device: expected cpu, cuda or auto, found '%.40s'", name);
    rc_status_t st = strcmp(name, "cpu") == 0 ? RC_OK : rc_gpu_list(&list, &gpus, &why);
    free(list);
    if (strcmp(name, "cuda") == 0 && (st < 0 || gpus == 0))
        return rc_fail(err, RC_EDEVICE, "--device cuda: %s", st < 0 ? why.text : "there is no GPU");
    return st == RC_OK && gpus > 0 ? rc_device_open_gpu(0, threads, out, err)
                                   : rc_device_open_cpu(threads, out, err);
}
