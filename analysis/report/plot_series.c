#include "config.h"
#include "analysis/report/plot_series.h"
#include "analysis/report/plot_block.h"
#include "base/alloc.h"
#include "base/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_row(const rc_survey_t *s, const char *series, int64_t row,
    const rc_survey_matrix_t *m, double x, double y, FILE *csv)
{
    const rc_row_result_t *r = rc_view_result(s->view, row);
    rc_plot_put_text(csv, series);
    fputc(',', csv);
    rc_plot_put_text(csv, m->name);
    fputc(',', csv);
    rc_plot_put_number(csv, x);
    fputc(',', csv);
    rc_plot_put_text(csv, rc_view_kernel(s->view, r->kernel));
    fputc(',', csv);
    rc_plot_put_text(csv, rc_view_policy(s->view, r->policy));
    fputc(',', csv);
    rc_plot_put_number(csv, y);
    fputc('\n', csv);
}

/* Points of one series to x and y, [pairs of the setting]; how many there are. */
static int64_t collect(const rc_plot_series_t *p, const rc_plot_input_t *in, int series,
    double scale, const int64_t *own, double *x, double *y, FILE *csv)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[in->shown];
    int64_t n = 0;
    for (int64_t i = 0; i < a->pairs; i++) {
        const rc_survey_matrix_t *m = &s->matrix[s->pair[a->first + i].matrix];
        int64_t row = p->row(s, a->first + i, series, own, p->user);
        x[i] = p->x ? p->x(m, p->user) : (double)m->row->nnz;
        y[i] = row < 0 || isnan(x[i]) ? NAN : p->y(s, row, scale);
        if (isnan(y[i]))
            continue;
        put_row(s, p->name[series], row, m, x[i], y[i], csv);
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
    fprintf(csv, "what,matrix,%s,kernel,policy,%s\n", p->x_name ? p->x_name : "entries", p->y_name);
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
    double *xy = rc_alloc((size_t)s->setting[in->shown].pairs, 2 * sizeof *xy, "a figure", err);
    rc_status_t st = RC_ENOMEM;
    if (own && xy) {
        rc_plot_own_best(s, s->setting[in->shown].first, s->setting[in->shown].pairs, 0, own);
        st = fill(p, in, scale, own, xy, csv, text, err);
    }
    free(own);
    free(xy);
    return st;
}

double rc_plot_gflops(const rc_survey_t *s, int64_t row, double scale)
{
    double flops = rc_view_flops(s->view, row);
    return flops > 0 ? scale * flops / rc_view_result(s->view, row)->median_ns : NAN;
}

const rc_report_limits_t *rc_plot_limits(const rc_plot_input_t *in)
{
    return in->limits && in->shown >= 0 &&
                   strcmp(in->survey->setting[in->shown].device, in->limits->device) == 0
               ? in->limits
               : NULL;
}

int rc_plot_define_limits(const rc_plot_input_t *in, rc_plot_text_t *text)
{
    const rc_report_limits_t *l = rc_plot_limits(in);
    if (!l) {
        rc_plot_define_number(text, "LIMITS", 0);
        return 0;
    }
    const rc_row_result_t *r =
        rc_view_result(in->survey->view, in->survey->setting[in->shown].setting.row);
    double flops = 2.0 / rc_type(r->precision)->bytes; /* for each byte */
    rc_plot_define_number(text, "LIMITS", 2);
    rc_str_add(&text->define, "array LIMIT[2]\narray LIMIT_NAME[2]\n");
    rc_plot_define_number(text, "LIMIT[1]", flops * l->shared);
    rc_plot_define_number(text, "LIMIT[2]", flops * l->l1);
    rc_plot_define_text(text, "LIMIT_NAME[1]", "shared memory");
    rc_plot_define_text(text, "LIMIT_NAME[2]", "L1");
    rc_str_addf(&text->caption,
        " Lines across: two flops for each word read from shared memory, %.4g GFLOP/s, and from "
        "the L1, %.4g.",
        flops * l->shared, flops * l->l1);
    return 2;
}
