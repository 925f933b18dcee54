#include "config.h"
#include "compiled_model.h"
#include "model_fixture.h"
#include "scratch.h"
#include "unit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *symbol(void *handle, const char *name, const char *what)
{
    char full[128];
    snprintf(full, sizeof full, "%s_%s", name, what);
    void *p = dlsym(handle, full);
    if (!p)
        fail_msg("no %s", full);
    return p;
}

static void write_source(const rc_model_t *m, const char *name, const char *path)
{
    rc_err_t err = {0};
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    if (rc_model_export_c(m, name, f, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(fclose(f), 0);
}

void compile_model(
    void **state, const rc_model_t *m, const char *name, const char *flags, compiled_model_t *out)
{
    char source[SCRATCH_PATH];
    char library[SCRATCH_PATH];
    char command[4 * SCRATCH_PATH];
    char file[64];
    snprintf(file, sizeof file, "%s.c", name);
    scratch_path(state, file, source);
    snprintf(file, sizeof file, "%s.so", name);
    scratch_path(state, file, library);
    write_source(m, name, source);
    snprintf(command, sizeof command,
        TEST_CC " -Wall -Wextra -Wmissing-prototypes -Werror -pedantic %s -fPIC -shared "
                "-o '%s' '%s' -lm >&2",
        flags, library, source);
    if (system(command) != 0)
        fail_msg("cannot compile: %s", command);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail_msg("%s", dlerror());
    out->handle = handle;
    *(void **)&out->choose = symbol(handle, name, "choose");
    out->input = symbol(handle, name, "input");
    out->cls = symbol(handle, name, "class");
}

void unload_model(compiled_model_t *c)
{
    dlclose(c->handle);
}

int compiled_model_agrees(
    const compiled_model_t *c, const rc_model_t *m, const double *value, double *scratch)
{
    double *mine = malloc(2 * (size_t)m->classes * sizeof *mine);
    assert_non_null(mine);
    double *theirs = mine + m->classes;
    int chosen = rc_model_choose_raw(m, value, scratch, mine);
    int same = c->choose(value, theirs) == chosen && c->choose(value, NULL) == chosen &&
               same_bits(mine, theirs, m->classes);
    free(mine);
    return same;
}
