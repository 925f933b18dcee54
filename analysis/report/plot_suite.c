#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 6 };

/* The fastest of these kernels under these orders, by the names before parameters; NULL ends a
 * list, no order is any. */
static const struct {
    const char *title;
    const char *kernel[4];
    const char *policy;
} series[SERIES] = {
    {"CSR-k, Band-k", {"csr2", "csr3", "csr35", NULL}, "bandk"},
    {"CSR-k, natural", {"csr2", "csr3", "csr35", NULL}, "csr"},
    {"csrk-split, any order", {"csrk-split", NULL}, NULL},
    {"CSR5, natural", {"csr5", NULL}, "csr"},
    {"cuSPARSE CSR, RCM", {"cusparse-spmv-csr", NULL}, "rcm"},
    {"cuSPARSE CSR, natural", {"cusparse-spmv-csr", NULL}, "csr"},
};

typedef struct bar {
    const rc_survey_matrix_t *matrix;
    int generated;
    rc_regular_t class;
    double rdensity;
    double gflops[SERIES]; /* NaN: not measured */
} bar_t;

static int is_of(const rc_view_t *v, const rc_row_result_t *r, int s)
{
    if (series[s].policy && !rc_spec_is(rc_view_policy(v, r->policy), series[s].policy))
        return 0;
    for (int k = 0; series[s].kernel[k]; k++)
        if (rc_spec_is(rc_view_kernel(v, r->kernel), series[s].kernel[k]))
            return 1;
    return 0;
}

/* How many of the series a setting has; 0: it has none of CSR-k. */
static int series_of(const rc_survey_t *s, int setting)
{
    int has[SERIES] = {0};
    int count = 0;
    const rc_survey_setting_t *a = &s->setting[setting];
    int64_t end = rc_survey_first_row(s, a->first + a->pairs);
    for (int64_t i = rc_survey_first_row(s, a->first); i < end; i++)
        for (int k = 0; k < SERIES; k++)
            has[k] |= is_of(s->view, rc_view_result(s->view, s->rows[i]), k);
    for (int k = 0; k < SERIES; k++)
        count += has[k];
    return has[0] || has[1] || has[2] ? count : 0; /* the first three are of CSR-k */
}

/* The setting with most of the series; symmetric orders have one of their own, in which the natural
 * order stands too. */
static int home(const rc_plot_input_t *in)
{
    const rc_survey_t *s = in->survey;
    int best = -1;
    int most = 0;
    for (int i = 0; i < s->settings && s->op == RC_OP_SPMV; i++) {
        int count = series_of(s, i);
        if (count > most || (count > 0 && count == most &&
                                s->setting[i].setting.c_order > s->setting[best].setting.c_order)) {
            most = count;
            best = i;
        }
    }
    return best;
}

/* Bars of the setting.  \param[out] bar  [pairs of the setting]  \return how many */
static int64_t make_bars(const rc_survey_t *s, int setting, bar_t *bar)
{
    int64_t n = 0;
    int64_t pair = -1;
    const rc_survey_setting_t *a = &s->setting[setting];
    int64_t end = rc_survey_first_row(s, a->first + a->pairs);
    for (int64_t i = rc_survey_first_row(s, a->first); i < end; i++) {
        const rc_survey_pair_t *p = &s->pair[s->row_pair[i]];
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        if (s->row_pair[i] != pair) {
            const rc_survey_matrix_t *m = &s->matrix[p->matrix];
            bar[n] = (bar_t){.matrix = m,
                .generated = rc_view_is_generated(s->view, r->matrix),
                .class = rc_view_regular(s->view, r->matrix),
                .rdensity = rc_view_flops(s->view, s->rows[i]) / 2 /
                            (double)(m->row->rows ? m->row->rows : 1)};
            for (int k = 0; k < SERIES; k++)
                bar[n].gflops[k] = NAN;
            n++;
            pair = s->row_pair[i];
        }
        for (int k = 0; k < SERIES; k++)
            if (is_of(s->view, r, k))
                bar[n - 1].gflops[k] =
                    fmax(bar[n - 1].gflops[k], rc_view_flops(s->view, s->rows[i]) / r->median_ns);
    }
    return n;
}

