/* Figures with a point per matrix of the setting shown for each of a few ways to compute the
 * product, side by side over the number of entries. */
#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "base/type.h"
#include "table/features_read.h"
#include "table/floor.h"
#include "table/segmented.h"
#include "table/six.h"
#include "table/training.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_MAX = 7 };

/* One of them. */
typedef struct series {
    int count;
    const char *name[SERIES_MAX];
    rc_choice_of_t choice[SERIES_MAX]; /* without `row`: what stands for a pair of the survey */
    /* Row of the view that stands for a pair in a series, -1 none.
     * \param[in] user  of the figure */
    int64_t (*row)(const rc_survey_t *s, int64_t pair, int series, const void *user);
    const void *user;
    const char *x_name;                                         /* NULL: the x are the entries */
    double (*x)(const rc_survey_matrix_t *m, const void *user); /* with x_name; NaN: no point */
    const char *y_name; /* column of the CSV with its unit; NULL: throughput */
    double (*y)(
        const rc_survey_t *s, int64_t row, double scale); /* NaN: none; NULL: rc_plot_gflops */
    double scale;                                         /* for y */
} series_t;

static int64_t row_of(const series_t *p, const rc_survey_t *s, int64_t pair, int series)
{
    if (p->row)
        return p->row(s, pair, series, p->user);
    return p->choice[series] == RC_CHOICE_ALL ? rc_plot_own_best(s, pair, 0)
                                              : s->pair[pair].row[p->choice[series]];
}

/* Points of one series to x and y, [pairs of the setting]; how many there are. */
static int64_t collect(
    const series_t *p, const rc_plot_input_t *in, int series, double *x, double *y, FILE *csv)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[in->shown];
    int64_t n = 0;
    for (int64_t i = 0; i < a->pairs; i++) {
        const rc_survey_matrix_t *m = &s->matrix[s->pair[a->first + i].matrix];
        int64_t row = row_of(p, s, a->first + i, series);
        x[i] = p->x ? p->x(m, p->user) : (double)m->row->nnz;
        y[i] = NAN;
        if (row >= 0 && !isnan(x[i]))
            y[i] = p->y ? p->y(s, row, p->scale) : rc_plot_gflops(s, row);
        if (isnan(y[i]))
            continue;
        const rc_row_result_t *r = rc_view_result(s->view, row);
        RC_PLOT_ROW(csv, RC_TEXT(p->name[series]), RC_TEXT(m->name), RC_REAL(x[i], 6),
            RC_TEXT(rc_view_kernel(s->view, r->kernel)),
            RC_TEXT(rc_view_policy(s->view, r->policy)), RC_REAL(y[i], 6));
        n++;
    }
    return n;
}

/* Write the CSV (what,matrix,x,kernel,policy,y) and define MATRICES, PANELS, the array PANEL of
 * their names, blocks $POINTS1 ... and $TREND with a series for each; series without points are
 * left out.  Adds to the caption how many matrices, and what is not drawn.
 * \param[in] in  a setting is shown */
