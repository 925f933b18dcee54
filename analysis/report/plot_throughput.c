#include "config.h"
#include "analysis/report/plot_series.h"

enum { VENDOR, REFERENCE, OWN, SERIES };

static int64_t row_of(
    const rc_survey_t *s, int64_t pair, int series, const int64_t *own, const void *user)
{
    (void)user;
    return series == VENDOR      ? s->pair[pair].vendor
           : series == REFERENCE ? s->pair[pair].reference_csr
                                 : own[pair];
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    static const rc_plot_series_t series = {
        .series = SERIES,
        .name = {"cuSPARSE, csr", "reference, csr", "ours, any order"},
        .row = row_of,
        .y_name = "throughput (GFLOP/s)",
        .y = rc_plot_gflops,
    };
    const rc_survey_t *s = in->survey;
    if (in->shown < 0) {
        rc_str_add(&text->missing, rc_plot_no_results);
        return RC_OK;
    }
    const char *reference = s->setting[in->shown].reference;
    rc_str_add(&text->caption,
        "Throughput (2 x entries x K operations over the median time, without K for spmv) against "
        "entries: of each "
        "matrix the fastest cuSPARSE kernel, the reference kernel and the fastest of ours, as far "
        "as "
        "the store has them.");
    if (reference[0])
        rc_str_addf(&text->caption, " The reference kernel is %s.", reference);
    (void)rc_plot_define_limits(in, text);
    return rc_plot_series_write(&series, in, 1, csv, text, err);
}

const rc_plot_t rc_plot_throughput = {
    .name = "throughput",
    .title = "Throughput over entries",
    .source = "Mehrabi et al., figure 4; Hong et al., figures 8 and 9",
    .section = "Kernels",
    .home = rc_plot_home_main,
    .write = write,
};
