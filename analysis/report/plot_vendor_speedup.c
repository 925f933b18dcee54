#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "kernels/vendor/vendor.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* What is compared with the fastest cuSPARSE kernel. */
enum { REFERENCE_CSR, OWN_CSR, OWN_ANY, SERIES };
static const char *const series_name[SERIES] = {
    "reference kernel, csr", "fastest kernel, csr", "fastest kernel and order"};

/* A bar of one setting.  \param[out] ratio  [pairs] scratch  \return matrices that it is of */
static int64_t put_bar(const rc_survey_t *s, const rc_survey_setting_t *a, int series,
    double *ratio, FILE *csv, rc_plot_text_t *t)
{
    int64_t n = 0;
    rc_stats_t x;
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        int64_t row = series == REFERENCE_CSR ? s->pair[i].row[RC_CHOICE_REFERENCE_CSR]
                                              : rc_plot_own_best(s, i, series == OWN_CSR);
        double r = rc_survey_ns(s, s->pair[i].row[RC_CHOICE_VENDOR_CSR]) / rc_survey_ns(s, row);
        if (!isnan(r))
            ratio[n++] = r;
    }
    if (n == 0 || (series == REFERENCE_CSR && rc_vendor_is(a->reference)))
        return 0;
    rc_stats_compute(ratio, n, &x);
    RC_PLOT_ROW(csv, RC_TEXT(a->label), RC_TEXT(series_name[series]),
        RC_TEXT(series == REFERENCE_CSR ? a->reference : ""), RC_INT(n), RC_REAL(x.geomean, 6),
        RC_REAL(x.mean, 6), RC_REAL(x.min, 6), RC_REAL(x.max, 6));
    rc_str_addf(&t->define, "%d,%.6g,%.6g\n", series, x.geomean, x.mean);
    return n;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    rc_plot_text_t names = {0};
    int settings = 0;
    int shown = 0; /* its group, from 1 */
    int64_t most = 0;
    double *ratio = rc_alloc((size_t)s->pairs, sizeof *ratio, "a figure", err);
    RC_PASS(ratio ? RC_OK : RC_ENOMEM);
    fputs(
        "setting,what,kernel,matrices,geomean speedup over cuSPARSE (x),mean (x),min (x),max (x)\n",
        csv);
    rc_plot_block_begin(text, "BARS");
    for (int a = 0; a < s->settings; a++) {
        int64_t any = 0;
        const rc_setting_t *of = &s->setting[a].setting;
        if (of->layout != s->setting[in->shown].setting.layout ||
            of->device != s->setting[in->shown].setting.device)
            continue; /* no plan mixes layouts */
        for (int k = 0; k < SERIES; k++) {
            int64_t n = put_bar(s, &s->setting[a], k, ratio, csv, text);
            any += n;
            most = n > most ? n : most;
        }
        if (!any)
            continue;
        rc_str_add(&text->define, "\n\n");
        rc_plot_define_item(&names, "ARENAS", ++settings, s->setting[a].label);
        shown = a == in->shown ? settings : shown;
    }
    rc_plot_block_end(text);
    rc_str_addf(&text->define, "GROUPS = %d\nSHOWN = %d\narray ARENAS[GROUPS]\n%s", settings, shown,
        names.define.text ? names.define.text : "");
    text->define.failed |= names.define.failed;
    if (settings == 0)
        rc_str_add(&text->missing, rc_plot_no_vendor);
    else if (shown == 0)
        rc_plot_lacks(in, "no result of cuSPARSE to compare with", text);
    rc_str_addf(&text->define, "HEIGHT = %d\n", 120 + 84 * settings);
    rc_str_addf(&text->caption,
        "Speedup over the fastest cuSPARSE algorithm of each matrix in the original order, geomean "
        "over up to %" PRId64
        " matrices: the reference kernel in the original order, the fastest of "
        "our kernels in the original order, and the fastest of them in its best order. "
        "Preprocessing "
        "and ordering are not in the times. What is the fastest is chosen and scored on the same "
        "measurements. All products of this layout are in it; %s is brought out.",
        most, s->setting[in->shown].label);
    rc_plot_text_free(&names);
    free(ratio);
    return RC_OK;
}

const rc_plot_t rc_plot_vendor_speedup = {
    .name = "vendor-speedup",
    .title = "Speedup over cuSPARSE",
    .source = "Mehrabi et al., figure 3",
    .section = "Kernels",
    .needs_results = 1,
    .write = write,
};
