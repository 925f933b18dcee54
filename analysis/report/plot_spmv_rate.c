#include "config.h"
#include "analysis/report/plot_series.h"
#include "table/six.h"

#include <string.h>

enum { VENDOR = RC_SIX, SERIES = RC_SIX + 1 };

static int is_named(const char *kernel, const void *name)
{
    return strcmp(kernel, name) == 0;
}

/* Our kernel of a format at its defaults in original order; the fastest of the vendor's. */
static int64_t row_of(
    const rc_survey_t *s, int64_t pair, int series, const int64_t *own, const void *user)
{
    (void)own;
    (void)user;
    return series == VENDOR ? s->pair[pair].vendor
                            : rc_plot_fastest(s, pair, is_named, rc_six_kernels[series]);
}

/* 1: there is a point. */
static int any_format(const rc_plot_input_t *in)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[in->shown];
    for (int64_t p = a->first; p < a->first + a->pairs; p++)
        for (int f = 0; f < RC_SIX; f++)
            if (row_of(s, p, f, NULL, NULL) >= 0)
                return 1;
    return 0;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    static const rc_plot_series_t series = {
        .series = SERIES,
        .name = {"coo", "ell", "csr", "hyb", "csr5", "merge", "cuSPARSE"},
        .row = row_of,
        .y_name = "rate (Gflop/s)",
        .y = rc_plot_gflops,
    };
    if (in->survey->op != RC_OP_SPMV || in->shown < 0 || !any_format(in)) {
        rc_str_add(&text->missing, in->survey->op != RC_OP_SPMV
                                       ? "the report is of another operation than spmv"
                                       : "the store has none of the six formats of spmv");
        return RC_OK;
    }
    rc_str_add(&text->caption,
        "Rate (2 x entries operations over the median time) against entries: each format as our "
        "kernel at its defaults in the original order, and of each matrix the fastest cuSPARSE "
        "kernel, as far as the store has them.");
    rc_status_t st = rc_plot_series_write(&series, in, 1, csv, text, err);
    rc_str_add(&text->define, "HEIGHT = PANELS > 4 ? 560 : 340\n");
    return st;
}

const rc_plot_t rc_plot_spmv_rate = {
    .name = "spmv-rate",
    .title = "SpMV in six formats",
    .source = "Nisa et al., figures 2 and 3",
    .section = "Kernels",
    .home = rc_plot_home_main,
    .write = write,
};
