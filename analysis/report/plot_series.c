#include "config.h"
#include "analysis/report/plot_series.h"
#include "analysis/report/plot_block.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void put_row(const rc_survey_t *s, const char *series, int64_t row,
    const rc_survey_matrix_t *m, double y, FILE *csv)
{
    const rc_row_result_t *r = rc_view_result(s->view, row);
    rc_plot_put_text(csv, series);
    fputc(',', csv);
    rc_plot_put_text(csv, m->name);
    fprintf(csv, ",%" PRId64 ",", m->row->nnz);
    rc_plot_put_text(csv, rc_view_kernel(s->view, r->kernel));
    fputc(',', csv);
    rc_plot_put_text(csv, rc_view_policy(s->view, r->policy));
    fputc(',', csv);
    rc_plot_put_number(csv, y);
    fputc('\n', csv);
}

/* Points of one series to x and y, [pairs of the setting]; how many there are. */
static int64_t collect(const rc_plot_series_t *p, const rc_plot_input_t *in, int series, double scale,
    const int64_t *own, double *x, double *y, FILE *csv)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[in->shown];
    int64_t n = 0;
    for (int64_t i = 0; i < a->pairs; i++) {
        const rc_survey_matrix_t *m = &s->matrix[s->pair[a->first + i].matrix];
        int64_t row = p->row(s, a->first + i, series, own);
        x[i] = (double)m->row->nnz;
        y[i] = row < 0 ? NAN : p->y(s, row, scale);
        if (isnan(y[i]))
            continue;
        put_row(s, p->name[series], row, m, y[i], csv);
        n++;
    }
    return n;
}

static rc_status_t fill(const rc_plot_series_t *p, const rc_plot_input_t *in, double scale,
    const int64_t *own, double *x, FILE *csv, rc_plot_text_t *t, rc_err_t *err)
{
    const rc_survey_setting_t *a = &in->survey->setting[in->shown];
    double *y = x + a->pairs;
    rc_status_t st = RC_OK;
    int panels = 0;
    int64_t hidden = 0;
    rc_plot_text_t trend = {0};
    fprintf(csv, "what,matrix,entries,kernel,policy,%s\n", p->y_name);
    rc_str_addf(&t->define, "array PANEL[%d]\n", p->series);
    rc_plot_block_begin(&trend, "TREND");
    for (int k = 0; st == RC_OK && k < p->series; k++) {
        char name[32];
        if (collect(p, in, k, scale, own, x, y, csv) == 0)
            continue;
        panels++;
        snprintf(name, sizeof name, "PANEL[%d]", panels);
        rc_plot_define_text(t, name, p->name[k]);
        snprintf(name, sizeof name, "POINTS%d", panels);
        rc_plot_block_begin(t, name);
        hidden += rc_plot_block_points(t, x, y, a->pairs, RC_PLOT_POINTS / p->series);
        rc_plot_block_end(t);
        st = rc_plot_block_trend(&trend, x, y, a->pairs, err);
    }
    rc_plot_block_end(&trend);
    rc_str_add(&t->define, trend.define.text ? trend.define.text : "");
    t->define.failed |= trend.define.failed;
    rc_plot_text_free(&trend);
    rc_str_addf(&t->define, "PANELS = %d\nMATRICES = %" PRId64 "\n", panels, a->pairs);
    rc_plot_define_text(t, "SUBTITLE", a->label);
    rc_str_addf(&t->caption,
        " A point per matrix, %" PRId64 " matrices, %s; lines are medians of groups of matrices of "
        "about equal size%s.",
        a->pairs, a->label, panels > 1 ? ", the grey one that of the first panel" : "");
    if (hidden)
        rc_str_addf(&t->caption,
            " %" PRId64 " points, chosen without regard to their values, are not drawn; lines and "
            "CSV have all.",
            hidden);
    return st;
}

rc_status_t rc_plot_series_write(const rc_plot_series_t *p, const rc_plot_input_t *in, double scale,
    FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    int64_t *own = rc_alloc((size_t)s->pairs, sizeof *own, "a figure", err);
    double *xy =
        rc_alloc((size_t)s->setting[in->shown].pairs, 2 * sizeof *xy, "a figure", err);
    rc_status_t st = RC_ENOMEM;
    if (own && xy) {
        rc_plot_own_best(s, 0, own);
        st = fill(p, in, scale, own, xy, csv, text, err);
    }
    free(own);
    free(xy);
    return st;
}
