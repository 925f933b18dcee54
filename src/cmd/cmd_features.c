#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/one_matrix.h"
#include "feature/feature.h"

#include <stdlib.h>

struct options {
    rc_one_matrix_options_t matrix;
    const char *set;
};

#define MATRIX(member) offsetof(struct options, matrix.member)

static const rc_opt_t options[] = {
    RC_OPT("format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "table (default): a line per feature; csv: a line of names and a line of values; json."),
    RC_OPT("set", 0, RC_OPT_TEXT, offsetof(struct options, set), "SET",
        "Feature set (default mehrabi); 'rowcast info' lists them."),
    RC_ONE_MATRIX_OPTIONS(MATRIX),
    RC_OPT_END,
};

static const rc_feature_set_t *find_set(const char *name, rc_err_t *err)
{
    const rc_feature_set_t *set = rc_feature_set_find(name);
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
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < set->count; i++) {
        RC_CELLS(t, RC_TEXT(set->feature[i].name), RC_REAL(value[i], digits),
            RC_TEXT(set->feature[i].unit), RC_TEXT(set->feature[i].help));
    }
    return rc_table_end(t, err);
}

/* A column per feature, for programs. */
static rc_status_t print_wide(
    const rc_feature_set_t *set, const double *value, rc_table_format_t format, rc_err_t *err)
{
    enum { digits = 17 };
    rc_column_t *columns = rc_alloc((size_t)set->count, sizeof *columns, "columns", err);
    RC_PASS(columns ? RC_OK : RC_ENOMEM);
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

static rc_status_t features(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    const rc_feature_set_t *set = find_set(o->set, err);
    if (!set)
        return RC_EINVAL;
    double *value = rc_alloc((size_t)set->count, sizeof *value, "features", err);
    RC_PASS(value ? RC_OK : RC_ENOMEM);
    rc_status_t st = set->compute(&m->a, &m->geometry, m->threads, value, err);
    if (st == RC_OK)
        st = m->format == RC_TABLE_TEXT ? print_long(set, value, err)
                                        : print_wide(set, value, m->format, err);
    free(value);
    return st;
}

static rc_status_t check(const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    return find_set(o->set, err) ? RC_OK : RC_EINVAL;
}

const rc_command_t rc_command_features = {
    .name = "features",
    .summary = "print the features of a matrix",
    .usage = "FILE",
    .description = RC_ONE_MATRIX_HELP
    "\n\n"
    "The features are those of the original row order, for a team of N_w warps of N_t lanes "
    "that takes the rows in turn. The defaults are the GPU of Mehrabi et al. 2021.",
    .examples = "rowcast features matrix.mtx.xz|the 24 features with units and meaning\n"
                "rowcast features mesh3d:n=20 --nw 2 --nt 16 --line 16|for a CPU with 2 threads\n"
                "rowcast features rmat-14 --format csv|names and values for a program",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .matrix = RC_ONE_MATRIX_DEFAULTS, .set = "mehrabi"),
    .one_matrix = &(const rc_one_matrix_work_t){check, features, NULL},
};
