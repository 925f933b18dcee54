#include "config.h"
#include "analysis/report/plot_block.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { VENDOR, REFERENCE, OWN, SERIES };
static const char *const series_name[SERIES] = {
    "fastest cuSPARSE, csr", "reference kernel, csr", "fastest of ours, any order"};

/* 2 nnz K over the time: flops in a ns are GFLOP/s. */
static double gflops(const rc_survey_t *s, int64_t row)
{
    if (row < 0)
        return NAN;
    const rc_row_result_t *r = rc_view_result(s->view, row);
    double nnz = (double)rc_view_matrix(s->view, r->matrix)->nnz;
    return nnz > 0 ? 2 * nnz * (double)r->k / r->median_ns : NAN;
}

static void put_row(
    const rc_survey_t *s, int series, int64_t row, const rc_survey_matrix_t *m, double y, FILE *csv)
{
    const rc_row_result_t *r = rc_view_result(s->view, row);
    rc_plot_put_text(csv, series_name[series]);
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

static rc_status_t fill(const rc_survey_t *s, const rc_survey_arena_t *a, const int64_t *own,
    double *x, double *y, FILE *csv, rc_plot_text_t *t, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int panels = 0;
    int64_t hidden = 0;
    rc_plot_text_t trend = {0};
    fputs("what,matrix,entries,kernel,policy,throughput (GFLOP/s)\n", csv);
    rc_str_addf(&t->define, "array PANEL[%d]\n", SERIES);
    rc_plot_block_begin(&trend, "TREND");
    for (int k = 0; st == RC_OK && k < SERIES; k++) {
        int64_t n = 0;
        for (int64_t i = 0; i < a->pairs; i++) {
            const rc_survey_pair_t *p = &s->pair[a->first + i];
            int64_t row = k == VENDOR      ? p->vendor
                          : k == REFERENCE ? p->reference_csr
                                           : own[a->first + i];
            x[i] = (double)s->matrix[p->matrix].row->nnz;
            y[i] = gflops(s, row);
            n += !isnan(y[i]);
            if (!isnan(y[i]))
                put_row(s, k, row, &s->matrix[p->matrix], y[i], csv);
        }
        if (n == 0)
            continue;
        char name[32];
        panels++;
        snprintf(name, sizeof name, "PANEL[%d]", panels);
        rc_plot_define_text(t, name, series_name[k]);
        snprintf(name, sizeof name, "POINTS%d", panels);
        rc_plot_block_begin(t, name);
        hidden += rc_plot_block_points(t, x, y, a->pairs, RC_PLOT_POINTS / SERIES);
        rc_plot_block_end(t);
        st = rc_plot_block_trend(&trend, x, y, a->pairs, err);
    }
    rc_plot_block_end(&trend);
    rc_str_add(&t->define, trend.define.text ? trend.define.text : "");
    t->define.failed |= trend.define.failed;
    rc_plot_text_free(&trend);
    rc_str_addf(&t->define, "PANELS = %d\n", panels);
    rc_str_addf(&t->caption,
        "Throughput (2 x entries x K operations over the median time) against entries, a point per "
        "matrix, %" PRId64 " matrices, %s. Lines are medians of groups of matrices of about equal "
        "size%s. The reference kernel is %s.",
        a->pairs, a->label, panels > 1 ? "; the grey one is that of the first panel" : "",
        a->reference[0] ? a->reference : "none");
    if (hidden)
        rc_str_addf(
            &t->caption, " %" PRId64 " points are not drawn; lines and CSV have all.", hidden);
    return st;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    if (s->main_arena < 0) {
        rc_str_add(&text->missing, "the store has no result that is ok");
        return RC_OK;
    }
    const rc_survey_arena_t *a = &s->arena[s->main_arena];
    int64_t *own = rc_alloc((size_t)s->pairs, sizeof *own, "a figure", err);
    double *xy = rc_alloc((size_t)a->pairs, 2 * sizeof *xy, "a figure", err);
    rc_status_t st = RC_ENOMEM;
    if (own && xy) {
        rc_plot_own_best(s, 0, own);
        st = fill(s, a, own, xy, xy + a->pairs, csv, text, err);
    }
    free(own);
    free(xy);
    return st;
}

const rc_plot_t rc_plot_throughput = {
    .name = "throughput",
    .title = "Throughput over entries",
    .source = "Mehrabi et al., figure 4",
    .section = "Kernels",
    .write = write,
};
