#include "config.h"
#include "analysis/report/plot_series.h"
#include "base/error.h"
#include "table/rate_by.h"
#include "table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RS, VENDOR, SERIES };

static int is_rs(const char *kernel, const void *user)
{
    (void)user;
    return strncmp(kernel, "rs:", 3) == 0 || strncmp(kernel, "rs-spmm_t:", 10) == 0;
}

static int64_t row_of(const rc_survey_t *s, int64_t pair, int series, const int64_t *own, const void *user)
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

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_series_t series = {
        .series = SERIES,
        .name = {"rs", "cuSPARSE, csr"},
        .row = row_of,
        .x_name = "heavy_ratio",
        .x = ratio_of,
        .y_name = "throughput (GFLOP/s)",
        .y = rc_plot_gflops,
    };
    const rc_survey_t *s = in->survey;
    double *share = NULL;
    rc_err_t why = {0};
    if (in->shown < 0 || !any_rs(s, &s->setting[in->shown])) {
        rc_str_add(&text->missing, in->shown < 0 ? rc_plot_no_results : "the store has no rs");
        return RC_OK;
    }
    if (rc_feature_share(s->view, in->store, "heavy_ratio", &share, &why) < 0) {
        if (why.status != RC_EINVAL)
            return rc_fail(err, why.status, "%s", why.text);
        rc_str_add(&text->missing, "the store has no heavy_ratio: rowcast sweep with the feature set heavy adds it");
        return RC_OK;
    }
    series.user = share;
    rc_str_add(&text->caption, "Throughput of rs, the fastest of its parameters in natural order, and of the fastest cuSPARSE kernel "
                               "against the share of entries in heavy row segments (panels of 256 columns, more than 4 entries), "
                               "decreasing; matrices that its parameters were chosen on are left out.");
    rc_status_t st = leave_out(s->view, share, err);
    if (st == RC_OK)
        st = rc_plot_series_write(&series, in, 1, csv, text, err);
    free(share);
    return st;
}

const rc_plot_t rc_plot_rate_heavy = {
    .name = "rate-heavy",
    .title = "Throughput by the share of heavy entries",
    .source = "Hong et al., figure 16",
    .section = "Kernels",
    .home = rc_plot_home_main,
    .write = write,
};
