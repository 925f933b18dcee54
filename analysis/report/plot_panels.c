/* Figures with a panel per row order and a point per matrix. */
#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 3 };

/* One of them. */
typedef struct panels {
    const char *x_name; /* of the column of the CSV, with its unit */
    const char *y_name;
    double (*x)(const rc_survey_matrix_t *m);
    /* Of matrix number i of the orders under one of them, NaN none; policy o->policies is the
     * oracle. */
    double (*y)(const rc_plot_orders_t *o, const rc_view_t *v, int policy, int64_t i);
    int oracle;          /* 1: has a panel of its own */
    const char *caption; /* begin of a sentence that ends in "over N matrices, ..." */
} panels_t;

static const char *panel_name(const rc_plot_orders_t *o, int k)
{
    return k + 1 == o->policies ? "oracle" : o->policy[k + 1];
}

/* Points of all panels: x is [matrices], y is [panels * matrices] with NaN where there is none. */
static void collect(const panels_t *p, const rc_survey_t *s, const rc_plot_orders_t *o, double *x,
    double *y, FILE *csv)
{
    int panels = o->policies - 1 + p->oracle;
    fprintf(csv, "policy,matrix,%s,%s\n", p->x_name, p->y_name);
    for (int k = 0; k < panels; k++)
        for (int64_t i = 0; i < o->matrices; i++, y++) {
            const rc_survey_matrix_t *m = &s->matrix[o->matrix[i]];
            x[i] = p->x(m);
            *y = p->y(o, s->view, k + 1, i); /* csr is what the others are compared with */
            if (!isnan(*y))
                RC_PLOT_ROW(csv, RC_TEXT(panel_name(o, k)), RC_TEXT(m->name), RC_REAL(x[i], 6),
                    RC_REAL(*y, 6));
        }
}

static void define_ranges(
    const double *x, const double *y, int64_t n, int panels, rc_plot_text_t *text)
{
    double x_range[2] = {INFINITY, -INFINITY};
    double y_range[2] = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < n * panels; i++) {
        double a = x[i % n];
        double b = y[i];
        if (!isfinite(a) || !isfinite(b) || a <= 0 || b <= 0)
            continue;
        x_range[0] = fmin(x_range[0], a);
        x_range[1] = fmax(x_range[1], a);
        y_range[0] = fmin(y_range[0], b);
        y_range[1] = fmax(y_range[1], b);
    }
    /* an axis needs room for two tics */
    if (x_range[1] < 4 * x_range[0]) {
        x_range[0] /= 2;
        x_range[1] *= 2;
    }
    rc_plot_define_number(text, "MATRICES", (double)n);
    rc_plot_define_number(text, "XMIN", x_range[0]);
    rc_plot_define_number(text, "XMAX", x_range[1]);
    rc_plot_define_number(text, "YMIN", y_range[0]);
    rc_plot_define_number(text, "YMAX", y_range[1]);
}

static rc_status_t draw(const rc_plot_input_t *in, const rc_plot_orders_t *o, FILE *csv,
    rc_plot_text_t *text, rc_err_t *err)
{
    const panels_t *p = in->plot->how;
    int panels = o->policies - 1 + p->oracle;
    int lines = (panels + COLUMNS - 1) / COLUMNS;
    int64_t n = o->matrices;
    int64_t hidden = 0;
    double *x = rc_alloc((size_t)n, ((size_t)panels + 1) * sizeof *x, "a figure", err);
    rc_status_t st = x ? RC_OK : RC_ENOMEM;
    RC_PASS(st);
    double *y = x + n;
    collect(p, in->survey, o, x, y, csv);
    define_ranges(x, y, n, panels, text);
    rc_str_addf(&text->define, "ROWS = %d\nHEIGHT = %d\nPANELS = %d\narray PANEL[PANELS]\n", lines,
        90 + 125 * lines, panels);
    for (int k = 0; k < panels; k++)
        rc_plot_define_item(text, "PANEL", k + 1, panel_name(o, k));
    rc_plot_block_begin(text, "POINTS");
    for (int k = 0; k < panels; k++)
        hidden += rc_plot_block_points(text, x, y + k * n, n, RC_PLOT_POINTS / panels);
    rc_plot_block_end(text);
    rc_plot_block_begin(text, "TREND");
    for (int k = 0; st == RC_OK && k < panels; k++)
        st = rc_plot_block_trend(text, x, y + k * n, n, err);
    rc_plot_block_end(text);
    rc_str_addf(&text->caption,
        "%s over %" PRId64 " matrices, kernel %s, %s. The line is the median of groups of matrices "
        "of about equal size.",
        p->caption, n, o->setting->reference, o->setting->label);
    rc_plot_say_hidden(text, hidden, "line");
    free(x);
    return st;
}

static double density(const rc_survey_matrix_t *m)
{
    return m->density;
}

static double rows(const rc_survey_matrix_t *m)
{
    return (double)m->row->rows;
}

static double entries(const rc_survey_matrix_t *m)
{
    return (double)m->row->nnz;
}

static double speedup(const rc_plot_orders_t *o, const rc_view_t *v, int policy, int64_t i)
{
    (void)v;
    return rc_plot_orders_gain(o, policy, i);
}

/* Time to build the order over one product in the original order. */
static double cost(const rc_plot_orders_t *o, const rc_view_t *v, int policy, int64_t i)
{
    int64_t row = o->row[i * o->policies + policy];
    int64_t csr = o->row[i * o->policies];
    if (row < 0 || csr < 0 || rc_view_result(v, row)->order_ns <= 0)
        return NAN;
    return (double)rc_view_result(v, row)->order_ns / rc_view_result(v, csr)->median_ns;
}

static const panels_t over_density = {
    .x_name = "density",
    .y_name = "speedup over csr (x)",
    .x = density,
    .y = speedup,
    .oracle = 1,
    .caption = "Speedup of each row order over the original one against density, a point per "
               "matrix,",
};

const rc_plot_t rc_plot_speedup_density = {
    .name = "speedup-density",
    .title = "Speedup of each row order over density",
    .source = "Mehrabi et al., figures 5 (a) and 6 (a)",
    .section = "Orders",
    .how = &over_density,
    .draw = draw,
};

static const panels_t over_rows = {
    .x_name = "rows",
    .y_name = "speedup over csr (x)",
    .x = rows,
    .y = speedup,
    .oracle = 1,
    .caption = "Speedup of each row order over the original one against the number of rows, a "
               "point per matrix,",
};

const rc_plot_t rc_plot_speedup_rows = {
    .name = "speedup-rows",
    .template = "speedup-density",
    .title = "Speedup of each row order over rows",
    .source = "Mehrabi et al., figures 5 (b) and 6 (b)",
    .section = "Orders",
    .how = &over_rows,
    .draw = draw,
};

static const panels_t costs = {
    .x_name = "entries",
    .y_name = "time to order (products in the original order)",
    .x = entries,
    .y = cost,
    .caption = "Time to build each row order on the host, in products of the original order, "
               "against entries, a point per matrix,",
};

const rc_plot_t rc_plot_order_cost = {
    .name = "order-cost",
    .template = "speedup-density",
    .title = "What building each row order costs",
    .source = "Hong et al., figure 13",
    .section = "Cost",
    .how = &costs,
    .draw = draw,
};
