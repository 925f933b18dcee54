#include "config.h"
#include "analysis/trainer.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "device/device.h"
#include "feature/feature.h"
#include "format/format.h"
#include "kernels/kernel.h"
#include "order/policy.h"
#include "sparse/generate.h"
#include "table/print.h"
#include "sweep/binding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *format;
};

static const rc_opt_t table[] = {
    RC_FORMAT_OPTION(RC_AT(format)),
    RC_OPT_END,
};

enum { NAMES_MOST = 512 };

/* What is printed: all, or what has a name. */
typedef struct info {
    rc_table_t *table; /* of csv and json, from the first row on */
    rc_table_format_t format;
    const char *wanted; /* NULL: all */
    int found;
    const char *name[NAMES_MOST]; /* that there are */
    int names;
    rc_err_t *err;
} info_t;

static int is_wanted(const info_t *t, const char *name)
{
    const size_t n = t->wanted ? strlen(t->wanted) : 0;
    return !t->wanted || (strncmp(name, t->wanted, n) == 0 && (name[n] == '\0' || name[n] == ':'));
}

static void put(info_t *t, const char *what, const char *name, int version, const char *summary,
    const char *source)
{
    static const char columns[] = "what|name|version|summary|source";
    enum { width = 100, of_name = 18, of_part = 34, others = 17 };
    const int is_part = strchr(name, ':') && strcmp(what, "gpu") != 0;
    const int column = t->wanted ? of_part : of_name;
    if (!is_part && t->names < NAMES_MOST)
        t->name[t->names++] = name;
    if (!is_wanted(t, name) || (t->format == RC_TABLE_TEXT && is_part && !t->wanted))
        return;
    t->found = 1;
    if (t->format != RC_TABLE_TEXT) {
        if (!t->table)
            t->table = rc_table_of(stdout, t->format, columns, 0, t->err);
        RC_CELLS(t->table, RC_TEXT(what), RC_TEXT(name), version > 0 ? RC_INT(version) : RC_MISSING,
            RC_TEXT(summary), RC_TEXT(source));
        return;
    }
    const char *said = is_part ? strchr(name, ':') + 1 : name;
    printf("%-9s  %-*s %-3.*d", strcmp(what, "policy") == 0 ? "order" : what, column, said,
        version > 0, version);
    if (strlen(said) > (size_t)column)
        printf("\n%*s", column + others, "");
    rc_wrap(summary, column + others, width, stdout);
    if (t->wanted && source[0]) {
        printf("%-*s", column + others, "source");
        rc_wrap(source, column + others, width, stdout);
    }
}

/* The row of a descriptor. */
#define PUT(t, what, d) put(t, what, (d)->name, (d)->version, (d)->summary, (d)->source)

/* One row a parameter, "cstat:strip". */
static void put_params(info_t *t, const char *owner, const rc_param_t *param)
{
    for (int i = 0; i < rc_params_count(param); i++) {
        char name[96];
        char takes[160];
        char text[320];
        snprintf(name, sizeof name, "%s:%s", owner, param[i].name);
        rc_param_describe(&param[i], takes, sizeof takes);
        snprintf(text, sizeof text, "%s (%s)", param[i].help, takes);
        put(t, "parameter", name, 0, text, "");
    }
}

/* With the format that its matrix gets. */
static void put_kernel(info_t *t, const rc_kernel_t *k)
{
    char text[320];
    snprintf(text, sizeof text, "%s%s%s", k->summary, k->format ? "; format " : "",
        k->format ? k->format : "");
    put(t, "kernel", k->name, k->version, text, k->source);
    put_params(t, k->name, k->param);
}

static void put_build(info_t *t)
{
    put(t, "build", "version", 0, PACKAGE_VERSION, "");
    put(t, "build", "commit", 0, RC_BUILD_GIT, "");
    put(t, "build", "compiler", 0, RC_BUILD_CC, "");
    put(t, "build", "flags", 0, RC_BUILD_CFLAGS, "");
    put(t, "build", "hdf5", 0, RC_BUILD_HDF5, "");
    put(t, "build", "cuda", 0, RC_BUILD_CUDA, "");
}

static rc_status_t put_device(info_t *t, rc_err_t *err)
{
    rc_device_t *d = NULL;
    rc_str_t left_out = {0};
    char text[160];
    RC_PASS(rc_device_open_cpu(0, &d, err));
    snprintf(text, sizeof text, "%d threads, %d fp32 lanes, %d-byte lines, %s cache, %s memory",
        d->executor.threads, d->executor.lanes32, d->executor.line_bytes,
        rc_text_bytes((double)d->cache_bytes).text, rc_text_bytes((double)d->memory_bytes).text);
    put(t, "device", d->uuid, 0, d->name, d->class_name);
    put(t, "device", d->uuid, 0, text, "");
    rc_binding_left_out(&left_out);
    if (left_out.len)
        put(t, "device", d->uuid, 0, left_out.text, "not used");
    rc_str_free(&left_out);
    rc_device_close(d);
    return RC_OK;
}

