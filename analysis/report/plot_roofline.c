#include "config.h"
#include "analysis/report/plot_series.h"
#include "base/type.h"
#include "table/roofline.h"

#include <math.h>
#include <string.h>

enum { VENDOR, OWN, SERIES };

static int64_t row_of(
    const rc_survey_t *s, int64_t pair, int series, const int64_t *own, const void *user)
{
    (void)user;
    return series == VENDOR ? s->pair[pair].vendor : own[pair];
}

/* Compulsory traffic over the time, in bytes a ns. */
static double rate(const rc_survey_t *s, int64_t row)
{
    const rc_row_result_t *r = rc_view_result(s->view, row);
    return r->bytes_min > 0 ? (double)r->bytes_min / r->median_ns : NAN;
}

static double fraction(const rc_survey_t *s, int64_t row, double scale)
{
    return scale * rate(s, row);
}

/* What the product would reach at the bandwidth of memory (table/roofline.h) is 1. */
static double of_bound(const rc_survey_t *s, int64_t row, double gbs)
{
    const rc_row_result_t *r = rc_view_result(s->view, row);
    const rc_row_matrix_t *m = rc_view_matrix(s->view, r->matrix);
    return rc_plot_gflops(s, row, 1) / rc_roofline_bound(m->rows, m->cols, m->nnz,
                                           r->k > 0 ? r->k : 1, rc_type(r->precision)->bytes, gbs);
}

/* Highest rate on a device, over everything that was measured there. */
static double highest_rate(const rc_survey_t *s, const char *device)
{
    double most = NAN;
    for (int64_t i = 0; i < s->entering; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        if (strcmp(rc_view_device(s->view, r->device), device) == 0)
            most = fmax(most, rate(s, s->rows[i])); /* fmax passes NaN over */
    }
    return most;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    static const rc_plot_series_t series = {
        .series = SERIES,
        .name = {"cuSPARSE, csr", "ours, any order"},
        .row = row_of,
        .y_name = "share of the highest rate",
        .y = fraction,
    };
    static const rc_plot_series_t bounded = {
        .series = SERIES,
        .name = {"cuSPARSE, csr", "ours, any order"},
        .row = row_of,
        .y_name = "share of the roofline",
        .y = of_bound,
    };
    const rc_survey_t *s = in->survey;
    const rc_report_limits_t *limits = rc_plot_limits(in);
    double peak = NAN;
    if (limits) {
        rc_str_addf(&text->caption,
            "Throughput as a share of what reading A (CSR), B and C once each from memory allows, "
            "at the %.4g GB/s that `rowcast calibrate --limits` measured on this device, against "
            "entries: matrices that the caches hold can exceed 1. Of each matrix the fastest "
            "cuSPARSE kernel and the fastest of ours, as far as the store has them.",
            limits->memory);
        return rc_plot_series_write(&bounded, in, limits->memory, csv, text, err);
    }
    if (in->shown >= 0)
        peak = highest_rate(s, s->setting[in->shown].device);
    if (!(peak > 0)) {
        rc_str_add(&text->missing,
            in->shown < 0 ? rc_plot_no_results : "the store has no bytes of traffic");
        return RC_OK;
    }
    rc_str_addf(&text->caption,
        "Rate of compulsory traffic (A, B and C once each) as a share of %.4g GB/s, the highest "
        "rate of any result in the store on %s, against "
        "entries: the store has no peak bandwidth of the "
        "device, and matrices that fit the caches can exceed that of memory. Of each matrix the "
        "fastest cuSPARSE kernel and the fastest of ours, as far as the store has them.",
        peak, s->setting[in->shown].device);
    return rc_plot_series_write(&series, in, 1 / peak, csv, text, err);
}

const rc_plot_t rc_plot_roofline = {
    .name = "roofline",
    .title = "Share of the highest memory rate over entries",
    .source = "Hong et al., figure 1",
    .section = "Kernels",
    .home = rc_plot_home_main,
    .write = write,
};
