#include "config.h"
#include "table/rate_by.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/features_read.h"
#include "table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* \param[in,out] found  1: a set has the feature */
static rc_status_t read_set(const rc_view_t *v, const char *store, const char *set,
    const char *feature, double *out, int *found, rc_err_t *err)
{
    rc_feature_table_t t = {0};
    rc_status_t st = rc_feature_table_read(store, set, &t, err);
    int column = st == RC_OK ? rc_feature_column(&t, feature) : -1;
    for (int64_t r = 0; column >= 0 && r < t.rows && st == RC_OK; r++) {
        double x = t.value[r * t.names.count + column];
        int32_t m = t.row[r].matrix;
        if (m < 0 || m >= rc_view_matrices(v))
            continue;
        if (!(x >= 0 && x <= 1))
            st = rc_fail(err, RC_EINVAL,
                "%s of %s is %g: expected a feature that is a share from 0 to 1", feature,
                rc_view_matrix(v, m)->name, x);
        out[m] = x;
    }
    *found |= column >= 0;
    rc_feature_table_free(&t);
    return st;
}

rc_status_t rc_feature_share(
    const rc_view_t *v, const char *store, const char *feature, double **out, rc_err_t *err)
{
    rc_words_t sets = {0};
    int found = 0;
    double *x = rc_alloc((size_t)rc_view_matrices(v), sizeof *x, "features", err);
    rc_status_t st = x ? rc_feature_tables(store, &sets, err) : RC_ENOMEM;
    for (int32_t m = 0; x && m < rc_view_matrices(v); m++)
        x[m] = NAN;
    for (int i = 0; st == RC_OK && i < sets.count && !found; i++)
        st = read_set(v, store, sets.word[i], feature, x, &found, err);
    if (st == RC_OK && !found)
        st = rc_fail(err, RC_EINVAL, "%s: no feature set of the store has '%s'", store, feature);
    rc_words_free(&sets);
    if (st < 0)
        free(x);
    else
        *out = x;
    return st;
}

int rc_quarter(double share)
{
    int q = (int)ceil(share * RC_QUARTERS) - 1;
    return q < 0 ? 0 : q;
}

typedef struct rates {
    rc_counted_t c;
    unsigned char *training;
    const double *share;
} rates_t;

/* A variant in a setting, all quarters.  \param[out] line  [RC_QUARTERS] */
static void lines_of(
    const rates_t *r, int setting, rc_segmented_set_t set, int variant, rc_rate_by_t *line)
{
    int32_t last = -1;
    for (int q = 0; q < RC_QUARTERS; q++)
        line[q] = (rc_rate_by_t){.setting = r->c.setting[setting], .set = set, .quarter = q};
    for (int64_t i = 0; i < r->c.rows; i++) {
        const rc_counted_row_t *e = &r->c.row[i];
        double flops = rc_view_flops(r->c.view, e->row);
        if (e->setting != setting || e->variant != variant || e->matrix == last ||
            r->training[e->matrix] || !rc_segmented_is_in(&r->c, e->matrix, set) ||
            !(r->share[e->matrix] >= 0) || !(flops > 0))
            continue; /* of several geometries the fastest comes first */
        rc_rate_by_t *l = &line[rc_quarter(r->share[e->matrix])];
        double gflops = flops / e->ns;
        last = e->matrix;
        l->kernel = rc_view_kernel(r->c.view, e->kernel);
        l->policy = rc_view_policy(r->c.view, e->policy);
        l->matrices++;
        l->gflops_geomean += log(gflops);
        l->gflops_mean += gflops;
        l->gflops_max = fmax(l->gflops_max, gflops);
    }
    for (int q = 0; q < RC_QUARTERS; q++) {
        double n = (double)line[q].matrices;
        line[q].gflops_geomean = n > 0 ? exp(line[q].gflops_geomean / n) : NAN;
        line[q].gflops_mean = n > 0 ? line[q].gflops_mean / n : NAN;
    }
}

/* Lines that have matrices, moved to the front.  \return how many */
static int pack(rc_rate_by_t *line, int n)
{
    int to = 0;
    for (int i = 0; i < n; i++)
        if (line[i].matrices > 0)
            line[to++] = line[i];
    return to;
}

rc_status_t rc_rate_by_make(const rc_view_t *v, const rc_expr_t *where, const double *share,
    rc_rate_by_t **out, int *count, rc_err_t *err)
{
    rates_t r = {.share = share};
    rc_rate_by_t *list = NULL;
    int64_t trained;
    int n = 0;
    rc_status_t st;
    RC_TRY(rc_training_of(v, &r.training, &trained, err));
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &r.c, err));
    list = rc_alloc((size_t)r.c.settings * RC_SEGMENTED_SETS * (size_t)r.c.variants * RC_QUARTERS,
        sizeof *list, "a table", err);
    RC_TRY(list ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < r.c.settings; s++)
        for (int set = 0; set < RC_SEGMENTED_SETS; set++)
            for (int variant = 0; variant < r.c.variants; variant++) {
                lines_of(&r, s, (rc_segmented_set_t)set, variant, list + n);
                n += pack(list + n, RC_QUARTERS);
            }
    *out = list;
    *count = n;
    list = NULL;
done:
    free(list);
    free(r.training);
    rc_counted_free(&r.c);
    return st;
}