static void put_versions(info_t *t)
{
    enum { per_major = 1000, per_minor = 10, library_minor = 100 };
    rc_gpu_versions_t v;
    char text[128];
    if (rc_gpu_versions(&v, NULL) < 0)
        return; /* the line above says why there is no CUDA */
    snprintf(text, sizeof text, "%d.%d", v.runtime / per_major, v.runtime % per_major / per_minor);
    put(t, "library", "cuda runtime", 0, text, "");
    snprintf(text, sizeof text, "%d.%d.%d", v.cusparse / per_major,
        v.cusparse % per_major / library_minor, v.cusparse % library_minor);
    put(t, "library", "cusparse", 0, text, "");
    if (v.driver > 0)
        snprintf(text, sizeof text, "%s%sfor CUDA up to %d.%d", v.driver_name,
            v.driver_name[0] ? ", " : "", v.driver / per_major, v.driver % per_major / per_minor);
    else
        snprintf(text, sizeof text, "none found");
    put(t, "library", "cuda driver", 0, text, "");
}

/* Every GPU that this process sees, or why there is none. */
static rc_status_t put_gpus(info_t *t, rc_err_t *err)
{
    rc_gpu_info_t *list = NULL;
    rc_err_t why = {0};
    int n = 0;
    rc_status_t st = rc_gpu_list(&list, &n, &why);
    if (st == RC_ENOMEM) {
        *err = why;
        return st;
    }
    if (n == 0)
        put(t, "gpu", "none", 0, st < 0 ? why.text : "the driver shows no GPU to this process", "");
    for (int i = 0; i < n; i++) {
        char name[32];
        char text[160];
        const rc_gpu_info_t *g = &list[i];
        snprintf(name, sizeof name, "cuda:%d", g->index);
        snprintf(text, sizeof text, "compute capability %d.%d, %d SMs, %s L2, %s memory, PCI %s",
            g->cc_major, g->cc_minor, g->sms, rc_text_bytes((double)g->l2_bytes).text,
            rc_text_bytes((double)g->memory_bytes).text, g->pci);
        put(t, "gpu", name, 0, g->name, g->uuid);
        put(t, "gpu", name, 0, text, "");
    }
    free(list);
    return RC_OK;
}

static rc_status_t put_machine(info_t *t, rc_err_t *err)
{
    put_build(t);
    put_versions(t);
    RC_PASS(put_device(t, err));
    return put_gpus(t, err);
}

/* With its features where it is asked for. */
static void put_features(info_t *t, const rc_feature_set_t *set)
{
    PUT(t, "features", set);
    for (int i = 0; t->wanted && strcmp(set->name, t->wanted) == 0 && i < set->count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s:%s", set->name, set->feature[i].name);
        put(t, "feature", name, 0, set->feature[i].help, "");
    }
}

static void put_registries(info_t *t)
{
    for (int i = 0; rc_policies[i]; i++) {
        PUT(t, "policy", rc_policies[i]);
        put_params(t, rc_policies[i]->name, rc_policies[i]->param);
    }
    for (int i = 0; rc_policies_absent[i].name; i++)
        put(t, "absent", rc_policies_absent[i].name, 0, rc_policies_absent[i].reason, "");
    for (int i = 0; rc_operations[i]; i++)
        PUT(t, "operation", rc_operations[i]);
    for (int i = 0; rc_kernels[i]; i++)
        put_kernel(t, rc_kernels[i]);
    for (int i = 0; rc_formats[i]; i++) {
        put(t, "format", rc_formats[i]->name, 0, rc_formats[i]->summary, rc_formats[i]->source);
        put_params(t, rc_formats[i]->name, rc_formats[i]->param);
    }
    for (int i = 0; rc_feature_sets[i]; i++)
        put_features(t, rc_feature_sets[i]);
    for (int i = 0; rc_trainers[i]; i++)
        PUT(t, "trainer", rc_trainers[i]);
    for (int i = 0; rc_predictor_kinds[i]; i++)
        put(t, "predictor", rc_predictor_kinds[i]->name, rc_predictor_kinds[i]->version,
            rc_predictor_kinds[i]->summary, "");
    for (int i = 0; rc_generators[i]; i++)
        PUT(t, "generator", rc_generators[i]);
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    info_t info = {
        .wanted = call->operands ? call->operand[0] : NULL, .format = call->format, .err = err};
    rc_status_t st = info.wanted ? RC_OK : put_machine(&info, err);
    put_registries(&info);
    if (st == RC_OK && info.wanted && !info.found)
        return rc_fail_unknown(err, RC_EINVAL, "name", info.wanted, info.name, info.names);
    return rc_table_end_after(st, info.table, err);
}

const rc_command_t rc_command_info = {
    .name = "info",
    .summary = "print the build, the devices, and the registries",
    .usage = "[OPTIONS] [NAME]",
    .description =
        "Prints how this program was built, the CPUs and GPUs that a sweep can use here, and "
        "every order, operation, kernel, storage format, feature set, trainer and generator with "
        "its version and summary.\n\n"
        "With NAME only what has that name, with its source, and its parameters with what they "
        "take; of a feature set its features. csv and json have sources and parameters of all.",
    .examples = "rowcast info cstat|a kernel and its parameters\n"
                "rowcast info mehrabi|the features of a set",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, 0),
    .operands = {0, 1},
    .work = run,
};
