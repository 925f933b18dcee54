#include "config.h"
#include "analysis/report/plot_series.h"
#include "base/error.h"
#include "base/family.h"
#include "table/rate_by.h"
#include "table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RS, VENDOR, SERIES };

static int is_rs(const char *kernel, const void *user)
{
    (void)user;
    return rc_spec_is(kernel, "rs") || rc_spec_is(kernel, "rs-spmm_t");
}

static int64_t row_of(
    const rc_survey_t *s, int64_t pair, int series, const int64_t *own, const void *user)
{
    (void)own;
    (void)user;
    return series == VENDOR ? s->pair[pair].vendor : rc_plot_fastest(s, pair, is_rs, NULL);
}

static double ratio_of(const rc_survey_matrix_t *m, const void *user)
{
    const double *share = user;
    return share[m->row->id];
}

/* Training matrices have no point, as in the table. */
static rc_status_t leave_out(const rc_view_t *v, double *share, rc_err_t *err)
{
    unsigned char *training = NULL;
    int64_t count;
    rc_status_t st = rc_training_of(v, &training, &count, err);
    for (int32_t m = 0; st == RC_OK && m < rc_view_matrices(v); m++)
        share[m] = training[m] ? NAN : share[m];
    free(training);
    return st;
}

static int any_rs(const rc_survey_t *s, const rc_survey_setting_t *a)
{
    for (int64_t pair = a->first; pair < a->first + a->pairs; pair++)
        if (row_of(s, pair, RS, NULL, NULL) >= 0)
            return 1;
    return 0;
}

/* The share of every matrix; nothing where the store has none. */
static rc_status_t keep(const rc_plot_input_t *in, void **out, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    double *share = NULL;
    rc_err_t why = {0};
    int any = 0;
    for (int a = 0; a < s->settings && !any; a++)
        any = any_rs(s, &s->setting[a]);
    if (!any)
        return RC_OK;
    if (rc_feature_share(s->view, in->store, "heavy_ratio", &share, &why) < 0)
        return why.status == RC_EINVAL ? RC_OK : rc_fail(err, why.status, "%s", why.text);
    *out = share;
    return leave_out(s->view, share, err);
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_plot_series_t series = {
        .series = SERIES,
        .name = {"rs", "cuSPARSE, csr"},
        .row = row_of,
        .x_name = "heavy_ratio",
        .x = ratio_of,
        .y_name = "throughput (GFLOP/s)",
        .y = rc_plot_gflops,
        .user = in->kept,
    };
    const rc_survey_t *s = in->survey;
    const char *missing =
        in->shown < 0                        ? rc_plot_no_results
        : !any_rs(s, &s->setting[in->shown]) ? "the store has no rs"
        : !in->kept
            ? "the store has no heavy_ratio: rowcast sweep with the feature set heavy adds it"
            : NULL;
    if (missing) {
        rc_str_add(&text->missing, missing);
        return RC_OK;
    }
    rc_str_add(&text->caption,
        "Throughput of rs, the fastest of its parameters in natural order, and of the fastest "
        "cuSPARSE kernel against the share of entries in heavy row segments (panels of 256 "
        "columns, more than 4 entries), decreasing; matrices that its parameters were chosen on "
        "are left out.");
    return rc_plot_series_write(&series, in, 1, csv, text, err);
}

const rc_plot_t rc_plot_rate_heavy = {
    .name = "rate-heavy",
    .title = "Throughput by the share of heavy entries",
    .source = "Hong et al., figure 16",
    .section = "Kernels",
    .home = rc_plot_home_main,
    .keep = keep,
    .drop = free,
    .write = write,
};