static rc_status_t write_series(
    const series_t *p, const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *t, rc_err_t *err)
{
    const rc_survey_setting_t *a = &in->survey->setting[in->shown];
    double *x = rc_alloc((size_t)a->pairs, 2 * sizeof *x, "a figure", err);
    double *y = x ? x + a->pairs : NULL;
    rc_status_t st = x ? RC_OK : RC_ENOMEM;
    int panels = 0;
    int64_t hidden = 0;
    rc_plot_text_t trend = {0};
    fprintf(csv, "what,matrix,%s,kernel,policy,%s\n", p->x_name ? p->x_name : "entries",
        p->y_name ? p->y_name : "throughput (Gflop/s)");
    rc_str_addf(&t->define, "array PANEL[%d]\n", p->count);
    rc_plot_block_begin(&trend, "TREND");
    for (int k = 0; st == RC_OK && k < p->count; k++) {
        char name[32];
        if (collect(p, in, k, x, y, csv) == 0)
            continue;
        panels++;
        rc_plot_define_item(t, "PANEL", panels, p->name[k]);
        snprintf(name, sizeof name, "POINTS%d", panels);
        rc_plot_block_begin(t, name);
        hidden += rc_plot_block_points(t, x, y, a->pairs, RC_PLOT_POINTS / p->count);
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
    if (panels == 0)
        rc_plot_lacks(in, "no result of a kernel of the figure", t);
    rc_plot_say_hidden(t, hidden, "lines");
    free(x);
    return st;
}

/* 1: a pair of the setting has a row in one of the first series; none may need rows of ours. */
static int has_any(const series_t *p, const rc_survey_t *s, int setting, int series)
{
    const rc_survey_setting_t *a = &s->setting[setting];
    for (int64_t pair = a->first; pair < a->first + a->pairs; pair++)
        for (int k = 0; k < series; k++)
            if (row_of(p, s, pair, k) >= 0)
                return 1;
    return 0;
}

/* --------------------------------------------------------------- throughput */

/* The limits of the device of the setting shown; NULL: not known. */
static const rc_report_limits_t *limits_of(const rc_plot_input_t *in)
{
    return in->options->limits &&
                   strcmp(in->survey->setting[in->shown].device, in->options->limits->device) == 0
               ? in->options->limits
               : NULL;
}

/* Lines across: two flops for each word that is read from shared memory and from the L1.  Defines
 * LIMITS and the arrays LIMIT and LIMIT_NAME. */
static void define_limits(const rc_plot_input_t *in, rc_plot_text_t *text)
{
    const rc_report_limits_t *l = limits_of(in);
    if (!l) {
        rc_plot_define_number(text, "LIMITS", 0);
        return;
    }
    const rc_row_result_t *r =
        rc_view_result(in->survey->view, in->survey->setting[in->shown].setting.row);
    double flops = 2.0 / rc_type(r->precision)->bytes; /* for each byte */
    rc_plot_define_number(text, "LIMITS", 2);
    rc_str_add(&text->define, "array LIMIT[2]\narray LIMIT_NAME[2]\n");
    rc_plot_define_number(text, "LIMIT[1]", flops * l->shared);
    rc_plot_define_number(text, "LIMIT[2]", flops * l->l1);
    rc_plot_define_item(text, "LIMIT_NAME", 1, "shared memory");
    rc_plot_define_item(text, "LIMIT_NAME", 2, "L1");
    rc_str_addf(&text->caption,
        " Lines across: two flops for each word read from shared memory, %.4g Gflop/s, and from "
        "the L1, %.4g.",
        flops * l->shared, flops * l->l1);
}

static rc_status_t write_throughput(
    const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    static const series_t series = {
        .count = 3,
        .name = {"cuSPARSE, csr", "reference, csr", "ours, any order"},
        .choice = {RC_CHOICE_VENDOR_CSR, RC_CHOICE_REFERENCE_CSR, RC_CHOICE_ALL},
    };
    const char *reference = in->survey->setting[in->shown].reference;
    rc_str_add(&text->caption,
        "Throughput (2 x entries x K operations over the median time, without K for spmv) against "
        "entries: of each matrix the fastest cuSPARSE kernel, the reference kernel and the fastest "
        "of ours, as far as the store has them.");
    if (reference[0])
        rc_str_addf(&text->caption, " The reference kernel is %s.", reference);
    define_limits(in, text);
    return write_series(&series, in, csv, text, err);
}

const rc_plot_t rc_plot_throughput = {
    .name = "throughput",
    .title = "Throughput over entries",
    .source = "Mehrabi et al., figure 4; Hong et al., figures 8 and 9",
    .section = "Kernels",
    .needs_results = 1,
    .write = write_throughput,
};

/* ------------------------------------------------------------- six formats */

static int is_named(const char *kernel, const void *name)
{
    return strcmp(kernel, name) == 0;
}

/* Our kernel of a format at its defaults in original order; the fastest of the vendor's. */
static int64_t format_row(const rc_survey_t *s, int64_t pair, int series, const void *user)
{
    (void)user;
    return series == RC_SIX ? s->pair[pair].row[RC_CHOICE_VENDOR_CSR]
                            : rc_plot_fastest(s, pair, is_named, rc_six_kernels[series]);
}

static rc_status_t write_formats(
    const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    static const series_t series = {
        .count = RC_SIX + 1,
        .name = {"coo", "ell", "csr", "hyb", "csr5", "merge", "cuSPARSE"},
        .row = format_row,
        .y_name = "rate (Gflop/s)",
    };
    const rc_survey_t *s = in->survey;
    if (s->op != RC_OP_SPMV || in->shown < 0 || !has_any(&series, s, in->shown, RC_SIX)) {
        if (s->op != RC_OP_SPMV)
            rc_str_add(&text->missing, "the report is of another operation than spmv");
        else
            rc_plot_lacks(in, "no result of the six formats", text);
        return RC_OK;
    }
    rc_str_add(&text->caption,
        "Rate (2 x entries operations over the median time) against entries: each format as our "
        "kernel at its defaults in the original order, and of each matrix the fastest cuSPARSE "
        "kernel, as far as the store has them.");
    rc_status_t st = write_series(&series, in, csv, text, err);
    rc_str_add(&text->define, "HEIGHT = PANELS > 4 ? 560 : 340\n");
    return st;
}

const rc_plot_t rc_plot_spmv_rate = {
    .name = "spmv-rate",
    .title = "SpMV in six formats",
    .source = "Nisa et al., figures 2 and 3",
    .section = "Kernels",
    .home = rc_plot_home_main,
    .write = write_formats,
};

/* ---------------------------------------------------------------- roofline */

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

/* What the product would reach at the bandwidth of memory (table/floor.h) is 1. */
static double of_bound(const rc_survey_t *s, int64_t row, double gbs)
{
    const rc_row_result_t *r = rc_view_result(s->view, row);
    const rc_row_matrix_t *m = rc_view_matrix(s->view, r->matrix);
    return rc_plot_gflops(s, row) / rc_roofline_bound(m->rows, m->cols, m->nnz, r->k > 0 ? r->k : 1,
                                        rc_type(r->precision)->bytes, gbs);
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

static rc_status_t write_roofline(
    const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    series_t series = {
        .count = 2,
        .name = {"cuSPARSE, csr", "ours, any order"},
        .choice = {RC_CHOICE_VENDOR_CSR, RC_CHOICE_ALL},
        .y_name = "share of the highest rate",
        .y = fraction,
    };
    const rc_survey_t *s = in->survey;
    const rc_report_limits_t *limits = limits_of(in);
    if (limits) {
        rc_str_addf(&text->caption,
            "Throughput as a share of what reading A (CSR), B and C once each from memory allows, "
            "at the %.4g GB/s that `rowcast calibrate --limits` measured on this device, against "
            "entries: matrices that the caches hold can exceed 1. Of each matrix the fastest "
            "cuSPARSE kernel and the fastest of ours, as far as the store has them.",
            limits->memory);
        series.y_name = "share of the roofline";
        series.y = of_bound;
        series.scale = limits->memory;
        return write_series(&series, in, csv, text, err);
    }
    double peak = highest_rate(s, s->setting[in->shown].device);
    if (!(peak > 0)) {
        rc_str_add(&text->missing, "the store has no bytes of traffic");
        return RC_OK;
    }
    rc_str_addf(&text->caption,
        "Rate of compulsory traffic (A, B and C once each) as a share of %.4g GB/s, the highest "
        "rate of any result in the store on %s, against "
        "entries: the store has no peak bandwidth of the "
        "device, and matrices that fit the caches can exceed that of memory. Of each matrix the "
        "fastest cuSPARSE kernel and the fastest of ours, as far as the store has them.",
        peak, s->setting[in->shown].device);
    series.scale = 1 / peak;
    return write_series(&series, in, csv, text, err);
}

const rc_plot_t rc_plot_roofline = {
    .name = "roofline",
    .template = "throughput",
    .title = "Share of the highest memory rate over entries",
    .source = "Hong et al., figure 1",
    .section = "Kernels",
    .needs_results = 1,
    .write = write_roofline,
};

/* ---------------------------------------------------------------- RS-SpMM */

static int is_rs(const char *kernel, const void *user)
{
    (void)user;
    return rc_spec_is(kernel, "rs") || rc_spec_is(kernel, "rs-spmm_t");
}

static int64_t rs_row(const rc_survey_t *s, int64_t pair, int series, const void *user)
{
    (void)user;
    return series == 0 ? rc_plot_fastest(s, pair, is_rs, NULL)
                       : s->pair[pair].row[RC_CHOICE_VENDOR_CSR];
}

static double ratio_of(const rc_survey_matrix_t *m, const void *user)
{
    const double *share = user;
    return share[m->row->id];
}

static const series_t by_share = {
    .count = 2,
    .name = {"rs", "cuSPARSE, csr"},
    .row = rs_row,
    .x_name = "heavy_ratio",
    .x = ratio_of,
};

/* The share of every matrix; nothing where the store has none. */
static rc_status_t keep_shares(const rc_plot_input_t *in, void **out, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    double *share = NULL;
    unsigned char *training = NULL;
    rc_err_t why = {0};
    int any = 0;
    for (int a = 0; a < s->settings && !any; a++)
        any = has_any(&by_share, s, a, 1);
    if (!any)
        return RC_OK;
    if (rc_feature_share(s->view, in->options->store, "heavy_ratio", &share, &why) < 0)
        return why.status == RC_EINVAL ? RC_OK : rc_fail(err, why.status, "%s", why.text);
    *out = share;
    rc_status_t st = rc_training_of(s->view, &training, err);
    for (int32_t m = 0; st == RC_OK && m < rc_view_matrices(s->view); m++)
        share[m] = training[m] ? NAN : share[m]; /* no point, as in the table */
    free(training);
    return st;
}

static rc_status_t write_by_share(
    const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    series_t series = by_share;
    const rc_survey_t *s = in->survey;
    if (!has_any(&series, s, in->shown, 1)) {
        rc_plot_lacks(in, "no result of rs", text);
        return RC_OK;
    }
    if (!in->kept) {
        rc_str_add(&text->missing,
            "the store has no heavy_ratio: rowcast sweep with the feature set heavy adds it");
        return RC_OK;
    }
    rc_str_add(&text->caption,
        "Throughput of rs, the fastest of its parameters in natural order, and of the fastest "
        "cuSPARSE kernel against the share of entries in heavy row segments (panels of 256 "
        "columns, more than 4 entries), decreasing; matrices that its parameters were chosen on "
        "are left out.");
    series.user = in->kept;
    return write_series(&series, in, csv, text, err);
}

const rc_plot_t rc_plot_rate_heavy = {
    .name = "rate-heavy",
    .template = "throughput",
    .title = "Throughput by the share of heavy entries",
    .source = "Hong et al., figure 16",
    .section = "Kernels",
    .needs_results = 1,
    .keep = keep_shares,
    .drop = free,
    .write = write_by_share,
};

enum { NONE, MODEL, BEST };

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

static int64_t modelled_row(const rc_survey_t *s, int64_t pair, int series, const void *user)
{
    const modelling_t *m = user;
    int64_t row = fastest(s, pair, series, m->t);
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

static rc_status_t write_modelling(
    const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    series_t series = {
        .count = 3,
        .name = {"no model", "model", "best measured"},
        .row = modelled_row,
    };
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[in->shown];
    modelling_t m = {.t = 0};
    int64_t pair = a->first;
    while (pair < a->first + a->pairs && fastest(s, pair, MODEL, 0) < 0)
        pair++;
    if (s->op != RC_OP_SPMM || pair == a->first + a->pairs) {
        rc_plot_lacks(in, "no result of rs with the parameters of a tuning", text);
        return RC_OK;
    }
    RC_PASS(rc_training_of(s->view, &m.training, err));
    m.t = frequent_t(s, a, m.training);
    series.user = &m;
    rc_str_add(&text->caption,
        "Throughput of rs, natural order, against entries, matrices that were not trained on");
    if (m.t > 0)
        rc_str_addf(&text->caption,
            ": without a model (t = %d, most often best on those, cfv = cfh = 1)", (int)m.t);
    rc_str_add(
        &text->caption, ", with the parameters of a tuning, and the best that was measured.");
    rc_status_t st = write_series(&series, in, csv, text, err);
    free(m.training);
    return st;
}

const rc_plot_t rc_plot_modelling = {
    .name = "modelling",
    .template = "throughput",
    .title = "What the model of RS-SpMM reaches",
    .source = "Hong et al., figure 7",
    .section = "Kernels",
    .needs_results = 1,
    .write = write_modelling,
};
