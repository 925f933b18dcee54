/* Figures with a panel per row order and a point per matrix. */
#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>

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

/* Points of all panels: y is [panels * matrices], NaN where there is none. */
typedef struct cloud {
    rc_pool_t pool;
    int first; /* policy of the first panel */
    int panels;
    int64_t matrices;
    double *x;
    double *y;
} cloud_t;

static rc_status_t collect(
    const panels_t *p, const rc_survey_t *s, const rc_plot_orders_t *o, cloud_t *c, rc_err_t *err)
{
    c->first = 1; /* csr is what the others are compared with */
    c->panels = o->policies - 1 + p->oracle;
    c->matrices = o->matrices;
    c->x = rc_pool_get(&c->pool, (size_t)c->matrices, sizeof *c->x);
    c->y = rc_pool_get(&c->pool, (size_t)c->matrices * (size_t)c->panels, sizeof *c->y);
    RC_PASS(rc_pool_check(&c->pool, "a figure", err));
    for (int64_t i = 0; i < c->matrices; i++)
        c->x[i] = p->x(&s->matrix[o->matrix[i]]);
    for (int k = 0; k < c->panels; k++)
        for (int64_t i = 0; i < c->matrices; i++)
            c->y[k * c->matrices + i] = p->y(o, s->view, c->first + k, i);
    return RC_OK;
}

static const char *panel_name(const rc_plot_orders_t *o, const cloud_t *c, int k)
{
    return c->first + k == o->policies ? "oracle" : o->policy[c->first + k];
}

static void write_csv(
    const panels_t *p, const rc_survey_t *s, const rc_plot_orders_t *o, const cloud_t *c, FILE *csv)
{
    fprintf(csv, "policy,matrix,%s,%s\n", p->x_name, p->y_name);
    for (int k = 0; k < c->panels; k++)
        for (int64_t i = 0; i < c->matrices; i++) {
            double y = c->y[k * c->matrices + i];
            if (isnan(y))
                continue;
            RC_PLOT_ROW(csv, RC_TEXT(panel_name(o, c, k)), RC_TEXT(s->matrix[o->matrix[i]].name),
                RC_REAL(c->x[i], 6), RC_REAL(y, 6));
        }
}

static void define_ranges(const cloud_t *c, rc_plot_text_t *text)
{
    double x[2] = {INFINITY, -INFINITY};
    double y[2] = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < c->matrices * c->panels; i++) {
        double a = c->x[i % c->matrices];
        double b = c->y[i];
        if (!isfinite(a) || !isfinite(b) || a <= 0 || b <= 0)
            continue;
        x[0] = a < x[0] ? a : x[0];
        x[1] = a > x[1] ? a : x[1];
        y[0] = b < y[0] ? b : y[0];
        y[1] = b > y[1] ? b : y[1];
    }
    /* an axis needs room for two tics */
    if (x[1] < 4 * x[0]) {
        x[0] /= 2;
        x[1] *= 2;
    }
    rc_plot_define_number(text, "MATRICES", (double)c->matrices);
    rc_plot_define_number(text, "XMIN", x[0]);
    rc_plot_define_number(text, "XMAX", x[1]);
    rc_plot_define_number(text, "YMIN", y[0]);
    rc_plot_define_number(text, "YMAX", y[1]);
}

static rc_status_t define_series(const rc_plot_orders_t *o, const cloud_t *c, rc_plot_text_t *text,
    int64_t *hidden, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_str_addf(&text->define, "PANELS = %d\narray PANEL[%d]\n", c->panels, c->panels);
    for (int k = 0; k < c->panels; k++)
        rc_plot_define_item(text, "PANEL", k + 1, panel_name(o, c, k));
    rc_plot_block_begin(text, "POINTS");
    for (int k = 0; k < c->panels; k++)
        *hidden += rc_plot_block_points(
            text, c->x, c->y + k * c->matrices, c->matrices, RC_PLOT_POINTS / c->panels);
    rc_plot_block_end(text);
    rc_plot_block_begin(text, "TREND");
    for (int k = 0; st == RC_OK && k < c->panels; k++)
        st = rc_plot_block_trend(text, c->x, c->y + k * c->matrices, c->matrices, err);
    rc_plot_block_end(text);
    return st;
}

static rc_status_t draw(const rc_plot_input_t *in, const rc_plot_orders_t *o, FILE *csv,
    rc_plot_text_t *text, rc_err_t *err)
{
    const panels_t *p = in->plot->how;
    cloud_t c = {0};
    int64_t hidden = 0;
    rc_status_t st;
    RC_TRY(collect(p, in->survey, o, &c, err));
    int lines = (c.panels + COLUMNS - 1) / COLUMNS;
    write_csv(p, in->survey, o, &c, csv);
    define_ranges(&c, text);
    rc_str_addf(&text->define, "ROWS = %d\nHEIGHT = %d\n", lines, 90 + 125 * lines);
    RC_TRY(define_series(o, &c, text, &hidden, err));
    rc_str_addf(&text->caption,
        "%s over %" PRId64 " matrices, kernel %s, %s. The line is the median "
        "of groups of matrices of about equal size.",
        p->caption, o->matrices, o->setting->reference, o->setting->label);
    if (hidden)
        rc_str_addf(&text->caption,
            " %" PRId64
            " points, chosen without regard to their values, are not drawn; line and CSV "
            "have all.",
            hidden);
done:
    rc_pool_free(&c.pool);
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
    return policy == o->policies ? o->best[i] : o->gain[policy * o->matrices + i];
}

/* Time to build the order over one product in the original order. */
static double cost(const rc_plot_orders_t *o, const rc_view_t *v, int policy, int64_t i)
{
    int64_t row = o->row[policy * o->matrices + i];
    int64_t csr = o->row[i];
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
    .home = rc_plot_home_orders,
    .how = &over_density,
    .draw = draw,
    .write = rc_plot_write_orders,
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
    .home = rc_plot_home_orders,
    .how = &over_rows,
    .draw = draw,
    .write = rc_plot_write_orders,
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
    .home = rc_plot_home_orders,
    .how = &costs,
    .draw = draw,
    .write = rc_plot_write_orders,
};