static int by_block(const void *a, const void *b)
{
    const bar_t *x = a;
    const bar_t *y = b;
    if (x->generated != y->generated)
        return x->generated - y->generated;
    if (x->class != y->class)
        return (int)x->class - (int)y->class;
    if (x->rdensity != y->rdensity)
        return x->rdensity < y->rdensity ? -1 : 1;
    return strcmp(x->matrix->name, y->matrix->name);
}

static void write_bars(const bar_t *bar, int64_t n, FILE *csv)
{
    fputs("number,matrix,set,class,rdensity (entries)", csv);
    for (int k = 0; k < SERIES; k++)
        fprintf(csv, ",\"%s (Gflop/s)\"", series[k].title);
    fputc('\n', csv);
    for (int64_t i = 0; i < n; i++) {
        rc_table_cell_t cell[5 + SERIES] = {RC_INT(i), RC_TEXT(bar[i].matrix->name),
            RC_TEXT(bar[i].generated ? "generated" : "real"),
            RC_TEXT(rc_regular_names[bar[i].class]), RC_REAL(bar[i].rdensity, 6)};
        for (int k = 0; k < SERIES; k++)
            cell[5 + k] = RC_REAL(bar[i].gflops[k], 6);
        rc_plot_put_row(csv, cell, 5 + SERIES);
    }
}

/* The means of each block of one set and class as $MEANS, its borders and names. */
static void define_blocks(const bar_t *bar, int64_t n, rc_plot_text_t *text)
{
    rc_str_t names = {0};
    int blocks = 0;
    rc_str_add(&text->define, "$MEANS << EOD\n");
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i;
             end < n && bar[end].generated == bar[i].generated && bar[end].class == bar[i].class;)
            end++;
        rc_str_addf(&text->define, "%" PRId64 ",%" PRId64, i, end - 1);
        for (int k = 0; k < SERIES; k++) {
            double sum = 0;
            int64_t of = 0;
            for (int64_t b = i; b < end; b++)
                if (!isnan(bar[b].gflops[k])) {
                    sum += bar[b].gflops[k];
                    of++;
                }
            rc_str_addf(&text->define, of ? ",%.6g" : ",", of ? sum / (double)of : 0);
        }
        rc_str_add(&text->define, "\n");
        rc_str_addf(&names, "%s%s%s", blocks++ ? "|" : "", rc_regular_names[bar[i].class],
            bar[i].generated ? ", generated" : "");
    }
    rc_str_add(&text->define, "EOD\n");
    rc_plot_define_text(text, "NAMES", names.text ? names.text : "");
    rc_plot_define_number(text, "BLOCKS", blocks);
    rc_plot_define_number(text, "MATRICES", (double)n);
    rc_str_free(&names);
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    if (s->op != RC_OP_SPMV || in->shown < 0 || series_of(s, in->shown) == 0) {
        if (s->op != RC_OP_SPMV)
            rc_str_add(&text->missing, "the report is of another operation than spmv");
        else
            rc_plot_lacks(in, "no result of a kernel of CSR-k", text);
        return RC_OK;
    }
    bar_t *bar = rc_alloc((size_t)s->setting[in->shown].pairs, sizeof *bar, "a figure", err);
    RC_PASS(bar ? RC_OK : RC_ENOMEM);
    int64_t n = make_bars(s, in->shown, bar);
    qsort(bar, (size_t)n, sizeof *bar, by_block);
    write_bars(bar, n, csv);
    define_blocks(bar, n, text);
    rc_str_add(&text->caption,
        "Rate of products with a vector, matrix by matrix: classes by the variance of the row "
        "length (at most 10: regular), in each by mean row; generated matrices apart. Lines are "
        "arithmetic means. Of several parameters the fastest; the pairs of the paper are CSR-k "
        "with Band-k, cuSPARSE with RCM and CSR5 in natural order.");
    free(bar);
    return RC_OK;
}

const rc_plot_t rc_plot_suite = {
    .name = "suite",
    .title = "CSR-k, CSR5 and cuSPARSE by class of matrix",
    .source = "Lane and Booth, figures 6 and 7",
    .section = "Kernels",
    .home = home,
    .write = write,
};
