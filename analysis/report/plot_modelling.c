#include "config.h"
#include "analysis/report/plot_series.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "table/segmented.h"
#include "table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, MODEL, BEST, SERIES };

typedef struct modelling {
    unsigned char *training; /* [matrices of the view] 1: left out */
    int64_t t;               /* of none */
} modelling_t;

typedef struct taken {
    int series;
    int64_t t; /* of none */
} taken_t;

static int takes(const char *kernel, const void *user)
{
    const taken_t *of = user;
    if (of->series == MODEL)
        return rc_segmented_is_model(kernel);
    return rc_segmented_is_closed(kernel) &&
           (of->series != NONE ||
               (rc_spec_number(kernel, "t") == of->t && rc_spec_number(kernel, "cfv") == 1 &&
                   rc_spec_number(kernel, "cfh") == 1));
}

/* The fastest row of a pair that is what the series takes; -1. */
static int64_t fastest(const rc_survey_t *s, int64_t pair, int series, int64_t t)
{
    return rc_plot_fastest(s, pair, takes, &(const taken_t){series, t});
}

static int32_t matrix_of(const rc_survey_t *s, int64_t row)
{
    return rc_view_result(s->view, row)->matrix;
}

static int64_t row_of(
    const rc_survey_t *s, int64_t pair, int series, const int64_t *own, const void *user)
{
    const modelling_t *m = user;
    int64_t row = fastest(s, pair, series, m->t);
    (void)own;
    return row >= 0 && !m->training[matrix_of(s, row)] ? row : -1;
}

/* The t that is best on the most training matrices of the setting; 0: none has a time. */
static int64_t frequent_t(
    const rc_survey_t *s, const rc_survey_setting_t *a, const unsigned char *training)
{
    enum { T = 16 };
    int64_t count[T + 1] = {0};
    int64_t most = 0;
    for (int64_t pair = a->first; pair < a->first + a->pairs; pair++) {
        int64_t row = fastest(s, pair, BEST, 0);
        if (row < 0 || !training[matrix_of(s, row)])
            continue;
        int64_t t =
            rc_spec_number(rc_view_kernel(s->view, rc_view_result(s->view, row)->kernel), "t");
        if (t <= T)
            count[t]++;
    }
    for (int64_t t = 1; t <= T; t++)
        most = count[t] > count[most] ? t : most;
    return most;
}

static int any_model(const rc_survey_t *s, const rc_survey_setting_t *a)
{
    for (int64_t pair = a->first; pair < a->first + a->pairs; pair++)
        if (fastest(s, pair, MODEL, 0) >= 0)
            return 1;
    return 0;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_plot_series_t series = {
        .series = SERIES,
        .name = {"no model", "model", "best measured"},
        .row = row_of,
        .y_name = "throughput (GFLOP/s)",
        .y = rc_plot_gflops,
    };
    const rc_survey_t *s = in->survey;
    modelling_t m = {.t = 0};
    int64_t count;
    if (in->shown < 0 || s->op != RC_OP_SPMM || !any_model(s, &s->setting[in->shown])) {
        rc_str_add(&text->missing, in->shown < 0
                                       ? rc_plot_no_results
                                       : "the store has no rs with the parameters of a tuning");
        return RC_OK;
    }
    rc_status_t st = rc_training_of(s->view, &m.training, &count, err);
    if (st < 0)
        return st;
    m.t = frequent_t(s, &s->setting[in->shown], m.training);
    series.user = &m;
    rc_str_add(&text->caption,
        "Throughput of rs, natural order, against entries, matrices that were not trained on");
    if (m.t > 0)
        rc_str_addf(&text->caption,
            ": without a model (t = %d, most often best on those, cfv = cfh = 1)", (int)m.t);
    rc_str_add(
        &text->caption, ", with the parameters of a tuning, and the best that was measured.");
    st = rc_plot_series_write(&series, in, 1, csv, text, err);
    free(m.training);
    return st;
}

const rc_plot_t rc_plot_modelling = {
    .name = "modelling",
    .template = "throughput",
    .title = "What the model of RS-SpMM reaches",
    .source = "Hong et al., figure 7",
    .section = "Kernels",
    .home = rc_plot_home_main,
    .write = write,
};
