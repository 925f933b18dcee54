/* What the best plan gains on each matrix, from the smallest to the largest: the first figure. */
#include "config.h"
#include "analysis/report/headline.h"
#include "analysis/report/plot_data.h"
#include "base/error.h"
#include "base/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SERIES = 2 };
static const rc_choice_of_t above[SERIES] = {RC_CHOICE_VENDOR_CSR, RC_CHOICE_CSR};

/* Matrices that are drawn one by one, with a bar for each interval; points of a curve. */
enum { FEW = 40, DRAWN = 400 };

/* A curve. */
typedef struct curve {
    const char *name;
    int64_t n;      /* matrices */
    int64_t hollow; /* points without an interval, where points are drawn */
} curve_t;

typedef struct gain {
    rc_figure_t of; /* its value is what is sorted by */
    int64_t pair;
} gain_t;

static rc_status_t keep(const rc_plot_input_t *in, void **out, rc_err_t *err)
{
    rc_held_out_t *made = NULL;
    rc_status_t st = rc_headline_held_out(in->survey, &made, err);
    *out = made;
    return st;
}

/* \param[in,out] c  has a name, and gets its counts */
static void put_series(
    const rc_plot_input_t *in, int k, curve_t *c, gain_t *gain, FILE *csv, rc_plot_text_t *text)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[in->shown];
    int64_t n = 0;
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        rc_figure_t f = rc_headline_gain(s, i, in->kept, above[k], RC_CHOICE_ALL);
        if (isfinite(f.value) && f.value > 0)
            gain[n++] = (gain_t){f, i};
    }
    if (n > 1)
        qsort(gain, (size_t)n, sizeof *gain, rc_stats_compare);
    for (int64_t i = 0; i < n; i++) {
        rc_figure_t f = gain[i].of;
        RC_PLOT_ROW(csv, RC_TEXT(c->name), RC_TEXT(s->matrix[s->pair[gain[i].pair].matrix].name),
            RC_REAL(f.value, 6), RC_REAL(f.low, 6), RC_REAL(f.high, 6));
        if (i % (1 + n / DRAWN) == 0 || i == n - 1)
            rc_str_addf(&text->define, "%.5g,%.5g,%.5g,%.5g,%d\n",
                100 * ((double)i + 0.5) / (double)n, f.value, f.low, f.high, !(f.low < f.high));
        c->hollow += n <= FEW && !(f.low < f.high);
    }
    rc_str_addf(&text->define, "%s\n\n", n ? "" : "NaN,NaN,NaN,NaN,0\n");
    c->n = n;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_setting_t *a = &in->survey->setting[in->shown];
    gain_t *gain = rc_alloc((size_t)a->pairs + 1, sizeof *gain, "a figure", err);
    RC_PASS(gain ? RC_OK : RC_ENOMEM);
    char library[64];
    curve_t curve[SERIES] = {
        {.name = library}, {.name = "over the best kernel in the original order"}};
    (void)snprintf(library, sizeof library, "over the best of %s", a->library);
    fputs("over what,matrix,gain held out (x),low (x),high (x)\n", csv);
    rc_plot_block_begin(text, "GAINS");
    for (int k = 0; k < SERIES; k++)
        put_series(in, k, &curve[k], gain, csv, text);
    rc_plot_block_end(text);
    free(gain);
    rc_str_addf(&text->define, "array NAME[2]\narray COUNT[2] = [%" PRId64 ", %" PRId64 "]\n",
        curve[0].n, curve[1].n);
    for (int k = 0; k < SERIES; k++)
        rc_plot_define_item(text, "NAME", k + 1, curve[k].name);
    rc_str_addf(&text->define, "FEW = %d\nHEIGHT = 320\n", FEW);
    if (curve[0].n == 0 && curve[1].n == 0)
        rc_str_add(&text->missing, "there is nothing that the plans can be compared with");
    rc_str_addf(&text->caption,
        "%sBands and bars are two standard errors of the two times; a clear gain or loss is beyond "
        "them.%s",
        curve[0].n > 0 && curve[1].n > 0 ? "Each curve has its own order of matrices. " : "",
        curve[0].hollow + curve[1].hollow > 0
            ? " Hollow points have none: both times are one, or neither varied."
            : "");
    return RC_OK;
}

const rc_plot_t rc_plot_gain = {
    .name = "gain",
    .title = "Gain of the best plan, matrix by matrix",
    .section = "Answer",
    .needs_results = 1,
    .keep = keep,
    .drop = free,
    .write = write,
};
