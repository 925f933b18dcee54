#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/table.h"
#include "feature/feature.h"

#include <omp.h>
#include <stdlib.h>

struct options {
    const char *format;
    const char *set;
    int64_t nw;
    int64_t nt;
    int64_t line;
    int64_t threads;
};

static const rc_opt_t options[] = {
    {"format", 0, RC_OPT_TEXT, offsetof(struct options, format), "FORMAT",
        "table (default): a line per feature; csv: a line of names and a line of values; json.", 0,
        0},
    {"set", 0, RC_OPT_TEXT, offsetof(struct options, set), "NAME", "Feature set (default mehrabi).",
        0, 0},
    {"nw", 0, RC_OPT_INT, offsetof(struct options, nw), "N",
        "Warps (CPU: threads) of a team, N_w (default 32).", 1, 65536},
    {"nt", 0, RC_OPT_INT, offsetof(struct options, nt), "N",
        "Lanes of a warp (CPU: SIMD lanes), N_t (default 32).", 1, 65536},
    {"line", 0, RC_OPT_INT, offsetof(struct options, line), "N",
        "Columns of A per cache line of a column of B (default 32: 128 bytes in fp32).", 1, 65536},
    {"threads", 't', RC_OPT_INT, offsetof(struct options, threads), "N",
        "Threads to use (default 0: all). The values do not depend on it.", 0, 4096},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static int run(int argc, char **argv);

const rc_command_t rc_command_features = {
    .name = "features",
    .summary = "print the features of a matrix",
    .usage = "FILE",
    .description =
        "FILE is a Matrix Market file (plain, .gz, .xz, .zst or .tar.gz), the name of a built-in "
        "matrix, or a generator spec (see 'rowcast generate --list').\n\n"
        "The features are those of the original row order, for a team of N_w warps of N_t lanes "
        "that takes the rows in turn. The defaults are the GPU of Mehrabi et al. 2021.",
    .examples = "rowcast features matrix.mtx.xz|the 24 features with units and meaning\n"
                "rowcast features mesh3d:n=20 --nw 2 --nt 16 --line 16|for a CPU with 2 threads\n"
                "rowcast features rmat-14 --format csv|names and values for a program",
    .options = options,
    .run = run,
};

static const rc_feature_set_t *find_set(const char *name, rc_err_t *err)
{
    const rc_feature_set_t *set = rc_feature_set_find(name ? name : "mehrabi");
    if (set)
        return set;
    rc_str_t list = {0};
    for (int i = 0; rc_feature_sets[i]; i++)
        rc_str_addf(&list, "%s%s", i ? ", " : "", rc_feature_sets[i]->name);
    rc_fail(err, RC_EINVAL, "unknown feature set '%s'; known: %s", name,
        list.text && !list.failed ? list.text : "");
    rc_str_free(&list);
    return NULL;
}

/* A row per feature, for people. */
static rc_status_t print_long(const rc_feature_set_t *set, const double *value, rc_err_t *err)
{
    static const rc_column_t columns[] = {
        {"feature", ""}, {"value", ""}, {"unit", ""}, {"meaning", ""}};
    enum { digits = 9 };
    rc_table_t *t =
        rc_table_begin(stdout, RC_TABLE_TEXT, columns, sizeof columns / sizeof columns[0], err);
    if (!t)
        return RC_ENOMEM;
    for (int i = 0; i < set->count; i++) {
        rc_table_text(t, set->feature[i].name);
        rc_table_real(t, value[i], digits);
        rc_table_text(t, set->feature[i].unit);
        rc_table_text(t, set->feature[i].help);
    }
    return rc_table_end(t, err);
}

/* A column per feature, for programs. */
static rc_status_t print_wide(
    const rc_feature_set_t *set, const double *value, rc_table_format_t format, rc_err_t *err)
{
    enum { digits = 17 };
    rc_column_t *columns = malloc((size_t)set->count * sizeof *columns);
    if (!columns)
        return rc_fail(err, RC_ENOMEM, "no memory for %d columns", set->count);
    for (int i = 0; i < set->count; i++)
        columns[i] = (rc_column_t){set->feature[i].name, set->feature[i].unit};
    rc_status_t st = RC_ENOMEM;
    rc_table_t *t = rc_table_begin(stdout, format, columns, set->count, err);
    if (t) {
        for (int i = 0; i < set->count; i++)
            rc_table_real(t, value[i], digits);
        st = rc_table_end(t, err);
    }
    free(columns);
    return st;
}

static rc_status_t features_of(const char *word, const struct options *o,
    const rc_feature_set_t *set, double *value, rc_err_t *err)
{
    rc_csr_t a;
    rc_mtx_info_t info;
    int threads = o->threads ? (int)o->threads : omp_get_max_threads();
    rc_status_t st = rc_command_load(word, threads, &a, &info, err);
    if (st < 0)
        return st;
    rc_geometry_t g = {(int32_t)o->nw, (int32_t)o->nt, (int32_t)o->line};
    st = set->compute(&a, &g, threads, value, err);
    rc_csr_free(&a);
    return st;
}

static int run(int argc, char **argv)
{
    struct options o = {.nw = 32, .nt = 32, .line = 32};
    char **operands;
    int code = rc_command_parse(&rc_command_features, &o, argc, argv, 1, 1, &operands);
    if (code != RC_EXIT_OK)
        return code;
    rc_err_t err = {0};
    rc_table_format_t format;
    const rc_feature_set_t *set = NULL;
    if (rc_table_format_parse(o.format, &format, &err) < 0 || !(set = find_set(o.set, &err)))
        return rc_command_fail(&rc_command_features, &err);
    double *value = malloc((size_t)set->count * sizeof *value);
    rc_status_t st = value ? features_of(operands[0], &o, set, value, &err)
                           : rc_fail(&err, RC_ENOMEM, "no memory for %d features", set->count);
    if (st == RC_OK)
        st = format == RC_TABLE_TEXT ? print_long(set, value, &err)
                                     : print_wide(set, value, format, &err);
    free(value);
    return st < 0 ? rc_command_fail(&rc_command_features, &err) : RC_EXIT_OK;
}
