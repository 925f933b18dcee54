#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/listing.h"
#include "cmd/one_matrix.h"
#include "feature/feature.h"

#include <stdlib.h>

struct options {
    rc_one_matrix_options_t matrix;
    const char *set;
};

#define MATRIX(member) RC_AT(matrix.member)

static const rc_opt_t options[] = {
    RC_OPT("format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "table (default): a line per feature; csv: a line of names and a line of values; json."),
    RC_OPT("set", 0, RC_OPT_TEXT, RC_AT(set), "SET",
        "Feature set (default mehrabi); 'rowcast info' lists them."),
    RC_ONE_MATRIX_OPTIONS(MATRIX),
    RC_OPT_END,
};

static const rc_feature_set_t *find_set(const char *name, rc_err_t *err)
{
    enum { most = 32 };
    const char *names[most];
    const rc_feature_set_t *set = rc_feature_set_find(name);
    if (set)
        return set;
    int n = 0;
    for (; rc_feature_sets[n] && n < most; n++)
        names[n] = rc_feature_sets[n]->name;
    (void)rc_fail_unknown(err, RC_EINVAL, "feature set", name, names, n);
    return NULL;
}

static rc_status_t features(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    enum { digits = 9 };
    const struct options *o = chosen;
    const rc_feature_set_t *set = find_set(o->set, err);
    if (!set)
        return RC_EINVAL;
    double *value = rc_alloc((size_t)set->count, sizeof *value, "features", err);
    rc_listed_t *figure = rc_alloc((size_t)set->count, sizeof *figure, "features", err);
    rc_status_t st = value && figure ? RC_OK : RC_ENOMEM;
    if (st == RC_OK)
        st = set->compute(&m->a, &m->geometry, m->threads, value, err);
    for (int i = 0; st == RC_OK && i < set->count; i++)
        figure[i] = (rc_listed_t){set->feature[i].name, RC_REAL(value[i], digits),
            set->feature[i].unit, set->feature[i].help};
    if (st == RC_OK)
        st = rc_listing_figures(m->format, "feature", figure, set->count, err);
    free(value);
    free(figure);
    return st;
}

static rc_status_t check(const void *chosen, int *orders, rc_err_t *err)
{
    (void)orders;
    const struct options *o = chosen;
    return find_set(o->set, err) ? RC_OK : RC_EINVAL;
}

const rc_command_t rc_command_features = {
    .name = "features",
    .summary = "print the features of a matrix",
    .usage = "FILE",
    .description = RC_FILE_HELP
    "\n\n"
    "The features are those of the original row order, for a team of N_w warps of N_t lanes "
    "that takes the rows in turn. The defaults are the GPU of Mehrabi et al. 2021.",
    .examples = "rowcast features matrix.mtx.xz|the 24 features with units and meaning\n"
                "rowcast features mesh3d:n=20 --nw 2 --nt 16 --line 16|for a CPU with 2 threads\n"
                "rowcast features rmat-14 --format csv|names and values for a program",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .matrix = RC_ONE_MATRIX_DEFAULTS, .set = "mehrabi"),
    .operands = {1, 1},
    .one_matrix = &(const rc_one_matrix_work_t){check, features},
};
