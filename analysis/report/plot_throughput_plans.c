#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { NR, RR, VENDOR, PLANS };

typedef struct point {
    double rate[PLANS]; /* NaN: not measured */
    int64_t pair;       /* of the setting */
} point_t;

static int by_nr(const void *x, const void *y)
{
    const point_t *a = x;
    const point_t *b = y;
    if (a->rate[NR] != b->rate[NR])
        return a->rate[NR] < b->rate[NR] ? -1 : 1;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

/* Matrices that have both plans of aspt, by the throughput of the first; how many. */
static int64_t collect(
    const rc_survey_t *s, const rc_survey_setting_t *a, const int64_t *row, point_t *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < a->pairs; i++) {
        point_t p = {.pair = i};
        for (int k = 0; k < PLANS; k++)
            p.rate[k] = rc_plot_gflops(s, row[i * PLANS + k]);
        if (p.rate[NR] > 0 && p.rate[RR] > 0)
            out[n++] = p;
    }
    qsort(out, (size_t)n, sizeof *out, by_nr);
    return n;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[in->shown];
    int64_t *row = NULL;
    point_t *point = rc_alloc((size_t)a->pairs, sizeof *point, "a figure", err);
    rc_status_t st;
    RC_TRY(point ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_plot_plans(in, in->shown, "aspt-nr,aspt-rr,cusparse", PLANS, &row, err));
    int64_t n = collect(s, a, row, point);
    if (n == 0) {
        rc_plot_lacks(in, "no matrix with results of aspt without reordering and with it", text);
        goto done;
    }
    fputs("number,matrix,aspt-nr (Gflop/s),aspt-rr (Gflop/s),cuSPARSE (Gflop/s)\n", csv);
    rc_plot_block_begin(text, "POINTS");
    for (int64_t i = 0; i < n; i++) {
        const double *rate = point[i].rate;
        RC_PLOT_ROW(csv, RC_INT(i + 1),
            RC_TEXT(s->matrix[s->pair[a->first + point[i].pair].matrix].name), RC_REAL(rate[NR], 6),
            RC_REAL(rate[RR], 6), RC_REAL(rate[VENDOR], 6));
        rc_str_addf(&text->define, "%" PRId64 ",%.6g,%.6g,", i + 1, rate[NR], rate[RR]);
        if (!isnan(rate[VENDOR])) /* the other two are there */
            rc_str_addf(&text->define, "%.6g", rate[VENDOR]);
        rc_str_add(&text->define, "\n");
    }
    rc_plot_block_end(text);
    rc_plot_define_number(text, "MATRICES", (double)n);
    rc_plot_define_text(text, "SUBTITLE", a->label);
    rc_str_addf(&text->caption,
        "Throughput of the plans aspt-nr (no reordering), aspt-rr (both rounds by rule) and "
        "of the fastest cuSPARSE kernel in the original order, %" PRId64
        " matrices in the order of aspt-nr, %s. Preparation is not in the times.",
        n, a->label);
done:
    free(row);
    free(point);
    return st;
}

const rc_plot_t rc_plot_throughput_plans = {
    .name = "throughput-plans",
    .title = "Throughput with and without reordering",
    .source = "Jiang et al., figures 10 and 11",
    .section = "Orders",
    .needs_results = 1,
    .write = write,
};
