#include "config.h"
#include "dropin/plans.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char library[] = "librowcast_cuda.so.1";

static struct {
    pthread_once_t once;
    int there;
    rc_plans_t plans;
    char why[160];
} opened = {.once = PTHREAD_ONCE_INIT};

/* In the folder that the engine is in, or in one beside it.  NULL: it is not there */
static void *open_in(const char *beside)
{
    char path[PATH_MAX];
    Dl_info info;
    const char *slash =
        dladdr(&opened, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (!slash)
        return NULL;
    int n = snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - info.dli_fname), info.dli_fname,
        beside, library);
    return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* The one that the program has, then the installed one, then that of a build. */
static void *open_library(void)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!handle)
        handle = open_in("../");
    if (!handle)
        handle = open_in("");
    return handle ? handle : dlopen(library, RTLD_NOW | RTLD_LOCAL);
}

static void open_once(void)
{
    rc_plans_t *p = &opened.plans;
    const struct {
        const char *name;
        void *function;
    } wanted[] = {{"rc_gpu_list", &p->gpu_list}, {"rc_plan_create", &p->create},
        {"rc_plan_execute", &p->execute}, {"rc_plan_execute_complex", &p->execute_complex},
        {"rc_plan_free", &p->free}, {"rc_plan_part", &p->part}, {"rc_plan_places", &p->places},
        {"rc_plan_update_values", &p->update_values}};
    void *handle = open_library();
    opened.there = handle != NULL;
    for (size_t i = 0; opened.there && i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(handle, wanted[i].name);
        memcpy(wanted[i].function, &symbol, sizeof symbol);
        opened.there = symbol != NULL;
    }
    const char *why = opened.there ? NULL : dlerror();
    (void)snprintf(opened.why, sizeof opened.why, "%s", why ? why : "it cannot be opened");
}

const rc_plans_t *rc_plans(rc_err_t *err)
{
    (void)pthread_once(&opened.once, open_once);
    if (opened.there)
        return &opened.plans;
    err->status = RC_ENOTSUP;
    (void)snprintf(err->text, sizeof err->text, "%s", opened.why);
    return NULL;
}
